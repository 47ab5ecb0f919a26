import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { createMiddleware } from "hono/factory";
import { parseJson } from "../common/json.js";
import type { ServiceLog } from "./log.js";
import { sendError } from "./responses.js";

const maxBodyBytes = 1024 * 1024;

/** One request as the service saw it. The object's fields change as the request proceeds. */
export interface ReceivedRequest {
  /** Position in the order of arrival since the start: 1, 2, 3, …. */
  readonly number: number;
  /** Method, as sent. */
  readonly method: string;
  /** The request target as sent: with the query, and still percent-encoded. */
  readonly path: string;
  /** The headers, with names in lower case. **`authorization` is in clear text**, for assertions only. */
  readonly headers: Readonly<Record<string, string>>;
  /** The database in the path, decoded; absent when the service does not know the path. */
  readonly databaseId?: string;
  /** The last segment of a deletion's path, decoded; for a creation, the id of the stored webhook as text. */
  readonly webhookId?: string;
  /** Whether the API key is known and may use the database; absent when the service does not know the path. */
  readonly authorized?: boolean;
  /**
   * The parsed JSON body; `undefined` when there is none, when it is not JSON, and before it is read. The
   * service reads only the body of an authorized request.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a client can send any JSON.
  readonly body?: any;
  /** Whether the service has stored or deleted a webhook for this request. */
  readonly committed: boolean;
  /** The status of the response, after interceptors. */
  readonly statusCode?: number;
  /** Why the service refused the request, in the words of its response. */
  readonly problem?: string;
  /**
   * The outcome. `"responded"`: the service wrote a complete response; `"reset"`: an interceptor reset the
   * connection; `"disconnected"`: the client went away first; `"pending"`: not finished yet. A pending or
   * disconnected request may still be committed.
   */
  readonly outcome: RequestOutcome;
}

/** The outcome of a request; see {@link ReceivedRequest.outcome}. */
export type RequestOutcome = "pending" | "responded" | "reset" | "disconnected";

/** A mutable {@link ReceivedRequest}. */
export type RequestEntry = { -readonly [K in keyof ReceivedRequest]: ReceivedRequest[K] };

/** The types of Hono's context in this service. */
export interface ServiceEnv {
  Bindings: HttpBindings;
  Variables: { entry: RequestEntry; problem?: string | undefined };
}

/** Adds every request and its outcome to the log. */
export function logRequest(log: ServiceLog) {
  return createMiddleware<ServiceEnv>(async (c, next) => {
    const { method = "", url = "", headers } = c.env.incoming;
    const entry = log.addRequest({
      method,
      path: url,
      headers: Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)])),
      body: undefined,
      committed: false,
      outcome: "pending",
    });
    c.set("entry", entry);
    c.env.outgoing.once("close", () => log.finishRequest(entry, { outcome: "disconnected" }));
    await next();
    const problem = c.get("problem");
    const response = { statusCode: c.res.status, ...(problem !== undefined && { problem }) };
    log.finishRequest(entry, { outcome: "responded", ...response });
  });
}

/**
 * Reads the body of an authorized request into its log entry. The response is 413 if the body is too large.
 *
 * Reads the stream of Node.js directly. Hono's `bodyLimit` would put a chunked body into a new `Request`,
 * and that works only if the global `Request` of the process is replaced.
 */
export function readBody(log: ServiceLog) {
  return createMiddleware<ServiceEnv>(async (c, next) => {
    const entry = c.get("entry");
    if (entry.authorized) {
      const body = await readUpToLimit(c.env.incoming);
      if (body === undefined) {
        return sendError(c, 413, `The body is larger than ${maxBodyBytes} bytes.`);
      }
      entry.body = parseJson(body.toString());
    }
    log.emit("request", entry);
    return next();
  });
}

async function readUpToLimit(incoming: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(incoming.headers["content-length"] ?? 0) > maxBodyBytes) {
    return undefined;
  }
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  // A chunked body is read to its end: some clients send all of it before they read the 413.
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    receivedBytes += chunk.length;
    if (receivedBytes <= maxBodyBytes) {
      chunks.push(chunk);
    }
  }
  return receivedBytes <= maxBodyBytes ? Buffer.concat(chunks) : undefined;
}
