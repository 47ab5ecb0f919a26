import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { faultPage } from "../process/faults/page.js";

describe("docs/contributing/faults.md", () => {
  it("is written from the rows (npm run docs writes it)", async () => {
    await expect(faultPage()).toMatchFileSnapshot(
      join(__dirname, "../../docs/contributing/faults.md"),
    );
  });
});
