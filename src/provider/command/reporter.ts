import { oneLine } from "../../common/plain-text.js";
import { redact, type SensitiveSources, sensitiveValues } from "../../common/redaction.js";

/** How much a line matters to the user. */
export type Severity = "info" | "warning";

/** Shows one line to the user. */
export type Notify = (line: string, severity: Severity) => void;

/** Reports on one operation: names it, shows lines to the user, and redacts texts from outside. */
export class Reporter {
  /** Such as `Create webhook in database base_abc`. */
  readonly operationName: string;
  readonly #notify: Notify;
  readonly #shown: Set<string>;
  readonly #sensitive: () => readonly SensitiveSources[];

  /**
   * @param shown What any reporter has shown once.
   * @param sensitive Returns what to redact. It is called only for a message.
   */
  constructor(
    operationName: string,
    notify: Notify,
    shown: Set<string>,
    sensitive: () => readonly SensitiveSources[],
  ) {
    this.operationName = oneLine(operationName, 300);
    this.#notify = notify;
    this.#shown = shown;
    this.#sensitive = sensitive;
  }

  /** Returns a reporter that redacts more. */
  alsoRedacting(sources: SensitiveSources): Reporter {
    const sensitive = () => [...this.#sensitive(), sources];
    return new Reporter(this.operationName, this.#notify, this.#shown, sensitive);
  }

  /** Redacts a text from outside and makes it fit for one line. */
  redact(text: string, maxLength: number): string {
    return oneLine(redact(text, this.#sensitive().flatMap(sensitiveValues)), maxLength);
  }

  notify(line: string, severity: Severity = "info"): void {
    this.#notify(oneLine(line, 2_000), severity);
  }

  warn(line: string): void {
    this.notify(line, "warning");
  }

  /**
   * Notes that a line with this key is shown. Returns whether it is the first one of the command, in
   * which Pulumi calls an operation several times.
   */
  noteShown(key: string): boolean {
    const isFirst = !this.#shown.has(key);
    this.#shown.add(key);
    return isFirst;
  }
}
