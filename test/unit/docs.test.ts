import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { problemsOfArguments } from "../../src/schema.js";
import { environmentVariables } from "../../src/settings.js";

const read = (path: string) => readFileSync(join(__dirname, "../..", path), "utf8");
const readme = read("README.md");

describe("README", () => {
  it("begins with the program of examples/basic, which is the example of Webhook too", () => {
    const example = read("examples/basic/index.ts");
    const jsdoc = read("src/webhook.ts").match(/@example\n \* ```ts\n([\s\S]*?) \* ```/)?.[1];

    expect(readme).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
    expect(jsdoc?.replace(/^ \* ?/gm, "")).toBe(example);
  });

  it("lists the arguments that there are", () => {
    const { url } = { url: "https://example.com" };
    const [problem] = problemsOfArguments({
      databaseId: "base_abc123",
      url,
      events: ["record.created"],
      nothingLikeAnArgument: true,
    });

    expect(namesOfTable("Arguments")).toEqual(problem?.split("there are ")[1]?.split(", "));
  });

  it("lists the outputs that there are", () => {
    const declared = [...read("src/webhook.ts").matchAll(/declare readonly (\w+):/g)];

    expect(namesOfTable("Outputs")).toEqual(["id", ...declared.map(([, name]) => name)]);
  });

  it("lists the settings that there are, with their environment variables", () => {
    const rows = tableOf("Configuration").map(([key, variable]) => [key, variable]);

    expect(rows).toEqual(
      Object.entries(environmentVariables).map(([name, variable]) => [
        `dbwebhooks:${name}`,
        variable,
      ]),
    );
  });
});

/** Cells of the first table below a heading, without its head, and without code marks. */
function tableOf(heading: string): string[][] {
  const section = readme.split(`\n## ${heading}\n`)[1] ?? "";
  const [table] = section.match(/(?:^\|.*\n)+/m) ?? [""];
  return table
    .trim()
    .split("\n")
    .slice(2)
    .map((row) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", "")),
    );
}

function namesOfTable(heading: string): (string | undefined)[] {
  return tableOf(heading).map(([name]) => name);
}
