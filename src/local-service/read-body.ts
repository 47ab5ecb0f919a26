import type { Context } from "hono";
import { parseJson } from "../common/json.js";
import { sendError } from "./errors.js";
import type { ServiceEnv } from "./requests.js";

const maxBodyBytes = 1024 * 1024;

/**
 * Reads the body of an authorized request into its log entry, if that has not happened yet. Returns the
 * response to send if the body is too large.
 *
 * Reads the stream of Node.js directly. Hono's `bodyLimit` would put a chunked body into a new `Request`,
 * and that works only if the global `Request` of the process is replaced.
 */
export async function readBodyOrRefuse(c: Context<ServiceEnv>): Promise<Response | undefined> {
  const { incoming } = c.env;
  const entry = c.get("entry");
  if (!entry.authorized || incoming.readableEnded) {
    return undefined;
  }
  const chunks: Buffer[] = [];
  const declaredBytes = Number(incoming.headers["content-length"] ?? 0);
  let receivedBytes = 0;
  if (declaredBytes <= maxBodyBytes) {
    // A chunked body is read to its end: some clients send all of it before they read the 413.
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      receivedBytes += chunk.length;
      if (receivedBytes <= maxBodyBytes) {
        chunks.push(chunk);
      }
    }
  }
  if (Math.max(declaredBytes, receivedBytes) > maxBodyBytes) {
    return sendError(c, 413, `The body is larger than ${maxBodyBytes} bytes.`);
  }
  entry.body = parseJson(Buffer.concat(chunks).toString());
  return undefined;
}
