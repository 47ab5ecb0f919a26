import { once } from "node:events";
import type { Context } from "hono";
import { parseJson } from "../../common/json.js";
import { sendError } from "./errors.js";
import type { ServiceEnv } from "./request-log.js";

const MAX_BODY_BYTES = 1024 * 1024;

/** Reads and parses the body into the log entry; answers 413 when there is too much of it. */
export async function readBody(c: Context<ServiceEnv>): Promise<Response | undefined> {
  if (c.env.incoming.readableEnded) {
    return undefined;
  }
  const read = await readJson(c);
  if (read instanceof Response) {
    return read;
  }
  c.get("entry").body = read.body;
  return undefined;
}

/**
 * Reads and parses the body, `undefined` when it is not JSON; answers 413 when there is too much.
 *
 * Reads Node's stream, because Hono's `bodyLimit` cannot rebuild a chunked request without
 * replacing the process's global `Request`, which a library must leave alone.
 */
export async function readJson(
  c: Context<ServiceEnv>,
): Promise<Response | { readonly body: unknown }> {
  const { incoming } = c.env;
  if (Number(incoming.headers["content-length"]) > MAX_BODY_BYTES) {
    return tooLarge(c);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  // To the end even when it is too much: a client that writes before it reads gets its 413, too. By
  // events, because every creation passes here and an async iterator is dearer.
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
  return { body: parseJson(Buffer.concat(chunks).toString()) };
}

function tooLarge(c: Context): Response {
  return sendError(c, 413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
}
