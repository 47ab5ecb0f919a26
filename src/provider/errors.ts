import { oneLine } from "../common/redact.js";

// UTF-16 code units. Pulumi's provider process breaks on messages of 100 kB and more.
const maxMessageLength = 1_900;

/**
 * What a failed operation has left behind. Each message ends with its kind in brackets, for programs that
 * read logs.
 *
 * `notCreated`: there is no new webhook. `inDoubt`: there may be a webhook whose secret was not stored.
 * `undone`: a webhook was created and then deleted. `partial`: a webhook is in the state without its
 * secret. `leftBehind`: a webhook exists that is not in the state. `notDeleted`: a deletion failed, and the
 * webhook stays in the state. `unchanged`: the request was refused, and nothing has changed. `fault`: a
 * bug of this package.
 */
export type ErrorKind =
  | "notCreated"
  | "inDoubt"
  | "undone"
  | "partial"
  | "leftBehind"
  | "notDeleted"
  | "unchanged"
  | "fault";

/**
 * An error whose message is one complete line that is safe to show.
 *
 * It carries no cause and none of the fields to which Pulumi gives a meaning of its own (`id`,
 * `properties`, `reasons`, `code`, `details`, `metadata`).
 */
export class WebhookError extends Error {
  override readonly name: string = "WebhookError";
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, text: string) {
    const end = ` [${kind}]`;
    super(oneLine(text, maxMessageLength - end.length) + end);
    this.kind = kind;
    // Pulumi prints the stack of some errors.
    this.stack = "";
  }

  /** Returns the message alone, because Pulumi's provider process shows this text to the user. */
  override toString(): string {
    return this.message;
  }
}

/**
 * A webhook exists but is not usable. Pulumi stores it when an error carries these three fields, prints
 * the reasons, and replaces or deletes the webhook in a later run.
 */
export class PartialCreationError extends WebhookError {
  override readonly name = "PartialCreationError";
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly reasons: readonly string[];

  constructor(id: string, properties: Readonly<Record<string, unknown>>, text: string) {
    super("partial", text);
    this.id = id;
    this.properties = properties;
    this.reasons = [this.message];
  }

  /** Returns the same error with the id and the properties that an adapter stores. */
  storedAs(id: string, properties: Readonly<Record<string, unknown>>): PartialCreationError {
    const copy = new PartialCreationError(id, properties, "");
    return Object.assign(copy, { message: this.message, reasons: this.reasons });
  }
}
