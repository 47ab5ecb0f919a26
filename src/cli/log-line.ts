import { isJsonObject, parseJson } from "../common/json.js";
import { oneLine } from "../common/plain-text.js";
import { redact, sensitiveValues } from "../common/redaction.js";
import type { ServiceRequest } from "../local-service/index.js";

const maxLength = 1_000;

/**
 * Formats a request and its response as a line, without API keys, secrets, and URLs of receivers.
 */
export async function logLine(
  { method, path }: ServiceRequest,
  response: Response,
  apiKeys: readonly string[],
): Promise<string> {
  const sensitive = sensitiveValues({ apiKeys });
  const safe = (text: string) => oneLine(redact(text, sensitive), maxLength);
  const text = await response.clone().text();
  const json = parseJson(text);
  // Any other text is one of the few fixed ones of the local service.
  const shown = isJsonObject(json) ? JSON.stringify(shownFields(json)) : text;
  const line = `${method} ${safe(path.replace(/\?.*/s, ""))} ${response.status} ${safe(shown)}`;
  return line.trimEnd();
}

/** Every other field of a response is a secret, or may contain the URL of a receiver. */
// biome-ignore lint/suspicious/noExplicitAny: the responses of the local service are known.
function shownFields({ id, message, error, deliveries, webhooks }: any) {
  const ids = webhooks?.map((webhook: { readonly id: number }) => webhook.id);
  return { id, message, error, deliveries, webhooks: ids };
}
