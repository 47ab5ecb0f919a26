import type { Context } from "hono";
import { sendError } from "./errors.js";
import type { ServiceEnv } from "./requests.js";

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Reads and parses the body into the log entry; answers 413 when there is too much of it.
 *
 * Reads Node's stream, because Hono's `bodyLimit` cannot rebuild a chunked request without
 * replacing the process's global `Request`, which a library must leave alone.
 */
export async function readBody(c: Context<ServiceEnv>): Promise<Response | undefined> {
  const { incoming } = c.env;
  if (incoming.readableEnded) {
    return undefined;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  // To the end even when it is too much: a client that writes before it reads gets its 413, too.
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) {
      chunks.push(chunk);
    }
  }
  if (bytes > MAX_BODY_BYTES) {
    return sendError(c, 413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  }
  c.get("entry").body = parseJson(Buffer.concat(chunks).toString());
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
