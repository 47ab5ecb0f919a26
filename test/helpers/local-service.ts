import { Readable } from "node:stream";
import { type Dispatcher, request } from "undici";
import { expect, onTestFinished } from "vitest";
import { parseJson } from "../../src/common/json.ts";
import {
  type LocalService,
  type LocalServiceOptions,
  startLocalService,
} from "../../src/local-service/index.ts";
import { problemsOfResponse } from "./api-document.ts";

interface ClientOptions {
  /** Whether every response must be one that docs/api/openapi.yaml describes. Default: `true`. */
  readonly validatesResponses?: boolean;
}

/** A local service with a client, which closes when the test is over. */
export async function startService(options?: LocalServiceOptions, clientOptions?: ClientOptions) {
  const service = await startLocalService(options);
  onTestFinished(() => service.close());
  return Object.assign(service, clientOf(service, clientOptions));
}

/** A local service whose faults distort responses. */
export function startFaultyService(options?: LocalServiceOptions) {
  return startService(options, { validatesResponses: false });
}

export interface RequestChanges {
  readonly method?: Dispatcher.HttpMethod;
  readonly databaseId?: string;
  readonly path?: string;
  /** `null` sends no Authorization header. */
  readonly apiKey?: string | null;
  readonly headers?: Record<string, string>;
  /** A string or stream as it is, anything else as JSON. */
  readonly body?: unknown;
}

export function webhookBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { url: "https://example.com/hooks/orders", events: ["record.created"], ...changes };
}

export function statusCodesOf(responses: readonly { readonly statusCode: number }[]): number[] {
  return responses.map(({ statusCode }) => statusCode);
}

type Service = Pick<LocalService, "baseUrl" | "apiKey">;

export function createWebhook(service: Service, changes?: RequestChanges) {
  return clientOf(service).create(changes);
}

/** Sends requests to a local service, in this process or in another. */
export function clientOf(service: Service, { validatesResponses = true }: ClientOptions = {}) {
  const pathOf = (databaseId = "base_1") =>
    `/api/v1/bases/${encodeURIComponent(databaseId)}/webhooks`;
  const send = async (changes: RequestChanges) => {
    const { method = "GET", path = "/", apiKey = service.apiKey, headers, body } = changes;
    const isRaw = body === undefined || typeof body === "string" || body instanceof Readable;
    const response = await request(`${service.baseUrl}${path}`, {
      method,
      headers: {
        ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      body: isRaw ? (body as string) : JSON.stringify(body),
    });
    const text = await response.body.text();
    // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they expect.
    const json = parseJson(text) as any;
    const received = { statusCode: response.statusCode, headers: response.headers, text, json };
    const problems = validatesResponses ? problemsOfResponse({ method, path }, received) : [];
    expect(problems, text).toEqual([]);
    return received;
  };
  const create = (changes: RequestChanges = {}) =>
    send({ method: "POST", path: pathOf(changes.databaseId), body: webhookBody(), ...changes });
  return {
    send,
    create,
    delete: (id: unknown, changes: RequestChanges = {}) => {
      const path = `${pathOf(changes.databaseId)}/${encodeURIComponent(String(id))}`;
      return send({ method: "DELETE", path, ...changes });
    },
    list: (changes: RequestChanges = {}) => send({ path: pathOf(changes.databaseId), ...changes }),
    /** Creates a webhook for a receiver; returns its secret. */
    subscribe: async (url: string, changes = {}): Promise<string> =>
      (await create({ body: webhookBody({ url, ...changes }) })).json.secret,
  };
}
