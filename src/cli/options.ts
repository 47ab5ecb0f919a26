import type { Option } from "./arguments.js";

/** Where `serve` listens, and where `emit` looks for it, unless told otherwise. */
export const defaultPort = 8787;
/** The key that `serve` knows, and that `emit` sends, unless told otherwise. */
export const defaultApiKey = "local-api-key";

/** Whether a header can carry it as a key. */
export function isApiKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** The options of `serve`. */
export const serveOptions = {
  port: {
    type: "string",
    value: "PORT",
    description: `TCP port, 0 for any free one. Default: ${defaultPort}.`,
  },
  host: {
    type: "string",
    value: "ADDRESS",
    description: "Address to listen on. Default: 127.0.0.1.",
  },
  "allow-remote": {
    type: "boolean",
    description: "Allows a --host that others can reach. Keys and secrets then travel in clear.",
  },
  "api-key": {
    type: "string",
    multiple: true,
    value: "KEY[=DATABASE,…]",
    description: `API key, for all databases or for those named. Repeatable. Default: ${defaultApiKey}.`,
  },
  data: {
    type: "string",
    value: "FILE",
    description: "Keeps webhooks and pending deliveries in this file. Default: memory.",
  },
  listing: {
    type: "boolean",
    description: "Answers the list operation.",
  },
  "rate-limit": {
    type: "string",
    value: "NUMBER",
    description: "Requests per second of each key. Default: no limit.",
  },
  "deliver-to": {
    type: "string",
    value: "ORIGIN",
    description: "Sends all notifications to this origin; paths stay as they are.",
  },
  "allow-unknown-events": {
    type: "boolean",
    description: "Takes event kinds beyond the nine.",
  },
} as const satisfies Readonly<Record<string, Option>>;

/** The options of `emit`. */
export const emitOptions = {
  database: {
    type: "string",
    value: "ID",
    description: "Database in which it happens. Required.",
  },
  table: {
    type: "string",
    value: "ID",
    description: "Table that it is about. Default: none.",
  },
  data: {
    type: "string",
    value: "JSON",
    description: "Data of the notification, an object. Default: made up.",
  },
  id: {
    type: "string",
    value: "ID",
    description: "Identifier of the event. Default: a new one.",
  },
  wait: {
    type: "string",
    value: "SECONDS",
    description: "How long to wait for the deliveries, 0 to 600. Default: 10.",
  },
  url: {
    type: "string",
    value: "URL",
    description: `Base URL of the service. Default: DBWEBHOOKS_BASE_URL, or http://127.0.0.1:${defaultPort}.`,
  },
  "api-key": {
    type: "string",
    value: "KEY",
    description: `A key of the service. Default: DBWEBHOOKS_API_KEY, or ${defaultApiKey}; needed for an address that is neither loopback nor DBWEBHOOKS_BASE_URL over https.`,
  },
} as const satisfies Readonly<Record<string, Option>>;
