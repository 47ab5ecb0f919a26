import type { Account, CallContext } from "../api/client.js";
import type { Deadline, Wait } from "../api/transport.js";
import { oneLine, redact } from "../common/redact.js";
import type { Settings } from "./config.js";
import type { Engine } from "./engine.js";
import { waitLine } from "./messages.js";
import type { Ledger } from "./run-state.js";

/** What an operation that talks to the service works with. */
export interface Context {
  readonly account: Account & { readonly settings: Settings };
  readonly ledger: Ledger;
  readonly engine: Engine;
  readonly operation: Operation;
}

/** How much a line matters to the user. */
export type Severity = "info" | "warning";

/** Shows one line to the user. */
export type Notify = (line: string, severity: Severity) => void;

/**
 * One operation on one webhook: what messages call it, which values they must not show, where they go,
 * and how long it may take.
 */
export class Operation {
  /** What messages call it, such as `Create webhook in database base_abc`. */
  readonly name: string;
  /** The time that it may take; absent without a limit of its own. */
  readonly deadline: Deadline | undefined;
  readonly #notify: Notify;
  readonly #hidden: () => readonly string[];

  /** @param hidden Gives the values that no message may show. It is called only for a message. */
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

  /** The same operation without its time limit, for what follows on it. */
  withoutTimeLimit(name = this.name): Operation {
    return new Operation(name, this.#notify, this.#hidden);
  }

  /** The same operation with a further value that no message may show. */
  hiding(value: string | undefined): Operation {
    const hidden = () => [...this.#hidden(), ...(value === undefined ? [] : [value])];
    return new Operation(this.name, this.#notify, hidden, this.deadline);
  }

  context(settings: Settings): CallContext {
    const onWait = (wait: Wait) => this.notify(waitLine(settings, wait));
    return { deadline: this.deadline, onWait };
  }

  /** Removes what may not be shown from a text from outside, and makes it fit for one line. */
  redact(text: string, maxLength: number): string {
    return oneLine(redact(text, this.#hidden()), maxLength);
  }

  notify(line: string | undefined, severity: Severity = "info"): void {
    if (line !== undefined) {
      this.#notify(oneLine(line, 2_000), severity);
    }
  }

  warn(line: string | undefined): void {
    this.notify(line, "warning");
  }
}
