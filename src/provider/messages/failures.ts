// Every failure is one row: its kind, its cause and the next step. What it leaves behind follows from the kind.
import type { FailedCall } from "../../api/client.js";
import { shownValue } from "../../common/redact.js";
import { environmentVariables } from "../../common/setting-names.js";
import type { ProviderAddress } from "../config.js";
import { type ErrorKind, WebhookError } from "../errors.js";
import type { Context, Operation } from "../operation.js";
import { adviceFor, type Candidates, candidatesAdvice, quotaAdvice } from "./advice.js";
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

/** Lets the compiler infer the facts of each row. */
const row = <Facts = void>(failure: Failure<Facts>) => failure;

const invalidSettings = (kind: ErrorKind) =>
  row<InvalidSettings>({
    kind,
    cause: ({ problems }) => `${problems.join(". ")}. Nothing was sent`,
    nextStep: ({ isExplicit }) =>
      isExplicit
        ? `Correct the arguments of the Provider, or declare it again if it has left the program, and run "pulumi up".`
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
  stillAdopted: row<{ readonly name: string; readonly properties: readonly string[] }>({
    kind: "unchanged",
    cause: ({ name, properties }) =>
      `these properties differ from the state: ${properties.join(", ")}. They replace the webhook, and the program still adopts ${name}`,
    nextStep: `First run "pulumi up" with a program that declares the webhook as it is and no longer has adopt. Then make the change: the new webhook has a new secret.`,
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
  inDoubt: row<FailedRequest & { readonly candidates: Candidates }>({
    kind: "inDoubt",
    cause: ({ context, call }) =>
      call.unusablePart === "body"
        ? `${callText(context, call)}. ${adviceFor(context, call)}`
        : callText(context, call),
    nextStep: ({ call, candidates }) =>
      sentences(candidatesAdvice(candidates), `Then run "pulumi up" again.`, quotaAdvice(call)),
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
    nextStep: "Before you run the command again, find out which of the two.",
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

  // Adoptions and imports
  notAdopted: row<Problem>({
    kind: "unchanged",
    cause: ({ cause }) => cause,
    nextStep: ({ advice = "" }) => advice,
  }),
  adoptionLeftBehind: row<Problem>({
    kind: "leftBehind",
    cause: ({ cause }) => `${cause}. Its old resource has left the state`,
    nextStep: "If the webhook still exists, keep adopt until an update has succeeded.",
    heading: "leftBehind",
  }),
  notImported: row<Problem>({
    kind: "unchanged",
    cause: ({ cause }) => cause,
    nextStep: ({ advice = "" }) => advice,
  }),

  // Deletions
  noAddress: row({
    kind: "notDeleted",
    cause: "its state has no usable id, databaseId or baseUrl. Nothing was sent",
    nextStep: `Delete the webhook at the service, then remove it with "pulumi state delete".`,
  }),
  otherBaseUrlOfDeletion: row<OtherBaseUrl>({
    kind: "notDeleted",
    cause: (facts) => `${otherBaseUrlText(facts)}. Nothing was sent`,
    nextStep: "If you know the address in the state, use it together with its own key again.",
    heading: "The base URL has changed",
  }),
  adoptionFailed: row({
    kind: "notDeleted",
    cause: "the program adopts this webhook, and the adoption failed. Nothing was sent",
    nextStep: "Correct the adoption, and run the command again.",
  }),
  returnedInDoubt: row({
    kind: "notDeleted",
    cause: "the service returned this webhook for a creation that is in doubt. Nothing was sent",
    nextStep: "Before you run the command again, find out to which resource it belongs.",
    heading: "The service returned a known id",
  }),
  adoptedWithUnknowns: row({
    kind: "notDeleted",
    cause:
      "the program adopts this webhook, and not all of its arguments were known. Nothing was sent",
    nextStep: `First run "pulumi up" with a program that only removes adopt.`,
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
      call === undefined || call.unusablePart === "entries"
        ? `If the webhook is certainly gone, remove it with "pulumi state delete".`
        : adviceFor(context, call),
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
  const text = sentences(
    `${operation.name} failed: ${write(cause).replace(/\.$/, "")}.`,
    leftBehindTexts[kind],
    nextStep && write(nextStep),
    heading && see(heading),
  );
  return new WebhookError(kind, text);
}

/** Describes an unexpected error, redacted, because its own text may hold a secret. */
export function unexpectedText(operation: Operation, error: unknown): string {
  return operation.redact(error instanceof Error ? error.message : "no error object", 300);
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
