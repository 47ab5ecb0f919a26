import { Readable } from "node:stream";
import { type Dispatcher, request } from "undici";
import { onTestFinished } from "vitest";
import { parseJson } from "../../src/common/json.js";
import {
  type LocalService,
  type LocalServiceOptions,
  startLocalService,
} from "../../src/local-service/index.js";
import { temporaryDirectory } from "./directory.js";

/** A local service, in this process or in another. */
type Service = Pick<LocalService, "baseUrl" | "apiKey">;

/** A local service that closes when the test is over. */
export async function startService(options?: LocalServiceOptions): Promise<LocalService> {
  const service = await startLocalService(options);
  onTestFinished(() => service.close());
  return service;
}

/** A file for `data` that does not exist yet. */
export function temporaryFile(): string {
  const directory = temporaryDirectory();
  onTestFinished(() => directory.remove());
  return `${directory.path}/service.db`;
}

export interface RequestChanges {
  readonly method?: Dispatcher.HttpMethod;
  readonly databaseId?: string;
  /** Behind `{base_url}`. */
  readonly path?: string;
  /** `null` sends no Authorization header. */
  readonly apiKey?: string | null;
  readonly headers?: Record<string, string>;
  /** A string or stream as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly dispatcher?: Dispatcher;
  readonly signal?: AbortSignal;
}

export function createWebhook(service: Service, changes: RequestChanges = {}) {
  const path = webhooksPath(changes.databaseId);
  return send(service, { method: "POST", path, body: webhookBody(), ...changes });
}

export function deleteWebhook(service: Service, id: unknown, changes: RequestChanges = {}) {
  const path = `${webhooksPath(changes.databaseId)}/${encodeURIComponent(String(id))}`;
  return send(service, { method: "DELETE", path, ...changes });
}

export function listWebhooks(service: Service, changes: RequestChanges = {}) {
  return send(service, { path: webhooksPath(changes.databaseId), ...changes });
}

/** The body of a creation that the service accepts. */
export function webhookBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { url: "https://example.com/hooks/orders", events: ["record.created"], ...changes };
}

/** Creates a webhook for a receiver; returns its secret. */
export async function subscribe(service: Service, url: string, changes: object = {}) {
  const { json } = await createWebhook(service, { body: webhookBody({ url, ...changes }) });
  return json.secret as string;
}

export async function send(service: Service, changes: RequestChanges) {
  const { method = "GET", path = "/", apiKey = service.apiKey, headers, body } = changes;
  const isRaw = body === undefined || typeof body === "string" || body instanceof Readable;
  const answer = await request(`${service.baseUrl}${path}`, {
    method,
    headers: {
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: isRaw ? (body as string) : JSON.stringify(body),
    ...(changes.dispatcher && { dispatcher: changes.dispatcher }),
    ...(changes.signal && { signal: changes.signal }),
  });
  const text = await answer.body.text();
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they expect.
  const json = parseJson(text) as any;
  return { statusCode: answer.statusCode, headers: answer.headers, text, json };
}

function webhooksPath(databaseId = "base_1"): string {
  return `/api/v1/bases/${encodeURIComponent(databaseId)}/webhooks`;
}
