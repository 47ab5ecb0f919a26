import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** The `error.code` of each error status, after HTTP's reason phrases. */
const errorCodes = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  413: "CONTENT_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  500: "INTERNAL_SERVER_ERROR",
} as const satisfies Partial<Record<ContentfulStatusCode, string>>;

/** Responds with the error body of the API (docs/api/README.md#errors). */
export function sendError(
  c: Context,
  statusCode: keyof typeof errorCodes,
  message: string,
  headers?: Record<string, string>,
): Response {
  return c.json({ error: { code: errorCodes[statusCode], message } }, statusCode, headers);
}

/** Responds to a request whose handling has failed. By itself, Hono prints the stack. */
export function sendFailure(error: Error, c: Context): Response {
  return sendError(c, 500, `The local service failed: ${error.message}`);
}
