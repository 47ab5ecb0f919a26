import type { ClientContext } from "../api/client.js";
import type { Deadline } from "../api/transport.js";
import { oneLine, redact } from "../common/redact.js";
import type { Settings } from "./config.js";
import type { Engine, Notify, Severity } from "./engine.js";
import type { RunState } from "./run-state.js";

/** Everything that an operation needs to send requests. */
export interface Context extends ClientContext {
  readonly settings: Settings;
  readonly runState: RunState;
  readonly engine: Engine;
  readonly operation: Operation;
}

/** One operation on one webhook: its name in messages, the values that they must not show, its deadline. */
export class Operation {
  /** Such as `Create webhook in database base_abc`. */
  readonly name: string;
  /** The option `customTimeouts` of the resource, if it is set. */
  readonly deadline: Deadline | undefined;
  readonly #notify: Notify;
  readonly #hidden: () => readonly string[];

  /** @param hidden Returns the values that no message may show. It is called only for a message. */
  constructor(
    name: string,
    notify: Notify,
    hidden: () => readonly string[] = () => [],
    deadline?: Deadline,
  ) {
    this.name = oneLine(name, 300);
    this.deadline = deadline;
    this.#notify = notify;
    this.#hidden = hidden;
  }

  /** Returns the same operation under another name and without a deadline, for what must follow it. */
  withoutDeadline(name = this.name): Operation {
    return new Operation(name, this.#notify, this.#hidden);
  }

  /** Returns the same operation with one more value that no message may show. */
  hiding(value = ""): Operation {
    const hidden = () => [...this.#hidden(), value];
    return new Operation(this.name, this.#notify, hidden, this.deadline);
  }

  /** Redacts a text from outside and makes it fit for one line. */
  redact(text: string, maxLength: number): string {
    return oneLine(redact(text, this.#hidden()), maxLength);
  }

  /** Shows a line to the user, if there is one. */
  notify(line: string | undefined, severity: Severity = "info"): void {
    if (line !== undefined) {
      this.#notify(oneLine(line, 2_000), severity);
    }
  }

  /** Shows a warning to the user, if there is one. */
  warn(line: string | undefined): void {
    this.notify(line, "warning");
  }
}
