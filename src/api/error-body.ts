// What a response of any status can hold. Without zod, which is loaded only with the first request.
import { parseJson } from "../common/json.js";

/** The error of the service: its code, and its message if it has one. */
export interface ErrorEnvelope {
  readonly code: string;
  readonly message: string;
}

/** Reads the service's error envelope. Source: docs/api/README.md#errors. */
export function parseErrorEnvelope(body: string | undefined): ErrorEnvelope | undefined {
  const { error } = (parseJson(body ?? "") ?? {}) as { error?: unknown };
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return typeof code === "string"
    ? { code, message: typeof message === "string" ? message : "" }
    : undefined;
}

/**
 * Returns the message of a body without an error envelope, such as that of `{ success: false,
 * message }`.
 */
export function messageInBody(body: string | undefined): string {
  const { message } = (parseJson(body ?? "") ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : "";
}
