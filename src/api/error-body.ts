// What a response of any status can hold. Without zod, which is loaded only with the first request.
import { parseJson } from "../common/json.js";

// A field in JSON, also in JSON inside a JSON text, or a parameter as in a URL. An escaped quote
// does not end a field, so the text may be longer than the secret, and never shorter. It runs in
// linear time: a response can have 1 MiB.
const secretInText =
  /secret\w{0,20}\\*["']\s*:\s*(?:\[\s*)?\\*(?<quote>["'])(?<field>(?:\\.|(?!\k<quote>)[^\\])*)|secret\w{0,20}(?:=|%3D)(?<parameter>[^\s"'&]*)/gis;

/** The error of the service: its code, and its message if it has one. */
export interface ErrorEnvelope {
  readonly code: string;
  readonly message: string;
}

/** Reads the service's error envelope. Source: docs/api/README.md#errors. */
export function parseErrorEnvelope(body: string): ErrorEnvelope | undefined {
  const { error } = (parseJson(body) ?? {}) as { error?: unknown };
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return typeof code === "string"
    ? { code, message: typeof message === "string" ? message : "" }
    : undefined;
}

/**
 * Returns the message of a body without an error envelope, such as that of `{ success: false,
 * message }`.
 */
export function messageInBody(body: string): string {
  const { message } = (parseJson(body) ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : "";
}

/** Returns the texts that a body holds as a secret. */
export function secretsInBody(body: string): string[] {
  return [...body.matchAll(secretInText)].map(
    ({ groups = {} }) => groups.field ?? groups.parameter ?? "",
  );
}
