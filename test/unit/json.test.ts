import { expect, it } from "vitest";
import { parseJson } from "../../src/common/json.ts";

const nested = (depth: number) => `${"[".repeat(depth - 1)}{}${"]".repeat(depth - 1)}`;

it("JSON is parsed when it has at most 100 levels of lists and objects", () => {
  expect(parseJson(nested(100))).toEqual(JSON.parse(nested(100)));
  expect(parseJson(nested(101))).toBeUndefined();
});
