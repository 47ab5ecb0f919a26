// The error in a response of any status. Without zod, which is loaded only with the first request.
import { parseJson } from "../common/json.js";

/**
 * Returns the code of the service's error; `undefined` for a body that is none of its errors.
 * Source: docs/api/README.md#errors.
 */
export function errorCodeOf(body: string | undefined): string | undefined {
  const { code } = errorIn(fieldsIn(body));
  return typeof code === "string" ? code : undefined;
}

/**
 * Returns the reason that a body gives: the message of an error, a message or an error by itself,
 * or the detail of a problem (RFC 9457). Beside a message, some frameworks write the reason phrase
 * of the status as the error.
 */
export function errorMessageOf(body: string | undefined): string {
  const fields = fieldsIn(body);
  const { error, message, detail } = fields;
  const reasons = [errorIn(fields).message, message, error, detail];
  return reasons.map(textOf).find(Boolean) ?? "";
}

/**
 * Returns a text as it is, and the texts of a list, such as one for each invalid field, joined. A
 * blank text is none.
 */
function textOf(reason: unknown): string {
  const texts = [reason].flat().filter((one) => typeof one === "string");
  return texts.filter((text) => text.trim() !== "").join("; ");
}

function errorIn({ error }: Fields): Fields {
  return (error ?? {}) as Fields;
}

function fieldsIn(body = ""): Fields {
  return (parseJson(body) ?? {}) as Fields;
}

type Fields = Readonly<Record<string, unknown>>;
