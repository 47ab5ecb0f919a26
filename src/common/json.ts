const maxDepth = 100;

/**
 * Parses JSON; `undefined` where a text is not JSON, or has more than 100 levels of lists and objects: recursive
 * functions overflow their stack on such a value.
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isObject);
  for (let depth = 1; depth <= maxDepth; depth++) {
    level = level.flatMap((one) => Object.values(one)).filter(isObject);
  }
  return level.length > 0;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
