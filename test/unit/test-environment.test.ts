import { join } from "node:path";
import { expect, it } from "vitest";

it("The compile cache of the tests is inside this clone, where no other user can write", () => {
  const repository = join(__dirname, "../..");

  expect(process.env.NODE_COMPILE_CACHE?.startsWith(join(repository, "node_modules/.cache/"))).toBe(
    true,
  );
});
