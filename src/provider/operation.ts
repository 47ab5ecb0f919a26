import type { ClientContext } from "../api/client.js";
import { oneLine, redact, sensitivePartsOfUrl } from "../common/redact.js";
import type { Settings } from "./config.js";
import type { EngineMonitor, Notify, Severity } from "./engine.js";
import type { RunState } from "./run-state.js";
import type { SharedLists } from "./shared-lists.js";
import type { Properties } from "./values.js";

/** What Pulumi passes with an operation besides the properties of the resource. */
export interface OperationOptions {
  /** Shows a line to the user. */
  readonly notify: Notify;
  /** Identifies the resource. The dynamic adapter does not get it. */
  readonly urn?: string | undefined;
}

/** Everything that an operation needs to send requests. */
export interface Context extends ClientContext {
  readonly settings: Settings;
  readonly runState: RunState;
  readonly sharedLists: SharedLists;
  readonly engineMonitor: EngineMonitor;
  readonly operation: Operation;
}

/** One operation on one webhook: its name in messages, and what it redacts from texts. */
export class Operation {
  /** Such as `Create webhook in database base_abc`. */
  readonly name: string;
  readonly #notify: Notify;
  readonly #sensitiveValues: () => readonly string[];

  /** @param sensitiveValues Returns the values to redact. It is called only for a message. */
  constructor(name: string, notify: Notify, sensitiveValues: () => readonly string[] = () => []) {
    this.name = oneLine(name, 300);
    this.#notify = notify;
    this.#sensitiveValues = sensitiveValues;
  }

  /** Returns the same operation under another name, for an undo. */
  withName(name: string): Operation {
    return new Operation(name, this.#notify, this.#sensitiveValues);
  }

  /** Returns the same operation with more values to redact. */
  withSensitiveValues(values: readonly string[]): Operation {
    const sensitiveValues = () => [...this.#sensitiveValues(), ...values];
    return new Operation(this.name, this.#notify, sensitiveValues);
  }

  /** Redacts a text from outside and makes it fit for one line. */
  redact(text: string, maxLength: number): string {
    return oneLine(redact(text, this.#sensitiveValues()), maxLength);
  }

  /** Shows a line to the user. */
  notify(line: string, severity: Severity = "info"): void {
    this.#notify(oneLine(line, 2_000), severity);
  }

  /** Shows a warning to the user. */
  warn(line: string): void {
    this.notify(line, "warning");
  }
}

/** Returns the values that no message may show, of arguments or a state: secrets, and parts of the url. */
export function sensitiveValues({ url, secret, adopt }: Properties): string[] {
  const adopted = adopt as { secret?: unknown } | null | undefined;
  const isString = (value: unknown) => typeof value === "string";
  return [
    ...[secret, adopted?.secret].filter(isString),
    ...[url].filter(isString).flatMap(sensitivePartsOfUrl),
  ];
}
