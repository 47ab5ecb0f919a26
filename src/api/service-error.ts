// What a response of any status can hold. Without zod, which is loaded only with the first request.
import { parseJson } from "../common/json.js";
import type { HttpOutcome } from "./send-once.js";

/** The error of the service: its code, and its message if it has one. */
export interface ServiceError {
  readonly code: string;
  readonly message: string;
}

/** Reads the service's error envelope. Source: docs/api/README.md#errors. */
export function parseServiceError(body: string): ServiceError | undefined {
  const { error } = (parseJson(body) ?? {}) as { error?: unknown };
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return typeof code === "string"
    ? { code, message: typeof message === "string" ? message : "" }
    : undefined;
}

/** Whether a response carries the service's error envelope, which proxies and login pages do not send. */
export function isApiError(outcome: HttpOutcome): boolean {
  return outcome.kind === "response" && parseServiceError(outcome.body) !== undefined;
}

/** Returns the message of a body without an error envelope, such as that of `{ success: false, message }`. */
export function messageInBody(body: string): string {
  const { message } = (parseJson(body) ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : "";
}

/** Whether the service responded that a database or a webhook does not exist, or not for this key. */
export function isNotFound(outcome: HttpOutcome): boolean {
  return (
    outcome.kind === "response" &&
    outcome.statusCode === 404 &&
    parseServiceError(outcome.body)?.code === "NOT_FOUND"
  );
}

/** Returns the texts that a body holds in a field `secret` at any depth. */
export function secretsInBody(body: string): string[] {
  const secrets: string[] = [];
  JSON.stringify(parseJson(body), (key, value: unknown) => {
    if (key === "secret" && typeof value === "string") {
      secrets.push(value);
    }
    return value;
  });
  return secrets;
}

/**
 * Whether the outcome of a request for a list leaves open whether the service can list at all: it did not respond, or
 * refused this request for another reason. Other responses say that it cannot, or show a list.
 */
export function saysNothingAboutLists(outcome: HttpOutcome): boolean {
  if (outcome.kind !== "response") {
    return true;
  }
  const { statusCode } = outcome;
  const isRedirect = statusCode >= 300 && statusCode < 400;
  const isServerError = statusCode >= 500 && statusCode !== 501;
  return isRedirect || isServerError || [401, 403, 408, 425, 429].includes(statusCode);
}
