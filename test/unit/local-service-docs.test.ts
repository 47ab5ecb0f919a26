import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.ts";

const read = (path: string) => readFileSync(join(__dirname, "../..", path), "utf8");
const page = read("docs/local-service.md");

describe("The commands", () => {
  it("have their options listed, command by command", () => {
    const listed = [...page.matchAll(/^\| `(--[\w-]+)/gm)].map(([, name]) => name);

    expect(listed).toEqual(commands.flatMap(({ options }) => options.map(({ long }) => long)));
  });
});
