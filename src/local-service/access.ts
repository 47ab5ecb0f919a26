import { createMiddleware } from "hono/factory";
import { isLoopbackHostname } from "../common/url.js";
import type { ServiceEnv } from "./requests.js";
import { sendError, sendPlainError } from "./responses.js";

/** Whether an `Authorization` header holds one of these keys. */
export function hasKnownKey(authorization: string | undefined, apiKeys: readonly string[]) {
  // The scheme is case-insensitive (RFC 9110, section 11.1).
  const [, key] = /^bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
  return key !== undefined && apiKeys.includes(key);
}

/** Lets a request pass when its key is known (docs/api/README.md#authentication). */
export function authorize(apiKeys: readonly string[]) {
  return createMiddleware<ServiceEnv>(async (c, next) => {
    if (hasKnownKey(c.req.header("authorization"), apiKeys)) {
      return next();
    }
    const message = "The header Authorization must hold the scheme Bearer and a known API key.";
    return sendError(c, 401, message, { "www-authenticate": "Bearer" });
  });
}

/**
 * Refuses a request whose `Host` is not a loopback name, or whose `Origin` is not a loopback
 * address. The default key is public, and every web page can send requests to 127.0.0.1, even under
 * the page's own host name (DNS rebinding).
 */
export const loopbackOnly = createMiddleware<ServiceEnv>(async (c, next) => {
  const { host, origin } = c.env.incoming.headers;
  if (!isLoopbackUrl(`http://${host}`)) {
    return sendPlainError(
      c,
      421,
      "The local service responds under loopback names only. Use one, such as 127.0.0.1.",
    );
  }
  if (origin !== undefined && !isLoopbackUrl(origin)) {
    return sendPlainError(c, 403, "This service does not respond to pages of other origins.");
  }
  return next();
});

function isLoopbackUrl(url: string): boolean {
  return isLoopbackHostname(URL.parse(url)?.hostname ?? "");
}
