import { createMiddleware } from "hono/factory";
import { isLoopback } from "../../common/url.js";
import type { ServiceEnv } from "./request-log.js";

/**
 * Answers 421 to a request whose `Host` is not a loopback name. A page can have its own name point to
 * 127.0.0.1 and send requests by it (DNS rebinding), and the key of the local service is well known.
 */
export const refuseForeignHost = createMiddleware<ServiceEnv>((c, next) => {
  const url = `http://${c.env.incoming.headers.host}`;
  if (URL.canParse(url) && isLoopback(new URL(url).hostname)) {
    return next();
  }
  // Plain text, like every answer that is not of the interface.
  return Promise.resolve(c.text("This service answers under loopback names only.", 421));
});
