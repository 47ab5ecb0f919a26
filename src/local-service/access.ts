import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { parseJson } from "../common/json.js";
import { isLoopbackHostname } from "../common/url-rules.js";
import { sendError } from "./responses.js";

const maxBodyBytes = 1024 * 1024;

/** The response that refuses a request, or the body of one that the service handles. */
interface Admission {
  readonly refusal?: Response;
  readonly body?: unknown;
}

/**
 * Checks `Host`, `Origin` and API key (docs/api/README.md#authentication), and then reads the body.
 *
 * The default key is public, and every web page can send requests to 127.0.0.1, even under the
 * page's own host name (DNS rebinding).
 */
export async function admit(
  c: Context<{ Bindings: HttpBindings }>,
  apiKeys: readonly string[],
): Promise<Admission> {
  const { host, origin, authorization } = c.req.header();
  if (!isLoopbackUrl(`http://${host}`)) {
    const message = "The local service responds under loopback names only, such as 127.0.0.1.";
    return { refusal: c.text(message, 421) };
  }
  if (origin !== undefined && !isLoopbackUrl(origin)) {
    const message = "The local service does not respond to web pages of other origins.";
    return { refusal: c.text(message, 403) };
  }
  if (!hasKnownKey(authorization, apiKeys)) {
    // Tools that wait for a server request "/" without a key.
    return c.req.path === "/" ? {} : { refusal: sendUnauthorized(c) };
  }
  const text = await readText(c.env.incoming);
  return text === undefined
    ? { refusal: sendError(c, 413, `The body is larger than ${maxBodyBytes} bytes.`) }
    : { body: parseJson(text) };
}

function isLoopbackUrl(url: string): boolean {
  return isLoopbackHostname(URL.parse(url)?.hostname ?? "");
}

function hasKnownKey(authorization = "", apiKeys: readonly string[]): boolean {
  // The scheme is case-insensitive (RFC 9110, section 11.1).
  const [, key] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
  return key !== undefined && apiKeys.includes(key);
}

function sendUnauthorized(c: Context): Response {
  const message = "The header Authorization must hold the scheme Bearer and a known API key.";
  return sendError(c, 401, message, { "www-authenticate": "Bearer" });
}

/**
 * Returns the text of a body; `undefined` if it is too large.
 *
 * Reads the stream of Node.js directly. Hono's `bodyLimit` would put a chunked body into a new
 * `Request`, and that works only if the global `Request` of the process is replaced.
 */
async function readText(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  // A large body is read to its end: some clients send all of it before they read the response.
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    receivedBytes += chunk.length;
    if (receivedBytes <= maxBodyBytes) {
      chunks.push(chunk);
    }
  }
  return receivedBytes <= maxBodyBytes ? Buffer.concat(chunks).toString() : undefined;
}
