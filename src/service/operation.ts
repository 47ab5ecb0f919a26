import { oneLine, redact } from "../common/redact.js";
import type { TimeLimit } from "./time-limit.js";

/** How much a line matters to the person who runs Pulumi. */
export type Severity = "info" | "warning";

/** Shows one line to the person who runs Pulumi. */
export type Notify = (line: string, severity: Severity) => void;

const maxLineLength = 2_000;

/**
 * One operation on one webhook: what messages call it, which values they must not show, and where
 * they go.
 */
export class Operation {
  /** The time that it may take; absent without a limit of its own. */
  readonly timeLimit: TimeLimit | undefined;
  readonly #name: string;
  readonly #notify: Notify;
  readonly #hidden: () => readonly string[];

  /** @param hidden Gives the values that no message may show. It is called only for a message. */
  constructor(
    name: string,
    notify: Notify,
    hidden: () => readonly string[] = () => [],
    timeLimit?: TimeLimit,
  ) {
    this.#name = name;
    this.timeLimit = timeLimit;
    this.#notify = notify;
    this.#hidden = hidden;
  }

  /** What messages call it, such as `Create webhook in database base_abc`. */
  get name(): string {
    return oneLine(this.#name, 300);
  }

  /** The same operation without its time limit, for what follows on it. */
  withoutTimeLimit(name = this.#name): Operation {
    return new Operation(name, this.#notify, this.#hidden);
  }

  /** The same operation with a further value that no message may show. */
  hiding(value: string | undefined): Operation {
    const hidden = () => [...this.#hidden(), ...(value === undefined ? [] : [value])];
    return new Operation(this.name, this.#notify, hidden, this.timeLimit);
  }

  /** Removes what may not be shown from a text from outside, and makes it fit for one line. */
  redact(text: string, maxLength: number): string {
    return oneLine(redact(text, this.#hidden()), maxLength);
  }

  /** Shows a line of information, if there is one. */
  notify(line: string | undefined): void {
    this.#show(line, "info");
  }

  /** Shows a line that asks for attention, if there is one. */
  warn(line: string | undefined): void {
    this.#show(line, "warning");
  }

  #show(line: string | undefined, severity: Severity): void {
    if (line !== undefined) {
      this.#notify(oneLine(line, maxLineLength), severity);
    }
  }
}
