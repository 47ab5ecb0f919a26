import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { isApiKey } from "../../common/identifier.js";
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

  /** The known key of an `Authorization` header. The scheme is case-insensitive: RFC 9110, section 11.1. */
  keyIn(authorization: string | undefined): string | undefined {
    const key = /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
    return this.#databases.has(key) ? key : undefined;
  }

  /** Why a request is refused; `undefined` when its key may use the database. */
  refusalOf(
    authorization: string | undefined,
    databaseId: string,
  ): "unknown key" | "no access" | undefined {
    const key = this.keyIn(authorization);
    if (key === undefined) {
      return "unknown key";
    }
    const databases = this.#databases.get(key);
    return databases === "*" || databases?.includes(databaseId) ? undefined : "no access";
  }
}

/** Lets a request pass when its key is known and may use the database of the path. */
export function authorize(keys: ApiKeyRing) {
  return createMiddleware<ServiceEnv, "/:databaseId">((c, next) => {
    const refusal = keys.refusalOf(c.req.header("authorization"), c.req.param("databaseId"));
    if (refusal === undefined) {
      return next();
    }
    return Promise.resolve(refusal === "unknown key" ? sendUnauthorized(c) : sendNotFound(c));
  });
}

function sendUnauthorized(c: Context): Response {
  return sendError(c, 401, "A known API key is required: Authorization: Bearer <API_KEY>.", {
    "www-authenticate": "Bearer",
  });
}

/**
 * The 404 of interface section 7. All three cases get the same words, so that a caller without access
 * learns nothing about what exists.
 */
export function sendNotFound(c: Context): Response {
  const webhookId = c.req.param("webhookId");
  return sendError(c, 404, webhookId ? `Webhook ${webhookId} not found` : "Webhook not found");
}

/** `Array.isArray` does not narrow readonly arrays (TypeScript issue 17002). */
function isList(apiKeys: ApiKeys): apiKeys is readonly string[] {
  return Array.isArray(apiKeys);
}
