import { expect, it } from "vitest";
import { parseRetryAfter } from "../../../src/api/retry-after.ts";

const now = Date.parse("Sun, 06 Nov 1994 08:49:37 GMT");

it.each([
  ["0", 0],
  ["Sun, 06 Nov 1994 08:00:00 GMT", 0],
  [" 0010 ", 10_000],
  ["Sun, 06 Nov 1994 08:49:47 GMT", 10_000],
  ["", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["1e3", undefined],
  ["1994-11-06", undefined],
  ["Sun, 99 Nov 1994 08:49:37 GMT", undefined],
  ["on Sun, 06 Nov 1994 08:49:47 GMT", undefined],
])("parseRetryAfter(%j) returns %s", (value, expected) => {
  expect(parseRetryAfter(value, now)).toBe(expected);
});
