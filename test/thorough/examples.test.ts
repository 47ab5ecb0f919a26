import { describe, expect, it } from "vitest";
import { filesOf, pasteReadme, withExample } from "../helpers/example.js";

const names = ["basic", "per-table", "multi-account", "cross-stack", "rotation", "adopt", "ci"];

describe("The README of an example", () => {
  it.each(names)(
    "has commands that work when they are pasted, and prints what it says: %s",
    async (name) => {
      await withExample(name, async (example) => {
        const { blocks, output, createdIds, deletedIds } = await pasteReadme(example);

        expect(createdIds).not.toEqual([]);
        expect(deletedIds.toSorted()).toEqual(createdIds.toSorted());
        // The service's secrets all begin like this.
        expect(output).not.toContain("whsec_");
        expect((await filesOf(example)).filter(({ text }) => text.includes("whsec_"))).toEqual([]);
        for (const { printed, documented } of blocks) {
          expect(printed).toContain(documented);
        }
      });
    },
  );
});
