import { createMiddleware } from "hono/factory";
import { isLoopback } from "../../common/url.js";
import type { ServiceEnv } from "./request-log.js";

/**
 * Answers 421 to a request whose `Host` is not a loopback name. The default key is well known, and a
 * web page can reach 127.0.0.1 under its own host name (DNS rebinding).
 */
export const refuseForeignHost = createMiddleware<ServiceEnv>((c, next) => {
  const url = `http://${c.env.incoming.headers.host}`;
  if (URL.canParse(url) && isLoopback(new URL(url).hostname)) {
    return next();
  }
  const problem = "This service answers under loopback names only.";
  c.set("problem", problem);
  // Plain text: the interface has no such answer.
  return Promise.resolve(c.text(problem, 421));
});
