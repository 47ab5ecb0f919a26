// An operation on a webhook, and what it gets when it runs.
import type { ClientContext, WebhookList } from "../../api/client.js";
import type { Transport } from "../../api/transport.js";
import type { SensitiveSources } from "../../common/redaction.js";
import type { Settings, SettingsResult } from "../rules/settings.js";
import type { EngineMonitor } from "./engine-monitor.js";
import type { ErrorKind } from "./errors.js";
import type { KnownWebhooks } from "./known-webhooks.js";
import type { Notify, Reporter } from "./reporter.js";

/** What Pulumi passes with an operation besides the properties of the resource. */
export interface OperationOptions {
  readonly notify: Notify;
  /** Identifies the resource. The dynamic adapter does not get it. */
  readonly urn?: string | undefined;
}

/** What every operation has. */
export interface LocalContext {
  readonly settingsResult: SettingsResult;
  readonly knownWebhooks: KnownWebhooks;
  readonly reporter: Reporter;
  readonly urn: string | undefined;
}

/** What a text of a message needs. It cannot send anything. */
export interface MessageContext {
  readonly settings: Settings;
  readonly reporter: Reporter;
}

/** Sends the requests of an account. */
export type SomeTransport = Pick<Transport, "sendWithRetries" | "undoSender">;

/** What an operation has that sends requests. */
export interface Context extends LocalContext, ClientContext {
  readonly settings: Settings;
  readonly transport: SomeTransport;
  readonly engineMonitor: EngineMonitor;
  /** The lists that refreshes have requested, by database. */
  readonly refreshLists: Map<string, Promise<WebhookList>>;
}

/** The kinds of errors of operations that send nothing because of invalid settings. */
export type InvalidSettingsKind = Extract<ErrorKind, "notCreated" | "notDeleted" | "unchanged">;

/**
 * An operation on a webhook: its name in messages, what it does, and what it does with invalid
 * settings.
 */
export interface Operation<Request, Result> {
  /** Such as `Create webhook in database base_abc`. */
  readonly name: (request: Request) => string;
  /** Returns what its messages must not show, besides the API key. */
  readonly sensitive: (request: Request) => SensitiveSources;
  readonly run: (context: Context, request: Request) => Result | Promise<Result>;
  /**
   * Runs in place of `run` if the settings are not valid, or the kind of the error that this is.
   */
  readonly onInvalidSettings:
    | InvalidSettingsKind
    | ((context: LocalContext, request: Request) => Result);
}

/** Defines an operation that sends nothing, and does the same with invalid settings. */
export function localOperation<Request, Result>(
  definition: Pick<Operation<Request, Result>, "name" | "sensitive"> & {
    readonly run: (context: LocalContext, request: Request) => Result;
  },
): Operation<Request, Result> {
  return { ...definition, onInvalidSettings: definition.run };
}
