import { type Dispatcher, request } from "undici";
import { onTestFinished } from "vitest";
import {
  type LocalService,
  type LocalServiceOptions,
  startLocalService,
} from "../../src/local-service/index.js";

/** A local service that closes when the test is over. */
export async function startService(options?: LocalServiceOptions): Promise<LocalService> {
  const service = await startLocalService(options);
  onTestFinished(() => service.close());
  return service;
}

export interface Answer {
  readonly statusCode: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  readonly text: string;
  /** The body, parsed; `undefined` when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they expect.
  readonly json: any;
}

export interface RequestChanges {
  readonly method?: Dispatcher.HttpMethod;
  readonly databaseId?: string;
  /** Behind `{base_url}`; by default the path of the operation. */
  readonly path?: string;
  /** `null` sends no Authorization header. */
  readonly apiKey?: string | null;
  readonly headers?: Record<string, string>;
  /** A string or stream as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly dispatcher?: Dispatcher;
  readonly signal?: AbortSignal;
}

/** Sends what interface section 4.1 describes. */
export function createWebhook(service: LocalService, changes: RequestChanges = {}) {
  return send(service, {
    method: "POST",
    path: webhooksPath(changes.databaseId),
    body: webhookBody(),
    ...changes,
  });
}

/** Sends what interface section 4.2 describes. */
export function deleteWebhook(service: LocalService, id: unknown, changes: RequestChanges = {}) {
  const path = `${webhooksPath(changes.databaseId)}/${encodeURIComponent(String(id))}`;
  return send(service, { method: "DELETE", path, ...changes });
}

/** Sends the list operation. */
export function listWebhooks(service: LocalService, changes: RequestChanges = {}) {
  return send(service, { path: webhooksPath(changes.databaseId), ...changes });
}

/** The body of a creation that the service accepts. */
export function webhookBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { url: "https://example.com/hooks/orders", events: ["record.created"], ...changes };
}

export async function send(service: LocalService, changes: RequestChanges): Promise<Answer> {
  const { method = "GET", path = "/", apiKey = service.apiKey, headers, body } = changes;
  const isRaw = body === undefined || typeof body === "string" || isStream(body);
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
  return { statusCode: answer.statusCode, headers: answer.headers, text, json: parseJson(text) };
}

function webhooksPath(databaseId = "base_1"): string {
  return `/api/v1/bases/${encodeURIComponent(databaseId)}/webhooks`;
}

function isStream(body: unknown): boolean {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
