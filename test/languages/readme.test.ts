import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { filesOf, pasteReadme, withExample } from "../helpers/example.js";
import { readPage } from "../helpers/markdown.js";
import { archiveFor } from "../helpers/plugin-archives.js";
import { readmeBlocks } from "../helpers/readme.js";

const examples = ["yaml", "python", "go"];
const packageAdd = join(__dirname, "../helpers/languages/package-add.mts");

/** The commands of a README as this machine needs them. */
function adaptedTo(example: string): (commands: string) => string {
  const { hasPackageAdd } = inject("languages");
  // The hosts that can be built here know neither package add nor the option virtualenv.
  const standIn = [
    ...(example === "python" ? [". venv/bin/activate"] : []),
    `'${process.execPath}' '${packageAdd}' ${example}`,
  ].join("\n");
  return (commands) =>
    commands
      .replace(archiveFor("linux-amd64"), archiveFor())
      .replace(/^pulumi package add .*$/m, (real) => (hasPackageAdd ? real : standIn));
}

/** The commands of a page from a new clone to the first secret in a state. */
function commandsToFirstSecret(readme: string): string[] {
  const before = [...readme.matchAll(/`(npm [^`]+)`/g)].map(([, command = ""]) => command);
  const pasted = readmeBlocks(readme)
    .flatMap(({ commands }) => commands.trim().replaceAll("\\\n", "").split("\n"))
    .flatMap((line) => line.split("&&"));
  const last = pasted.findIndex((command) => /\bup\b/.test(command));
  return [...before, ...pasted.slice(0, last + 1)];
}

describe.each(examples)("The README of examples/%s", (example) => {
  it("has commands that work when they are pasted, and prints what it says", async () => {
    await withExample(example, async (copy) => {
      const { blocks, output, createdIds, deletedIds } = await pasteReadme(
        copy,
        adaptedTo(example),
      );

      // The webhooks of the first up are those that the last command deletes.
      expect(createdIds).toHaveLength(2);
      expect(deletedIds.toSorted()).toEqual(createdIds.toSorted());
      expect(output).not.toContain("whsec_");
      expect((await filesOf(copy)).filter(({ text }) => text.includes("whsec_"))).toEqual([]);
      for (const { printed, documented } of blocks) {
        expect(printed).toContain(documented);
      }
    });
  });

  it("comes from a clone to a stored secret in under ten commands", () => {
    const commands = commandsToFirstSecret(readPage(`examples/${example}/README.md`));

    expect(commands.at(-1)).toContain("up");
    expect(commands.length, commands.join("\n")).toBeLessThan(10);
  });
});
