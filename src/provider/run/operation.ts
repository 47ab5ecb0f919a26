import type { ClientContext, WebhookList } from "../../api/client.js";
import { oneLine } from "../../common/plain-text.js";
import { redact, sensitivePartsOfUrl } from "../../common/redact.js";
import type { ConfigResult, ConfigSource, Settings } from "../rules/config.js";
import type { Properties } from "../rules/values.js";
import type { EngineMonitor, Notify, Severity } from "./engine-monitor.js";
import type { ErrorKind } from "./errors.js";
import type { KnownWebhooks } from "./known-webhooks.js";

/** What Pulumi passes with an operation besides the properties of the resource. */
export interface OperationOptions {
  /** Shows a line to the user. */
  readonly notify: Notify;
  /** Identifies the resource. The dynamic adapter does not get it. */
  readonly urn?: string | undefined;
}

/** What every operation has. */
export interface LocalContext {
  readonly config: ConfigResult;
  readonly knownWebhooks: KnownWebhooks;
  readonly operation: Operation;
  readonly urn: string | undefined;
  readonly environment: ConfigSource["environment"];
}

/** What an operation has that sends requests. */
export interface Context extends LocalContext, ClientContext {
  readonly settings: Settings;
  readonly engineMonitor: EngineMonitor;
  /** The lists that refreshes have requested, by database. */
  readonly refreshLists: Map<string, Promise<WebhookList>>;
}

/**
 * What an operation on a webhook is: its name in messages, what it does, and what it does with
 * invalid settings.
 */
export interface OperationDefinition<Request, Result> {
  /** Such as `Create webhook in database base_abc`. */
  readonly name: (request: Request) => string;
  /** Returns the arguments or the state whose secrets its messages redact. */
  readonly sensitive: (request: Request, environment: LocalContext["environment"]) => Properties;
  /** Whether it creates a webhook. Signals do not end the process meanwhile. */
  readonly isCreation?: boolean;
  readonly run: (context: Context, request: Request) => Result | Promise<Result>;
  /**
   * Runs in place of `run` if the settings are not valid, or the kind of the error that this is.
   */
  readonly onInvalidSettings: ErrorKind | ((context: LocalContext, request: Request) => Result);
}

/** Defines an operation that sends nothing, and does the same with invalid settings. */
export function localOperation<Request, Result>(
  definition: Pick<OperationDefinition<Request, Result>, "name" | "sensitive"> & {
    readonly run: (context: LocalContext, request: Request) => Result;
  },
): OperationDefinition<Request, Result> {
  return { ...definition, onInvalidSettings: definition.run };
}

/** One operation on one webhook: its name in messages, and what it redacts from texts. */
export class Operation {
  /** Such as `Create webhook in database base_abc`. */
  readonly name: string;
  readonly #notify: Notify;
  readonly #shown: Set<string>;
  readonly #sensitiveValues: () => readonly string[];

  /**
   * @param shown What was shown once, by all operations.
   * @param sensitiveValues Returns the values to redact. It is called only for a message.
   */
  constructor(
    name: string,
    notify: Notify,
    shown: Set<string>,
    sensitiveValues: () => readonly string[],
  ) {
    this.name = oneLine(name, 300);
    this.#notify = notify;
    this.#shown = shown;
    this.#sensitiveValues = sensitiveValues;
  }

  /** Returns the same operation with more values to redact. */
  withSensitiveValues(values: readonly string[]): Operation {
    const sensitiveValues = () => [...this.#sensitiveValues(), ...values];
    return new Operation(this.name, this.#notify, this.#shown, sensitiveValues);
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

  /**
   * Shows a line, but only once per process: Pulumi calls an operation several times.
   *
   * @param about Tells lines apart.
   */
  notifyOnce(about: string, line: string): void {
    this.#once(about, () => this.notify(line));
  }

  /**
   * Shows a warning, but only once per process.
   *
   * @param about Tells warnings apart. The line is made only if it is shown.
   */
  warnOnce(about: string, line = () => about): void {
    this.#once(about, () => this.warn(line()));
  }

  #once(about: string, show: () => void): void {
    if (!this.#shown.has(about)) {
      this.#shown.add(about);
      show();
    }
  }
}

/**
 * Returns the values that no message may show, of arguments or a state: the secret, and parts of
 * the url.
 */
export function sensitiveValues({ url, secret }: Properties): string[] {
  const isString = (value: unknown) => typeof value === "string";
  return [...[secret].filter(isString), ...[url].filter(isString).flatMap(sensitivePartsOfUrl)];
}
