// An operation on a webhook, and what it gets when it runs.
import type { ClientContext } from "../../api/client.js";
import type { Send } from "../../api/transport.js";
import type { SensitiveSources } from "../../common/redaction.js";
import type { Settings, SettingsResult } from "../rules/settings.js";
import type { KnownWebhooks } from "./known-webhooks.js";
import type { Notify, Reporter } from "./reporter.js";

/** What Pulumi passes with an operation besides the properties of the resource. */
export interface OperationOptions {
  readonly notify: Notify;
  /** Identifies the resource. The dynamic adapter does not get it. */
  readonly urn?: string | undefined;
}

/** What every operation has. */
interface CommonContext {
  readonly knownWebhooks: KnownWebhooks;
  readonly reporter: Reporter;
  readonly urn: string | undefined;
}

/** What an operation has that sends nothing. */
interface LocalContext extends CommonContext {
  readonly settingsResult: SettingsResult;
}

/** What an operation has that needs the settings of an account. */
export interface Context extends CommonContext, ClientContext {
  readonly settings: Settings;
  /** Sends a request even after a stop, to delete a webhook that was just created. */
  readonly sendUndo: Send;
}

/** What a text of a message needs. It cannot send anything. */
export interface MessageContext {
  readonly settings: Settings;
  readonly reporter: Reporter;
}

/** What is said of every operation on a webhook. */
interface OperationTexts<Request> {
  /** Such as `Create webhook in database base_abc`. */
  readonly name: (request: Request) => string;
  /** Returns what its messages must not show, besides the API key. */
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
