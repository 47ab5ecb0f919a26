import type * as z from "zod/mini";

/** Everything that is wrong with something that was given, one entry a problem. */
interface Problems {
  readonly problems: readonly string[];
}

/** A value that fits, or what is wrong with it. */
export type Checked<Value> = { readonly value: Value; readonly problems?: undefined } | Problems;

/** Checks a value. Each problem says where it is, and what belongs there. */
export function check<Value>(schema: z.ZodMiniType<Value>, value: unknown): Checked<Value> {
  const { data, error } = schema.safeParse(value);
  return error === undefined ? { value: data as Value } : { problems: problemsOf(error) };
}

/** Checks an option; throws a TypeError that names every problem. */
export function checkOption<Value>(
  name: string,
  schema: z.ZodMiniType<Value>,
  value: unknown,
): Value {
  const checked = check(schema, value);
  if (checked.problems !== undefined) {
    throw new TypeError(`${name}: ${checked.problems.join("; ")}.`);
  }
  return checked.value;
}

function problemsOf({ issues }: z.core.$ZodError): string[] {
  return issues.map(({ path, message }) => `${pathText(path)} ${message}`.trim());
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .slice(1);
}
