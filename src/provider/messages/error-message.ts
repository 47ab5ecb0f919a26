import { type ErrorKind, WebhookError } from "../command/errors.js";
import type { Reporter } from "../command/reporter.js";
import { adviceText } from "./advice.js";
import { type Failure, failures } from "./failures.js";
import { bugText, sentences } from "./sentences.js";
import { see } from "./troubleshooting.js";

/** The consequence of each kind of failure for the webhook. */
export const consequenceTexts: Readonly<Record<ErrorKind, string>> = {
  notCreated: "No webhook was created.",
  inDoubt: "If the service has created a webhook, its secret is not stored.",
  undone: "The new webhook was deleted.",
  leftBehind: "The webhook is not in the state.",
  notDeleted: "The webhook stays in the state.",
  unchanged: "Nothing was changed.",
  fault: bugText,
};

/**
 * The last resort after each kind of failure: the way that is left if the next step does not help.
 * It is about one webhook, and takes no other along.
 */
const lastResortTexts: Readonly<Partial<Record<ErrorKind, string>>> = {
  notDeleted: sentences(
    `If the webhook is certainly gone, "pulumi state delete" removes it from the state.`,
    `If it was replaced, remove only the pending deletion. ${see("Remove a pending deletion from the state")}`,
  ),
};

/** Returns the error for a failure of an operation. */
export function failed(reporter: Reporter, failure: Failure): WebhookError {
  const { operationName } = reporter;
  const { kind, cause, causeAdvice } = failure;
  const text = sentences(
    `${operationName} failed: ${cause}.`,
    causeAdvice,
    consequenceTexts[kind],
    adviceText(failure),
    lastResortTexts[kind],
  );
  return new WebhookError(kind, text, `${operationName} failed`);
}

/**
 * Returns an error as it is if its message is safe to show, or else the error for a fault of this
 * package.
 */
export function webhookErrorOf(error: unknown, reporter: Reporter): WebhookError {
  return error instanceof WebhookError ? error : failed(reporter, failures.fault(reporter, error));
}
