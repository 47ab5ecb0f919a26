import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { faultPage } from "../process/faults/page.js";

describe("docs/contributing/faults.md", () => {
  it("lists the cases in test/process/faults/cases.ts; npm run docs updates it", async () => {
    await expect(faultPage()).toMatchFileSnapshot(
      join(__dirname, "../../docs/contributing/faults.md"),
    );
  });
});
