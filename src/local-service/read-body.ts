import type { Context } from "hono";
import { parseJson } from "../common/json.js";
import { sendError } from "./errors.js";
import type { ServiceEnv } from "./requests.js";

const maxBodyBytes = 1024 * 1024;

/**
 * Reads the body of an authorized request into its entry, once. Returns the response when the body is
 * too large.
 *
 * Reads Node's stream, because Hono's `bodyLimit` cannot rebuild a chunked request without replacing
 * the global `Request` of the process.
 */
export async function readBody(c: Context<ServiceEnv>): Promise<Response | undefined> {
  const { incoming } = c.env;
  const entry = c.get("entry");
  if (!entry.authorized || incoming.readableEnded) {
    return undefined;
  }
  const chunks: Buffer[] = [];
  let bytes = Number(incoming.headers["content-length"] ?? 0);
  if (bytes <= maxBodyBytes) {
    bytes = 0;
    // Without a Content-Length, read to the end: some clients send all of it before they read the 413.
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= maxBodyBytes) {
        chunks.push(chunk);
      }
    }
  }
  if (bytes > maxBodyBytes) {
    return sendError(c, 413, `The body is larger than ${maxBodyBytes} bytes.`);
  }
  entry.body = parseJson(Buffer.concat(chunks).toString());
  return undefined;
}
