import { oneLine } from "../../common/plain-text.js";

// UTF-16 code units. Pulumi's provider process breaks on messages of 100 kB and more.
const maxMessageLength = 1_900;

/**
 * The state in which a failed operation has left the webhook. Each message ends with its kind in
 * brackets, for programs that read logs.
 *
 * `notCreated`: there is no new webhook. `inDoubt`: there may be a webhook whose secret was not
 * stored. `undone`: a webhook was created and then deleted. `leftBehind`: a webhook exists that is
 * not in the state. `notDeleted`: a deletion failed, and the webhook stays in the state.
 * `unchanged`: the request was refused, and nothing has changed. `fault`: a bug of this package.
 */
export type ErrorKind =
  | "notCreated"
  | "inDoubt"
  | "undone"
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
  readonly #summary: string;

  /** @param summary The error in a few words. Default: the whole text. */
  constructor(kind: ErrorKind, text: string, summary = text) {
    const end = ` [${kind}]`;
    super(oneLine(text, maxMessageLength - end.length) + end);
    this.kind = kind;
    this.#summary = oneLine(summary, maxMessageLength - end.length) + end;
    // Pulumi prints the stack of some errors.
    this.stack = "";
  }

  /**
   * Returns the summary, because Pulumi's provider process prints this text besides the message.
   */
  override toString(): string {
    return this.#summary;
  }
}
