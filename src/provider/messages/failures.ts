// Every failure of an operation, as a function of its facts: its kind, its cause and the next step.
import type { Deletion, EndedCall } from "../../api/client.js";
import { factsOf, isRedirection } from "../../api/response-class.js";
import { shownValue } from "../../common/plain-text.js";
import { settingsTable } from "../../common/settings-table.js";
import type { ErrorKind } from "../command/errors.js";
import type { AccountOperationKind, MessageContext } from "../command/operation.js";
import type { Reporter } from "../command/reporter.js";
import { importForm, importVariable } from "../rules/import-variable.js";
import type { SettingProblem, Settings } from "../rules/settings.js";
import { type Advice, adviceFor, listingOffAdvice } from "./advice.js";
import { callText } from "./call-text.js";
import { stoppedText } from "./interruption.js";
import { settingsAdvice } from "./invalid-settings.js";
import { nameOfSetting } from "./names.js";
import { sentences } from "./sentences.js";

/**
 * The facts of a failure that its message states. The next step is right whatever the program and
 * the configuration were before.
 */
export interface Failure extends Advice {
  readonly kind: ErrorKind;
  /** The cause, without a full stop. */
  readonly cause: string;
  /** The sentences about the cause that come before the consequence. */
  readonly causeAdvice?: string;
}

/** How the deletion of a webhook that was just created failed. `error` is a bug. */
export type FailedUndo =
  | Exclude<Deletion, { kind: "deleted" }>
  | { readonly kind: "fault"; readonly error: unknown };

/** The kind of the error of an operation that has sent nothing because of its settings. */
const kindsWithInvalidSettings = {
  create: "notCreated",
  read: "unchanged",
  import: "unchanged",
  delete: "notDeleted",
} as const satisfies Readonly<Record<AccountOperationKind, ErrorKind>>;

/** A webhook with the same url may be one that somebody else uses, or that a stack has given up. */
const deleteOnlyNewAdvice = sentences(
  `Delete it only if it is new: with a higher id than those that you knew, and the arguments of this creation.`,
  `Keep a webhook that was there before: import it, or declare another url.`,
);

/** Without --run-program, a refresh and a deletion have the settings of the last update. */
const formerAccountAdvice = sentences(
  `If you know the base URL in the state, set ${settingsTable.baseUrl.variable} to it`,
  `and ${settingsTable.apiKey.variable} to its key for this command.`,
);

/** Every failure of an operation, as a function of its facts. */
export const failures = {
  invalidSettings: (
    operation: AccountOperationKind,
    problems: readonly SettingProblem[],
    isExplicit: boolean,
  ): Failure => ({
    kind: kindsWithInvalidSettings[operation],
    cause: `${problems.map(({ text }) => text).join(". ")}. Nothing was sent`,
    nextStep: settingsAdvice(problems, isExplicit),
  }),
  noAddress: (kind: "unchanged" | "notDeleted"): Failure => ({
    kind,
    cause: "its id and its state do not name one webhook. Nothing was sent",
    nextStep: sentences(
      `If somebody has edited the state, restore it,`,
      `or delete the webhook at the service, and then from the state with "pulumi state delete".`,
    ),
  }),
  twoResources: (kind: "unchanged" | "notDeleted", id: string): Failure => ({
    kind,
    cause: `two resources have webhook ${shownValue(id)}. Nothing was sent`,
    nextStep: sentences(
      `Find out which one is to keep it (which url the service has for it),`,
      `and remove the other one from the state with "pulumi state delete".`,
    ),
    heading: "Two resources have one webhook",
  }),

  // Comparisons and refreshes
  otherBaseUrl: (settings: Settings, baseUrl: string): Failure => ({
    kind: "unchanged",
    cause: otherBaseUrlText(settings, baseUrl),
    nextStep: sentences(
      `If the same service has a new base URL, change it in the state.`,
      `For another service, first set baseUrl and apiKey back to the base URL in the state and its key, and run "pulumi up".`,
      `Then declare a Provider for that service: the default provider has one base URL and one key,`,
      `so it could not delete the webhook at the old one.`,
    ),
    heading: "The same service at a new base URL",
  }),
  otherBaseUrlOfRefresh: (settings: Settings, baseUrl: string): Failure => ({
    kind: "unchanged",
    cause: otherBaseUrlText(settings, baseUrl),
    nextStep: settings.isExplicit
      ? `Run the command with the settings of ${shownValue(baseUrl)} or, if the last update used them, without --run-program.`
      : formerAccountAdvice,
    heading: "The base URL has changed",
  }),

  // Creations
  incomplete: ([firstProblem]: readonly string[]): Failure => ({
    kind: "notCreated",
    cause: `${firstProblem}. Nothing was sent`,
    nextStep: `Run "pulumi up" again.`,
  }),
  notCreated: (context: MessageContext, call: EndedCall): Failure => ({
    kind: "notCreated",
    cause: callText(context, call),
    ...adviceFor(context, call),
  }),
  inDoubt: (context: MessageContext, call: EndedCall): Failure => ({
    kind: "inDoubt",
    cause: callText(context, call),
    ...(isFromElsewhere(call) && { causeAdvice: adviceFor(context, call).nextStep }),
    nextStep: sentences(
      `Look in the database for a webhook with the url of this resource.`,
      deleteOnlyNewAdvice,
      `Then run "pulumi up" again.`,
    ),
    heading: "inDoubt",
  }),
  repeated: (): Failure => ({
    kind: "unchanged",
    cause: sentences(
      "it was not sent, because earlier in this command the creation of this webhook, or of one with the",
      "same arguments, may have left a webhook at the service",
    ),
    nextStep: "First do what the error of that creation says. Then run the command again.",
    heading: "inDoubt",
  }),
  knownId: (id: string): Failure => ({
    kind: "inDoubt",
    cause: sentences(
      `the service returned webhook ${shownValue(id)}, and this command has met that id before: in the state, in a`,
      `response, in an import or in a deletion. Either the service returned an existing webhook, or it gave the id`,
      `to a new one, whose secret is lost. Nothing was deleted`,
    ),
    nextStep: "Find out which of the two it is before you run the command again.",
    heading: "A repeated id",
  }),
  unusableSecret: (id: string, problem: string): Failure => ({
    kind: "inDoubt",
    cause: sentences(
      `the service returned webhook ${shownValue(id)} without a secret that can be stored: the secret ${problem}.`,
      `It may be an existing webhook, so it was not deleted`,
    ),
    nextStep: sentences(
      deleteOnlyNewAdvice,
      `Every creation ends like this until the service returns another kind of secret.`,
    ),
    heading: "inDoubt",
  }),
  undone: (id: string): Failure => ({
    kind: "undone",
    cause: stoppedText(id),
    nextStep: "Run the command again.",
  }),
  leftBehind: (context: MessageContext, id: string, undo: FailedUndo): Failure => ({
    kind: "leftBehind",
    cause: `${stoppedText(id)}, and it could not be deleted: ${undoText(context, undo)}`,
    nextStep: `Delete webhook ${id} at the service.`,
    heading: "leftBehind",
  }),

  // Imports
  notDescribed: (problem: string): Failure => ({
    kind: "unchanged",
    cause: problem,
    nextStep: sentences(
      `Describe the webhook by its id, with its arguments and its secret, in a file such as`,
      `${importForm},`,
      `without tableId for all tables, and set ${importVariable}="$(cat webhooks.json)".`,
      `If another stack manages it, export the secret there, and use a StackReference.`,
    ),
    heading: "An import",
  }),

  // Deletions
  otherBaseUrlOfDeletion: (settings: Settings, baseUrl: string): Failure => ({
    kind: "notDeleted",
    cause: `${otherBaseUrlText(settings, baseUrl)}. Nothing was sent`,
    // A webhook that is already at the other base URL would be replaced once more if its Provider
    // only got the old base URL back.
    nextStep: settings.isExplicit
      ? sentences(
          `If you know the base URL in the state, first let the webhook use the provider that it had:`,
          `remove or change its option provider, or set this Provider back to that base URL and its key,`,
          `and declare a second Provider for the webhooks that are at the other base URL by now.`,
          `Then run "pulumi up" before any other command.`,
        )
      : formerAccountAdvice,
    heading: "The base URL has changed",
  }),
  notDeleted: (context: MessageContext, call: EndedCall): Failure => ({
    kind: "notDeleted",
    cause: callText(context, call),
    ...adviceFor(context, call),
  }),
  stillListed: (): Failure => ({
    kind: "notDeleted",
    cause: "the service returned 404 NOT_FOUND for it, but still lists it",
    nextStep: "Check whether the API key may delete webhooks, and run the command again.",
    heading: "A wrong key",
  }),
  stillStored: (): Failure => ({
    kind: "notDeleted",
    cause:
      "the service returned 404 NOT_FOUND for it, but a list that a cache has stored still shows it",
    nextStep:
      "The list can be older than the deletion: run the command again when the cache has expired.",
  }),
  listNotFound: (settings: Settings): Failure => ({
    kind: "notDeleted",
    cause: sentences(
      "the service returned 404 NOT_FOUND for it and for the list of its database:",
      "the API key has no access to the database, the database is gone, or the service cannot list webhooks",
    ),
    nextStep: sentences(
      `Check ${nameOfSetting(settings, "apiKey")}.`,
      `If the service cannot list webhooks, ${listingOffAdvice(settings)}.`,
    ),
    heading: "A wrong key",
  }),
  notConfirmed: (context: MessageContext, call: EndedCall): Failure => ({
    kind: "notDeleted",
    cause: sentences(
      `the service returned 404 NOT_FOUND for it, which it also returns to a key without access,`,
      `and its list does not show whether the webhook exists: ${callText(context, call)}`,
    ),
    nextStep: sentences(
      adviceFor(context, call).nextStep,
      // After any other outcome, the next attempt can show whether the service has a list.
      factsOf(call.outcome).retried === "never" &&
        `If the key is right and the service cannot list all webhooks, ${listingOffAdvice(context.settings)}.`,
    ),
    heading: "A wrong key",
  }),

  fault: (reporter: Reporter, error: unknown): Failure => ({
    kind: "fault",
    cause: unexpectedText(reporter, error),
    nextStep: "Before you run the command again, check which webhooks the service has.",
  }),
};

function undoText(context: MessageContext, undo: FailedUndo): string {
  return undo.kind === "fault"
    ? unexpectedText(context.reporter, undo.error)
    : callText(context, undo.call);
}

/** Describes an unexpected error, redacted, because its own text may hold a secret. */
function unexpectedText(reporter: Reporter, error: unknown): string {
  const text = error instanceof Error ? error.message : "no error object";
  return `an unexpected error (${reporter.redact(text, 300)})`;
}

/** Whether another host than the service may have responded, such as one with a login page. */
function isFromElsewhere({ outcome, unusable }: EndedCall): boolean {
  return unusable !== undefined || (outcome.kind === "response" && isRedirection(outcome));
}

function otherBaseUrlText(settings: Settings, baseUrl: string): string {
  return sentences(
    `the state holds the webhook at ${shownValue(baseUrl)},`,
    `and ${nameOfSetting(settings, "baseUrl")} is ${shownValue(settings.baseUrl)}`,
  );
}
