import { once } from "node:events";
import type { Context } from "hono";
import { parseJson } from "../../common/json.js";
import { sendError } from "./errors.js";
import type { RequestLog, ServiceEnv } from "./request-log.js";

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Reads the body of an authorized request into the log entry, parsed; answers 413 when it is too large.
 * Nobody else can make the service read.
 */
export async function readBody(
  c: Context<ServiceEnv>,
  log: RequestLog,
): Promise<Response | undefined> {
  const entry = c.get("entry");
  if (!entry.authorized || c.env.incoming.readableEnded) {
    return undefined;
  }
  const read = await readJson(c);
  if (read instanceof Response) {
    return read;
  }
  log.read(entry, read.body, read.bytes);
  return undefined;
}

/**
 * Reads and parses the body: `undefined` when it is not JSON. Answers 413 when it is too large.
 *
 * Reads Node's stream, because Hono's `bodyLimit` cannot rebuild a chunked request without
 * replacing the global `Request` of the process.
 */
export async function readJson(
  c: Context<ServiceEnv>,
): Promise<Response | { readonly body: unknown; readonly bytes: number }> {
  const { incoming } = c.env;
  if (Number(incoming.headers["content-length"]) > MAX_BODY_BYTES) {
    return tooLarge(c);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A large body is read to its end, because some clients write everything before they read the 413.
  // Events are cheaper here than an async iterator.
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) {
      chunks.push(chunk);
    }
  });
  await once(incoming, "end");
  if (bytes > MAX_BODY_BYTES) {
    return tooLarge(c);
  }
  return { body: parseJson(Buffer.concat(chunks).toString()), bytes };
}

function tooLarge(c: Context): Response {
  return sendError(c, 413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
}
