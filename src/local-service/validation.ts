import { adviceForUnknownName } from "../common/nearest-name.js";

/** Returns what is wrong with a value, such as "port must be …", or `undefined` when it is valid. */
export type Check = (name: string, value: unknown) => string | undefined;

/** The checks of an object's fields, by name. */
export type Checks = Readonly<Record<string, Check>>;

/** Throws a TypeError that names every invalid and every unknown option. */
export function assertOptions(subject: string, options: unknown, checks: Checks): void {
  if (!isObject(options)) {
    throw new TypeError(`${subject}: expected an object.`);
  }
  const names = Object.keys(checks);
  const unknown = Object.keys(options as object).filter((name) => !names.includes(name));
  const problems = [
    ...validateFields(options, checks),
    ...unknown.map((name) => `${name.slice(0, 100)} ${adviceForUnknownName(name, names)}`),
  ];
  if (problems.length > 0) {
    throw new TypeError(`${subject}: ${problems.join("; ")}.`);
  }
}

/** Returns one problem per invalid field. Ignores unknown fields. */
export function validateFields(value: unknown, checks: Checks): string[] {
  if (!isObject(value)) {
    return ["must be an object"];
  }
  const fields = value as Record<string, unknown>;
  return Object.entries(checks).flatMap(([name, check]) => check(name, fields[name]) ?? []);
}

/** The check that a value is valid; `requirement` follows "must" in the message. */
export function must(requirement: string, isValid: (value: unknown) => boolean): Check {
  return (name, value) => (isValid(value) ? undefined : `${name} must ${requirement}`);
}

export function optional(check: Check): Check {
  return (name, value) => (value === undefined ? undefined : check(name, value));
}

export function oneOf(values: readonly string[]): Check {
  return must(`be one of ${values.join(", ")}`, (value) => values.includes(value as string));
}

export const anything: Check = () => undefined;
export const anObject = must("be an object", isObject);
export const aFunction = must("be a function", (value) => typeof value === "function");
export const aBoolean = must("be true or false", (value) => typeof value === "boolean");
export const aWholeNumber = must(
  "be a whole number of at least 0",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
export const aPositiveWholeNumber = must(
  "be a whole number of at least 1",
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
);
export const aPositiveNumber = must(
  "be a number over 0",
  (value) => Number.isFinite(value) && Number(value) > 0,
);
export const aNonEmptyString = must(
  "be a non-empty string",
  (value) => typeof value === "string" && value !== "",
);

export function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
