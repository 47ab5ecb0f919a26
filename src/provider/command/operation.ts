// An operation on a webhook, and its context when it runs.
import type { ClientContext } from "../../api/client.js";
import type { Send } from "../../api/transport.js";
import type { SensitiveSources } from "../../common/redaction.js";
import type { Settings, SettingsResult } from "../rules/settings.js";
import type { EngineMonitor } from "./engine-monitor.js";
import type { KnownWebhooks } from "./known-webhooks.js";
import type { Notify, Reporter } from "./reporter.js";
import type { RefreshLists } from "./webhook-lists.js";

/** The options with which Pulumi calls an operation, besides the properties of the resource. */
export interface OperationOptions {
  readonly notify: Notify;
  /** Identifies the resource. The dynamic adapter does not get it. */
  readonly urn?: string | undefined;
}

/** The context of every operation. */
interface CommonContext {
  readonly knownWebhooks: KnownWebhooks;
  readonly reporter: Reporter;
  readonly urn: string | undefined;
}

/** The context of an operation that sends nothing. */
interface LocalContext extends CommonContext {
  readonly settingsResult: SettingsResult;
}

/** The context of an operation that needs the settings of an account. */
export interface Context extends CommonContext, ClientContext {
  readonly settings: Settings;
  readonly engineMonitor: EngineMonitor;
  readonly refreshLists: RefreshLists;
  /** Sends a request even after a stop, to delete a webhook that was just created. */
  readonly sendUndo: Send;
}

/** The context of a message, with which nothing can be sent. */
export interface MessageContext {
  readonly settings: Settings;
  readonly reporter: Reporter;
}

/** The name of an operation, and the values that its messages must not show. */
interface OperationTexts<Request> {
  /** The operation in messages, such as `Create webhook in database base_abc`. */
  readonly name: (request: Request) => string;
  /** The sensitive values besides the API key. */
  readonly sensitive: (request: Request) => SensitiveSources;
}

/** An operation that sends nothing, and does not need the settings of an account. */
export interface LocalOperation<Request, Result> extends OperationTexts<Request> {
  readonly kind: "local";
  readonly run: (context: LocalContext, request: Request) => Result;
}

export type AccountOperationKind = "create" | "read" | "import" | "delete";

/** An operation that fails with invalid settings. */
export interface AccountOperation<Request, Result> extends OperationTexts<Request> {
  readonly kind: AccountOperationKind;
  readonly run: (context: Context, request: Request) => Result | Promise<Result>;
}

export type Operation<Request, Result> =
  | LocalOperation<Request, Result>
  | AccountOperation<Request, Result>;
