/** Parses JSON; `undefined` where a text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value of JSON is an object, and no list. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Formats a value as the text of a JSON file. */
export function jsonFileText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
