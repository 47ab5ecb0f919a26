import { oneLine, redact } from "../common/redact.js";

// Pulumi's provider process breaks on very long messages; 2 kB is far below what it can carry.
const maxMessageLength = 1_900;
const maxLocationLength = 300;

/** What an error is made of; the class joins the parts into one line that is complete alone. */
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

/**
 * Base of all errors of this package.
 *
 * It carries no cause and none of the fields that Pulumi gives a meaning of its own (`id`,
 * `properties`, `reasons`, `code`, `details`, `metadata`).
 */
export class WebhookError extends Error {
  override readonly name: string = "WebhookError";

  constructor(message: string) {
    super(oneLine(message, maxMessageLength));
  }
}

/** The service answered with a status that is not success. */
export class HttpError extends WebhookError {
  override readonly name = "HttpError";
  /** The HTTP status code of the answer. */
  readonly statusCode: number;

  constructor(failure: Failure, statusCode: number) {
    super(messageOf(failure));
    this.statusCode = statusCode;
  }
}

/** No complete answer arrived: no connection, a broken one, or the time limit. */
export class ConnectionError extends WebhookError {
  override readonly name = "ConnectionError";

  constructor(failure: Failure) {
    super(messageOf(failure));
  }
}

/** The answer came with a success status but is not what the interface describes. */
export class ResponseError extends WebhookError {
  override readonly name = "ResponseError";

  constructor(failure: Failure) {
    super(messageOf(failure));
  }
}

/**
 * A webhook exists but is not usable. Pulumi stores it all the same when an error carries these three
 * fields, prints the reasons, and deletes or replaces the webhook in a later run.
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
 * Lets no error out of `run` that could carry more than its message: Pulumi prints the stack of some
 * errors, and gives fields such as `id` and `code` a meaning.
 */
export async function presentErrors<Result>(
  operation: string,
  sensitiveValues: () => readonly string[],
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const presentable =
      error instanceof WebhookError ? error : unexpectedError(operation, error, sensitiveValues());
    presentable.stack = "";
    throw presentable;
  }
}

function unexpectedError(
  operation: string,
  error: unknown,
  sensitiveValues: readonly string[],
): WebhookError {
  const text = error instanceof Error ? error.message : "no error object";
  const reason = oneLine(redact(text, sensitiveValues), maxLocationLength);
  return new WebhookError(
    `${oneLine(operation, maxLocationLength)} failed unexpectedly (${reason}). This is a fault of pulumi-dbwebhooks: look at the service before you run again, and report it.`,
  );
}

function messageOf({ operation, method, url, outcome, advice }: Failure): string {
  const location = oneLine(url.origin + url.pathname, maxLocationLength);
  return `${oneLine(operation, maxLocationLength)} failed: ${method} ${location} ${outcome}. ${advice}`;
}
