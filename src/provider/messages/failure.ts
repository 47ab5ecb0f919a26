import { type ErrorKind, WebhookError } from "../command/errors.js";
import type { Reporter } from "../command/reporter.js";
import { adviceText } from "./advice.js";
import { type Failure, failures } from "./failure-table.js";
import { bugText, sentences } from "./sentences.js";

/** What a failure of each kind means for the webhook. */
export const consequenceTexts: Readonly<Record<ErrorKind, string>> = {
  notCreated: "No webhook was created.",
  inDoubt: "If the service has created a webhook, its secret is not stored.",
  undone: "The new webhook was deleted.",
  leftBehind: "The webhook is not in the state.",
  notDeleted: "The webhook stays in the state.",
  unchanged: "Nothing was changed.",
  fault: bugText,
};

type Failures = typeof failures;

/** The name of a failure in the table. */
export type FailureName = keyof Failures;

/** Returns the error for a failure of an operation. */
export function failure<Name extends FailureName>(
  name: Name,
  reporter: Reporter,
  ...facts: Parameters<Failures[Name]>
): WebhookError {
  const describe = failures[name] as (...args: Parameters<Failures[Name]>) => Failure;
  const failed = describe(...facts);
  const { kind, cause } = failed;
  const text = sentences(
    `${reporter.operationName} failed: ${cause.replace(/\.$/, "")}.`,
    consequenceTexts[kind],
    adviceText(failed),
  );
  return new WebhookError(kind, text);
}

/**
 * Returns an error as it is if its message is safe to show, or else the error for a fault of this
 * package.
 */
export function webhookErrorOf(error: unknown, reporter: Reporter): WebhookError {
  return error instanceof WebhookError ? error : failure("fault", reporter, reporter, error);
}
