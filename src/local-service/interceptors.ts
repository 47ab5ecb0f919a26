import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { admit } from "./access.js";
import { sendFailure } from "./responses.js";
import { itemPath, type ServiceEnv } from "./routing.js";

/** A request as an interceptor sees it. */
export interface ServiceRequest {
  /** The HTTP method. */
  readonly method: string;
  /** The request target as sent: with the query, and still percent-encoded. */
  readonly path: string;
  /** The headers, with names in lower case. **`authorization` is in clear text.** */
  readonly headers: Readonly<Record<string, string>>;
  /** The database in the path, decoded; absent if the path is not one of the API. */
  readonly databaseId?: string | undefined;
  /** The last segment of a deletion's path, decoded. */
  readonly webhookId?: string | undefined;
  /**
   * The parsed JSON body; `undefined` if there is none, if it is not JSON, and if the service does
   * not read it, because it refuses the `Host`, the `Origin`, the API key or the size of the body.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a client can send any JSON.
  readonly body?: any;
}

/**
 * Middleware around the handling of every request, which observes it or decides about the response.
 *
 * `await next()` lets the service handle the request (through the interceptors that were added
 * earlier) and returns its response. Call it at most once, or not at all: then the request has no
 * effect. The response can be passed on, changed or replaced by any other `Response`; with
 * `Response.error()`, the service resets the connection. A promise that is never fulfilled keeps
 * the connection open until the client leaves or the service closes. If the interceptor throws, the
 * response is 500 with the message of the error.
 *
 * @param next Rejects when the service has closed, so that a delayed request has no effect.
 */
export type Interceptor = (
  request: ServiceRequest,
  next: () => Promise<Response>,
) => Response | Promise<Response>;

/** Puts interceptors around the checks and the routes. The last interceptor is the outermost. */
export function intercept(
  routes: Hono<ServiceEnv>,
  interceptors: ReadonlySet<Interceptor>,
  apiKeys: readonly string[],
  closing: AbortSignal,
): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.onError(sendFailure);
  // The last parameter of `itemPath` is missing in the path of all webhooks.
  app.on("ALL", [`${itemPath}?`, "*"], async (c) => {
    const { incoming } = c.env;
    const { method = "", url: path = "" } = incoming;
    const { refusal, body } = await admit(c, apiKeys);
    const request = { method, path, headers: c.req.header(), ...c.req.param(), body };
    const handle = async () => {
      closing.throwIfAborted();
      return refusal ?? routes.fetch(c.req.raw, { body });
    };
    const outermost = [...interceptors].reduce<() => Promise<Response>>(
      (next, interceptor) => async () => interceptor(request, next),
      handle,
    );
    const response = await outermost();
    // Hono says so if there is none.
    if (response?.type !== "error") {
      return response;
    }
    incoming.socket.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  });
  return app;
}
