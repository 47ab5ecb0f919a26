import { oneLine, redact } from "../common/redact.js";
import type { HttpFailure } from "./http.js";

/** What Node.js, TLS and undici say of a connection has a code; what is wrong with a call has none. */
export function isConnectionError(error: unknown): boolean {
  return typeof (error as { code?: unknown } | null)?.code === "string";
}

// Codes of Node.js and OpenSSL for a certificate that is not trusted, and for a host that does not exist.
const neverPasses =
  /^(ENOTFOUND|CERT_.*|UNABLE_TO_.*|.*SELF_SIGNED_CERT.*|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME_INVALID)$/;

/** Whether another attempt can help, where the error tells. */
export function whenItPasses(error: unknown): Pick<HttpFailure, "passes"> {
  const { code, errors } = error as { code: string; errors?: readonly unknown[] };
  if (neverPasses.test(code)) {
    return { passes: "never" };
  }
  // Where a name has several addresses, each of them was tried.
  const isRefused = [error, ...(errors ?? [])].some(
    (each) => (each as { code?: unknown }).code === "ECONNREFUSED",
  );
  return isRefused ? { passes: "soon" } : {};
}

/** What an error says of its connection, for a message. */
export function causeText(error: unknown, apiKey: string): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const parts = [code, message].filter((part) => typeof part === "string" && part !== "");
  return oneLine(redact(parts.join(": "), [apiKey]), 150) || "unknown reason";
}
