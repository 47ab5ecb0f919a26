import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { createMiddleware } from "hono/factory";
import type { ServiceLog } from "./log.js";
import type { ReceivedRequest } from "./records.js";
import type { ServiceEnv } from "./requests.js";

/**
 * Middleware around the handling of a request, which decides about the response.
 *
 * `await next()` lets the service handle the request (through the interceptors that were added
 * earlier) and returns its response. Call it at most once, or not at all: then the request has no
 * effect. The response can be passed on, changed or replaced by any other `Response`; with
 * `Response.error()`, the service resets the connection. A promise that is never fulfilled keeps the connection open until the
 * client leaves or the service closes. If the interceptor throws, the response is 500 with the
 * message of the error.
 *
 * Interceptors see the requests of the API and those to unknown paths, after the service has read
 * the body. They see neither an emission over HTTP nor `GET /`, nor a request that is refused
 * earlier, because of its `Host`, its `Origin` or the size of its body.
 *
 * @param request The entry in `requests`. It becomes `committed` while `next` runs.
 * @param next Rejects when the service has closed, so that a delayed request has no effect.
 */
export type Interceptor = (
  request: ReceivedRequest,
  next: () => Promise<Response>,
) => Response | Promise<Response>;

/** The interceptors of a service. The last one is the outermost. */
export class Interceptors {
  #entries: readonly { readonly interceptor: Interceptor }[] = [];

  /** Returns a function that removes the interceptor. Requests in flight keep it. */
  add(interceptor: Interceptor): () => void {
    const added = { interceptor };
    this.#entries = [...this.#entries, added];
    return () => {
      this.#entries = this.#entries.filter((entry) => entry !== added);
    };
  }

  /** Applies the interceptors around `handle`. */
  run(request: ReceivedRequest, handle: () => Promise<Response>): Promise<Response> {
    const outermost = this.#entries.reduce(
      (next, { interceptor }) =>
        async () =>
          interceptor(request, next),
      handle,
    );
    return outermost();
  }
}

/** Applies the interceptors to a request whose body has been read. */
export function intercept(interceptors: Interceptors, log: ServiceLog, closing: AbortSignal) {
  return createMiddleware<ServiceEnv>(async (c, next) => {
    const handle = async () => {
      closing.throwIfAborted();
      await next();
      return c.res;
    };
    const response = await interceptors.run(c.get("entry"), handle);
    if (response.type === "error") {
      log.finishRequest(c.get("entry"), { outcome: "reset" });
      c.env.incoming.socket.resetAndDestroy();
    }
    if (!c.finalized || response !== c.res) {
      c.set("problem", undefined);
      // Cleared first, because Hono merges the headers of the old response into the new one.
      c.res = undefined;
      c.res = response.type === "error" ? RESPONSE_ALREADY_SENT : response;
    }
  });
}
