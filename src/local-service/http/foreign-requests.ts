import { createMiddleware } from "hono/factory";
import { isLoopback } from "../../common/url.js";
import type { ServiceEnv } from "./request-log.js";

/**
 * Answers 421 to a request whose `Host` is not a loopback name, and 403 to one whose `Origin` is not.
 * The default key is well known, and a web page can reach 127.0.0.1, also under its own host name (DNS
 * rebinding).
 */
export const refuseForeignRequest = createMiddleware<ServiceEnv>((c, next) => {
  const { host, origin } = c.env.incoming.headers;
  const isForeignHost = !isLoopbackUrl(`http://${host}`);
  if (!isForeignHost && (origin === undefined || isLoopbackUrl(origin))) {
    return next();
  }
  const problem = isForeignHost
    ? "This service answers under loopback names only."
    : "This service answers no pages of other origins.";
  c.set("problem", problem);
  // Plain text: the interface has no such answer.
  return Promise.resolve(c.text(problem, isForeignHost ? 421 : 403));
});

function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}
