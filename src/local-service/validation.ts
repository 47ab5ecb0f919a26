import * as z from "zod/mini";
import { adviceForUnknownName } from "../common/nearest-name.js";

type Shape = Readonly<Record<string, z.ZodMiniType>>;

/** Returns one problem per invalid field, such as "events[1] must be …". */
export function problemsOf(schema: z.ZodMiniType, value: unknown): string[] {
  const problems = new Map<unknown, string>();
  for (const issue of schema.safeParse(value).error?.issues ?? []) {
    const unknownName = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
    const path = [...issue.path, ...unknownName];
    // A list can have thousands of invalid items.
    if (!problems.has(path[0])) {
      const name = z.core.toDotPath(path).slice(0, 100);
      problems.set(path[0], `${name} ${issue.message}`.trimStart());
    }
  }
  return [...problems.values()];
}

/** A schema of the values that fulfil a condition; `requirement` follows "must" in the problem. */
export function must(requirement: string, isValid: (value: unknown) => boolean) {
  return z.custom(isValid, { error: `must ${requirement}` });
}

/** A schema of objects that may have further fields. */
export function fields(shape: Shape) {
  return z.object(shape, { error: "must be an object" });
}

/** A schema of objects in which an unknown field is a problem. */
export function options(shape: Shape) {
  return z.strictObject(shape, {
    error: ({ code, keys }) =>
      code === "unrecognized_keys"
        ? adviceForUnknownName(String(keys?.[0]), Object.keys(shape))
        : "must be an object",
  });
}

export const aBoolean = must("be true or false", (value) => typeof value === "boolean");
export const aFunction = must("be a function", (value) => typeof value === "function");
export const aPositiveNumber = must(
  "be a number over 0",
  (value) => Number.isFinite(value) && Number(value) > 0,
);
export const aNonEmptyString = must(
  "be a non-empty string",
  (value) => typeof value === "string" && value !== "",
);

export function aWholeNumber(min: number) {
  const isValid = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= min;
  return must(`be a whole number of at least ${min}`, isValid);
}
