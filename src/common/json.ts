const maxDepth = 100;

/**
 * Parses JSON; `undefined` where a text is not JSON, or has more than 100 levels of lists and
 * objects: recursive functions overflow their stack on such a value.
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether a value of JSON is an object, and no list. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isListOrObject(value) && !Array.isArray(value);
}

function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isListOrObject);
  for (let depth = 1; depth <= maxDepth; depth++) {
    level = level.flatMap((one) => Object.values(one)).filter(isListOrObject);
  }
  return level.length > 0;
}

function isListOrObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
