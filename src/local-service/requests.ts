import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { createMiddleware } from "hono/factory";
import { parseJson } from "../common/json.js";
import type { ServiceLog } from "./log.js";
import type { RequestEntry } from "./records.js";
import { sendError } from "./responses.js";

const maxBodyBytes = 1024 * 1024;

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
 * Reads the body of an authorized request into its log entry. The response is 413 if the body is
 * too large.
 *
 * Reads the stream of Node.js directly. Hono's `bodyLimit` would put a chunked body into a new
 * `Request`, and that works only if the global `Request` of the process is replaced.
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
