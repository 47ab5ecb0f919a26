import { createMiddleware } from "hono/factory";
import { isLoopbackHostname } from "../common/url.js";
import type { ApiKeys } from "./options.js";
import type { ServiceEnv } from "./requests.js";
import { sendError, sendNotFound, sendPlainError } from "./responses.js";

/** The databases that each key may use. */
export class KnownApiKeys {
  readonly #databasesOf: ReadonlyMap<string, readonly string[] | "*">;

  constructor(apiKeys: ApiKeys) {
    this.#databasesOf = Array.isArray(apiKeys)
      ? new Map(apiKeys.map((key) => [key, "*"]))
      : new Map(Object.entries(apiKeys));
  }

  get first(): string {
    return [...this.#databasesOf.keys()][0] ?? "";
  }

  /**
   * The key in an `Authorization` header, if it is known. The scheme is case-insensitive (RFC 9110,
   * section 11.1).
   */
  knownKeyOf(authorization: string | undefined): string | undefined {
    const [, key] = /^bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
    return key !== undefined && this.#databasesOf.has(key) ? key : undefined;
  }

  mayUse(key: string | undefined, databaseId: string): boolean {
    const databases = key === undefined ? undefined : this.#databasesOf.get(key);
    return databases === "*" || databases?.includes(databaseId) === true;
  }
}

/**
 * Lets a request pass when its key is known and may use the database of the path
 * (docs/api/README.md#authentication).
 */
export function authorize(keys: KnownApiKeys) {
  return createMiddleware<ServiceEnv, "/:databaseId">(async (c, next) => {
    const key = keys.knownKeyOf(c.req.header("authorization"));
    if (key === undefined) {
      const message = "The header Authorization must hold the scheme Bearer and a known API key.";
      return sendError(c, 401, message, { "www-authenticate": "Bearer" });
    }
    return keys.mayUse(key, c.req.param("databaseId")) ? next() : sendNotFound(c);
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
