// What Pulumi stores of a webhook.
import type { NewWebhook, WebhookRef } from "../../api/client.js";
import { isIdentifier, webhookIdOf } from "../../common/identifier.js";
import { parseBaseUrl } from "../../common/url-rules.js";
import type { Properties } from "./values.js";

/** Identifies a webhook across services. */
export interface WebhookAddress extends WebhookRef {
  readonly baseUrl: string;
}

/**
 * What Pulumi stores of a webhook, or the arguments among it. Whoever can write the state can edit
 * it, so every field can be missing.
 */
export type WebhookState = {
  readonly [Name in keyof NewWebhook]?: NewWebhook[Name] | undefined;
} & {
  /** Normalized. `undefined` if the state holds no valid one. */
  readonly baseUrl?: string | undefined;
  readonly secret?: string | undefined;
};

/** Reads the outputs or the arguments of a webhook. */
export function parseProperties(props: Properties): WebhookState {
  const { events } = props;
  const text = (name: string) => {
    const value = props[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  return {
    databaseId: text("databaseId"),
    url: text("url"),
    events: isTextList(events) ? events : undefined,
    tableId: text("tableId"),
    baseUrl: parseBaseUrl(text("baseUrl")),
    secret: text("secret"),
    // A field that is missing here would be a difference in every update.
  } satisfies Record<keyof WebhookState, unknown>;
}

/** An entry of the state. */
export interface StateEntry {
  readonly id: string;
  /** The outputs as Pulumi passes them, to be returned unchanged. */
  readonly props: Properties;
  readonly state: WebhookState;
}

/** Reads an entry of the state, once for the whole operation. */
export function parseStateEntry(id: string, props: Properties): StateEntry {
  return { id, props, state: parseProperties(props) };
}

/**
 * Returns where a webhook is, or `undefined` if its id and its state do not say so, because
 * somebody has edited them.
 */
export function addressOf(webhook: StateEntry): WebhookAddress | undefined {
  const id = webhookIdOf(webhook.id);
  const { databaseId = "", baseUrl } = webhook.state;
  return id !== undefined && baseUrl !== undefined && isIdentifier(databaseId)
    ? { baseUrl, databaseId, id }
    : undefined;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
