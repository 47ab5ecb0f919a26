// Every failure is one row: its kind, its cause and the next step. What it leaves behind follows from the kind.
import type { FailedCall } from "../../api/client.js";
import { saysNothingAboutLists } from "../../api/service-error.js";
import { shownValue } from "../../common/redact.js";
import { environmentVariables } from "../../common/setting-names.js";
import type { ProviderAddress, Settings } from "../rules/config.js";
import { type ErrorKind, WebhookError } from "../run/errors.js";
import type { Context, Operation } from "../run/operation.js";
import { adviceFor, listingOffAdvice, quotaAdvice } from "./advice.js";
import { nameOfSetting } from "./names.js";
import type { Problem } from "./problems.js";
import { callText } from "./requests.js";
import { sentences } from "./sentences.js";
import { see, type TroubleshootingHeading } from "./troubleshooting.js";

/** What a failure of each kind leaves behind. */
const leftBehindTexts: Readonly<Record<ErrorKind, string>> = {
  notCreated: "No webhook was created.",
  inDoubt: "A webhook may exist at the service whose secret is not stored.",
  undone: "The new webhook was deleted.",
  leftBehind: "The webhook is not in the state.",
  notDeleted: "The webhook stays in the state.",
  unchanged: "Nothing was changed.",
  fault: "This is a bug in pulumi-dbwebhooks: please report it.",
};

type Text<Facts> = string | ((facts: Facts) => string);

/** A failure. `Facts` are what its sentences depend on. */
interface Failure<Facts> {
  readonly kind: ErrorKind;
  /** What went wrong. */
  readonly cause: Text<Facts>;
  /** What to do: one step that is right whatever the program and the configuration were before. Default: nothing. */
  readonly nextStep?: Text<Facts>;
  /** The part of the page with the steps that depend on the situation. */
  readonly heading?: TroubleshootingHeading;
}

interface FailedRequest {
  readonly context: Context;
  readonly call: FailedCall;
}

interface InvalidSettings {
  readonly problems: readonly string[];
  readonly isExplicit: boolean;
}

interface OtherBaseUrl {
  readonly provider: ProviderAddress;
  /** The address in the state. */
  readonly baseUrl: string;
}

interface UndoneCreation {
  readonly id: string;
  /** Why the secret cannot be stored, if that is the reason. */
  readonly secretProblem: string | undefined;
}

const correctProvider = sentences(
  `Correct the arguments of the Provider, or declare it again if it has left the program, and run "pulumi up", or`,
  `"pulumi destroy --run-program" to destroy the stack.`,
);

const twoResourcesAdvice = sentences(
  `Find out which one is to keep it (which url the service has for it),`,
  `and remove the other entry with "pulumi state delete".`,
);

/** Lets the compiler infer the facts of each row. */
const row = <Facts = void>(failure: Failure<Facts>) => failure;

const noAddress = (kind: ErrorKind) =>
  row({
    kind,
    cause: "its state has no usable id, databaseId or baseUrl. Nothing was sent",
    nextStep: `Delete the webhook at the service, then remove it with "pulumi state delete".`,
  });

const invalidSettings = (kind: ErrorKind) =>
  row<InvalidSettings>({
    kind,
    cause: ({ problems }) => `${problems.join(". ")}. Nothing was sent`,
    nextStep: ({ isExplicit }) =>
      isExplicit
        ? correctProvider
        : `Variables such as ${environmentVariables.apiKey} set a value for this command, whatever the stack stores.`,
  });

/** Every failure of an operation. */
export const failures = {
  invalidSettings: invalidSettings("unchanged"),
  creationWithInvalidSettings: invalidSettings("notCreated"),
  deletionWithInvalidSettings: invalidSettings("notDeleted"),

  // Comparisons and refreshes
  otherBaseUrl: row<OtherBaseUrl>({
    kind: "unchanged",
    cause: otherBaseUrlText,
    nextStep: sentences(
      `The default provider has one address and one key, so it could not delete the webhook there.`,
      `First set baseUrl and apiKey back to the address in the state and its key, and run "pulumi up".`,
      `Then declare a Provider for the other service.`,
    ),
    heading: "The base URL has changed",
  }),
  otherBaseUrlOfRefresh: row<OtherBaseUrl>({
    kind: "unchanged",
    cause: otherBaseUrlText,
    nextStep: ({ baseUrl }) =>
      `Run the command with the settings of ${shownValue(baseUrl)} or, if the last update used them, without --run-program.`,
    heading: "The base URL has changed",
  }),
  comparedWithoutAddress: noAddress("unchanged"),
  twoResources: row<string>({
    kind: "unchanged",
    cause: (id) => `${twoResourcesText(id)}, which the service has just returned for another one`,
    nextStep: twoResourcesAdvice,
    heading: "Two resources have one webhook",
  }),

  // Creations
  incomplete: row<string | undefined>({
    kind: "notCreated",
    cause: (problem = "not all arguments are known") => `${problem}. Nothing was sent`,
    nextStep: `Run "pulumi up" again.`,
  }),
  notCreated: row<FailedRequest>({
    kind: "notCreated",
    cause: failedRequestText,
    nextStep: ({ context, call }) => sentences(adviceFor(context, call), quotaAdvice(call)),
  }),
  inDoubt: row<FailedRequest>({
    kind: "inDoubt",
    cause: ({ context, call }) =>
      call.unusablePart === "body"
        ? `${callText(context, call)}. ${adviceFor(context, call)}`
        : callText(context, call),
    nextStep: ({ call }) =>
      sentences(
        `Look in the database for a webhook with the url of this resource, and delete it if no stack manages it.`,
        `Then run "pulumi up" again.`,
        quotaAdvice(call),
      ),
    heading: "inDoubt",
  }),
  knownId: row<string>({
    kind: "inDoubt",
    cause: (id) =>
      sentences(
        `the service returned webhook ${shownValue(id)}, which this command already knows.`,
        `Either it returned an existing webhook, or it numbers its webhooks from the beginning again and has`,
        `created one whose secret is lost. Nothing was deleted`,
      ),
    nextStep: sentences(
      `Before you run the command again, find out which of the two: with a service that keeps one webhook per url, set`,
      `the option deleteBeforeReplace; with one that reuses numbers, use --parallel 1.`,
    ),
    heading: "The service returned a known id",
  }),
  withoutSecret: row<string>({
    kind: "inDoubt",
    cause: (id) =>
      sentences(
        `the service returned webhook ${shownValue(id)} without a secret.`,
        `It may be an existing webhook, so it was not deleted`,
      ),
    nextStep: sentences(
      `Find out whether a stack manages it; if none does, delete it at the service.`,
      `Then run the command again.`,
    ),
    heading: "inDoubt",
  }),
  undone: row<UndoneCreation>({
    kind: "undone",
    cause: undoneText,
    nextStep: ({ secretProblem }) =>
      secretProblem === undefined
        ? "Run the command again."
        : "Every creation ends like this until the service returns another kind of secret.",
  }),
  leftBehind: row<UndoneCreation & { readonly problem: string }>({
    kind: "leftBehind",
    cause: (facts) => `${undoneText(facts)}, and it could not be deleted: ${facts.problem}`,
    nextStep: ({ id }) => `Delete webhook ${id} at the service.`,
    heading: "leftBehind",
  }),

  // Imports
  notImported: row<Problem>({
    kind: "unchanged",
    cause: ({ cause }) => cause,
    nextStep: ({ advice = "" }) => advice,
  }),

  // Deletions
  noAddress: noAddress("notDeleted"),
  otherHolder: row<string>({
    kind: "notDeleted",
    cause: (id) => `${twoResourcesText(id)}. Nothing was sent`,
    nextStep: twoResourcesAdvice,
    heading: "Two resources have one webhook",
  }),
  otherBaseUrlOfDeletion: row<OtherBaseUrl>({
    kind: "notDeleted",
    cause: (facts) => `${otherBaseUrlText(facts)}. Nothing was sent`,
    nextStep: "If you know the address in the state, use it together with its own key again.",
    heading: "The base URL has changed",
  }),
  notDeleted: row<FailedRequest>({
    kind: "notDeleted",
    cause: failedRequestText,
    nextStep: ({ context, call }) => adviceFor(context, call),
  }),
  stillListed: row({
    kind: "notDeleted",
    cause: "the service returned 404 NOT_FOUND for it, but still lists it",
    nextStep: "Check whether the API key may delete webhooks, and run the command again.",
    heading: "A wrong key",
  }),
  listNotFound: row<Settings>({
    kind: "notDeleted",
    cause: sentences(
      "the service returned 404 NOT_FOUND for it and for the list of its database:",
      "the API key has no access to the database, or the database is gone",
    ),
    nextStep: (settings) =>
      sentences(
        `Check ${nameOfSetting(settings, "apiKey")}.`,
        `If the database is gone, ${listingOffAdvice(settings)}.`,
      ),
    heading: "A wrong key",
  }),
  notConfirmed: row<{ readonly context: Context; readonly call: FailedCall | undefined }>({
    kind: "notDeleted",
    cause: ({ context, call }) =>
      sentences(
        `the service returned 404 NOT_FOUND for it, which it also returns to a key without access,`,
        call === undefined
          ? "and it may have listed only a part of its webhooks"
          : `and its list does not show whether the webhook exists: ${callText(context, call)}`,
      ),
    nextStep: ({ context, call }) =>
      sentences(
        call !== undefined && saysNothingAboutLists(call.outcome) && adviceFor(context, call),
        context.settings.listing &&
          `The setting listing is true: if the service cannot list all webhooks, ${listingOffAdvice(context.settings)}.`,
      ),
    heading: "A wrong key",
  }),

  fault: row<{ readonly operation: Operation; readonly error: unknown }>({
    kind: "fault",
    cause: ({ operation, error }) => `an unexpected error (${unexpectedText(operation, error)})`,
    nextStep: "Before you run the command again, check which webhooks the service has.",
  }),
};

type Failures = typeof failures;

/** The name of a failure in the table. */
export type FailureName = keyof Failures;

/** What the sentences of a failure depend on. */
export type FactsOf<Name extends FailureName> =
  Failures[Name] extends Failure<infer Facts> ? Facts : never;

/** Returns the error for a failure of an operation. */
export function failure<Name extends FailureName>(
  name: Name,
  operation: Operation,
  ...[facts]: FactsOf<Name> extends void ? [] : [facts: FactsOf<Name>]
): WebhookError {
  const { kind, cause, nextStep, heading } = failures[name] as Failure<unknown>;
  const write = (text: Text<unknown>) => (typeof text === "string" ? text : text(facts));
  const steps = sentences(nextStep && write(nextStep));
  const reference = heading && see(heading);
  const text = sentences(
    `${operation.name} failed: ${write(cause).replace(/\.$/, "")}.`,
    leftBehindTexts[kind],
    steps,
    // The advice after a refused request refers to a part of the page by itself.
    reference && !steps.includes(reference) && reference,
  );
  return new WebhookError(kind, text);
}

/** Describes an unexpected error, redacted, because its own text may hold a secret. */
export function unexpectedText(operation: Operation, error: unknown): string {
  return operation.redact(error instanceof Error ? error.message : "no error object", 300);
}

function twoResourcesText(id: string): string {
  return `two resources have webhook ${shownValue(id)}`;
}

function failedRequestText({ context, call }: FailedRequest): string {
  return callText(context, call);
}

function otherBaseUrlText({ provider, baseUrl }: OtherBaseUrl): string {
  return sentences(
    `the state holds the webhook at ${shownValue(baseUrl)},`,
    `and ${nameOfSetting(provider, "baseUrl")} is ${shownValue(provider.baseUrl)}`,
  );
}

function undoneText({ id, secretProblem }: UndoneCreation): string {
  return secretProblem === undefined
    ? `Pulumi stopped while the service created webhook ${id}`
    : `the service created webhook ${id} with a secret that cannot be stored, because it ${secretProblem}`;
}
