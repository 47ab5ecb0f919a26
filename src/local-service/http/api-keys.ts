import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { isApiKey } from "../../common/api-key.js";
import { sendError } from "./errors.js";
import type { ServiceEnv } from "./request-log.js";

/**
 * The API keys that the service knows, and the databases that each may use.
 *
 * A list gives every key every database. A record names the databases of each key; `"*"` stands for
 * all of them. A database needs no creation: every database id exists.
 */
export type ApiKeys = readonly string[] | Readonly<Record<string, readonly string[] | "*">>;

/** The keys of the options, and which databases each may use. */
export class ApiKeyRing {
  /** The first key of the options. */
  readonly first: string;
  readonly #databases: ReadonlyMap<string, readonly string[] | "*">;

  constructor(apiKeys: ApiKeys) {
    const entries: [string, readonly string[] | "*"][] = isList(apiKeys)
      ? apiKeys.map((key) => [key, "*"])
      : Object.entries(apiKeys);
    const [first] = entries;
    if (first === undefined || !entries.every(([key]) => isApiKey(key))) {
      throw new TypeError("apiKeys must name at least one key, each of visible ASCII characters.");
    }
    this.first = first[0];
    this.#databases = new Map(entries);
  }

  isKnown(key: string): boolean {
    return this.#databases.has(key);
  }

  hasAccess(key: string, databaseId: string): boolean {
    const databases = this.#databases.get(key);
    return databases === "*" || (databases?.includes(databaseId) ?? false);
  }
}

/** Lets a request pass when its key is known and may use the database of the path. */
export function authorize(keys: ApiKeyRing) {
  return createMiddleware<ServiceEnv, "/:databaseId">(async (c, next) => {
    const refusal = refuseUnauthorized(c, keys, c.req.param("databaseId"));
    c.get("entry").authorized = refusal === undefined;
    return refusal ?? next();
  });
}

/** The answer to a request whose key is not known, or may not use the database. */
export function refuseUnauthorized(
  c: Context,
  keys: ApiKeyRing,
  databaseId: string,
): Response | undefined {
  const key = bearerKey(c.req.header("authorization"));
  if (key === undefined || !keys.isKnown(key)) {
    return sendError(c, 401, "A known API key is required: Authorization: Bearer <API_KEY>.", {
      "www-authenticate": "Bearer",
    });
  }
  return keys.hasAccess(key, databaseId) ? undefined : sendNotFound(c);
}

/**
 * The 404 of interface section 7. All three cases get the same words, so that a caller without access
 * learns nothing about what exists.
 */
export function sendNotFound(c: Context): Response {
  const webhookId = c.req.param("webhookId");
  return sendError(c, 404, webhookId ? `Webhook ${webhookId} not found` : "Webhook not found");
}

/** The scheme is case-insensitive: RFC 9110, section 11.1. */
function bearerKey(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
}

/** `Array.isArray` does not narrow readonly arrays (TypeScript issue 17002). */
function isList(apiKeys: ApiKeys): apiKeys is readonly string[] {
  return Array.isArray(apiKeys);
}
