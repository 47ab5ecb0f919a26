// The webhooks in the state of Pulumi.
import { parseBaseUrl } from "../../common/url-rules.js";
import type { Properties } from "./values.js";

/**
 * The outputs of a webhook in the state. Whoever can write the state can edit it, so every field
 * can be missing.
 */
export interface WebhookState {
  readonly databaseId: string | undefined;
  readonly url: string | undefined;
  readonly events: readonly string[] | undefined;
  readonly tableId: string | undefined;
  /** Normalized. `undefined` if the state holds no valid one. */
  readonly baseUrl: string | undefined;
  readonly secret: string | undefined;
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
  return { id, props, state: parseState(props) };
}

function parseState(props: Properties): WebhookState {
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
  };
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
