import * as z from "zod/mini";

/** Makes a zod check of a function that says what is wrong with a value, and nothing when all is well. */
export function hasNo(problemOf: (value: string) => string | undefined): z.core.$ZodCheck<string> {
  return z.refine((value: string) => problemOf(value) === undefined, {
    error: (issue) => problemOf(issue.input as string),
  });
}
