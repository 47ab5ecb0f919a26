import { oneLine } from "../common/redact.js";
import type { Operation } from "./operation.js";

// UTF-16 units. Pulumi's provider process breaks on very long messages, of 100 kB and more.
const maxMessageLength = 1_900;
const maxLocationLength = 300;

/** What a message about a request that failed is made of. */
export interface Failure {
  /** What was being done, such as `Create webhook in database base_abc`. */
  readonly operation: string;
  /** The HTTP method. */
  readonly method: string;
  /** The address; only its origin and path are ever shown. */
  readonly url: URL;
  /** What happened, such as `answered 401`. */
  readonly outcome: string;
  /** What the reader can do about it, as full sentences. */
  readonly advice: string;
}

/** A failure as one line that is complete alone. */
export function failureText({ operation, method, url, outcome, advice }: Failure): string {
  const location = oneLine(url.origin + url.pathname, maxLocationLength);
  return oneLine(
    `${operation} failed: ${method} ${location} ${outcome}. ${advice}`,
    maxMessageLength,
  );
}

/**
 * An error whose message is one line, complete and fit to be shown.
 *
 * It carries no cause and none of the fields that Pulumi gives a meaning of its own (`id`,
 * `properties`, `reasons`, `code`, `details`, `metadata`).
 */
export class WebhookError extends Error {
  override readonly name: string = "WebhookError";

  constructor(message: string | Failure) {
    super(oneLine(typeof message === "string" ? message : failureText(message), maxMessageLength));
  }

  /** The message alone: Pulumi's provider process prints errors as text, for people. */
  override toString(): string {
    return this.message;
  }
}

/**
 * A webhook exists but is not usable. Pulumi stores it when an error carries these three fields,
 * prints the reasons, and deletes or replaces the webhook in a later run.
 */
export class PartialCreationError extends WebhookError {
  override readonly name = "PartialCreationError";
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly reasons: readonly string[];

  constructor(id: string, properties: Readonly<Record<string, unknown>>, reason: string) {
    super(reason);
    this.id = id;
    this.properties = properties;
    this.reasons = [this.message];
  }
}

/**
 * Makes an error fit to leave this package: Pulumi prints the stack of some errors, and gives fields
 * such as `id` and `code` a meaning.
 */
export function presentable(error: unknown, operation: Operation): WebhookError {
  const shown = error instanceof WebhookError ? error : unexpectedError(error, operation);
  shown.stack = "";
  return shown;
}

function unexpectedError(error: unknown, operation: Operation): WebhookError {
  const text = error instanceof Error ? error.message : "no error object";
  const reason = operation.redact(text, maxLocationLength);
  return new WebhookError(
    `${operation.name} failed unexpectedly (${reason}). This is a fault of pulumi-dbwebhooks: look at the service before you run the command again, and report the fault.`,
  );
}
