import * as z from "zod/mini";
import { adviceForUnknownName } from "../common/nearest-name.js";

/** Everything that is wrong with a value, one entry a problem. */
interface Problems {
  readonly problems: readonly string[];
}

/** A value that fits, or what is wrong with it. */
export type Checked<Value> = { readonly value: Value; readonly problems?: undefined } | Problems;

// A creation can name tens of thousands of wrong events.
const maxProblems = 20;

/** Checks a value. Each problem names its path and what belongs there. */
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

/** The schema of an object without other fields. A problem names the nearest field. */
export function closedObject<Shape extends z.core.$ZodShape>(shape: Shape, message: string) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((name) => adviceForUnknownName(name, names)).join("\n")
        : message,
  });
}

function problemsOf({ issues }: z.core.$ZodError): string[] {
  const problems = issues.flatMap((issue) => {
    if (issue.code !== "unrecognized_keys") {
      return [problemAt(issue.path, issue.message)];
    }
    const advice = issue.message.split("\n");
    return issue.keys.map((name, index) =>
      problemAt([...issue.path, name.slice(0, 100)], advice[index]),
    );
  });
  const more = problems.length - maxProblems;
  return more > 0 ? [...problems.slice(0, maxProblems), `and ${more} more`] : problems;
}

function problemAt(path: readonly PropertyKey[], problem = ""): string {
  return `${z.core.toDotPath(path)} ${problem}`.trim();
}
