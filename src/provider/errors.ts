import { oneLine } from "../common/redact.js";

// UTF-16 units. Pulumi's provider process breaks on very long messages, of 100 kB and more.
const maxMessageLength = 1_900;

/**
 * What a failed operation has left behind. Each message ends with its kind in brackets, for whoever
 * reads it in a log by machine.
 *
 * `notCreated`: there is no new webhook. `inDoubt`: there may be one, without a stored secret. `undone`:
 * there was one, and it was deleted again. `partial`: there is one, in the state without its secret.
 * `leftBehind`: there is one, and the state does not have it. `kept`: a deletion did not succeed, and
 * the webhook stays in the state. `notAdopted`, `notImported`, `conflict`, `invalid`: nothing was
 * changed. `fault`: this package is wrong.
 */
export type ErrorKind =
  | "notCreated"
  | "inDoubt"
  | "undone"
  | "partial"
  | "leftBehind"
  | "kept"
  | "notAdopted"
  | "notImported"
  | "conflict"
  | "invalid"
  | "fault";

/**
 * An error whose message is one line, complete and fit to be shown.
 *
 * It carries no cause and none of the fields that Pulumi gives a meaning of its own (`id`,
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

  constructor(id: string, properties: Readonly<Record<string, unknown>>, text: string) {
    super("partial", text);
    this.id = id;
    this.properties = properties;
    this.reasons = [this.message];
  }

  /** The same error about what a shell stores in its own way. */
  storedAs(id: string, properties: Readonly<Record<string, unknown>>): PartialCreationError {
    const copy = new PartialCreationError(id, properties, "");
    return Object.assign(copy, { message: this.message, reasons: this.reasons });
  }
}
