import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import {
  environmentVariables,
  knownVariables,
  settingNames,
} from "../../src/common/setting-names.js";
import { webhookArguments } from "../../src/provider/arguments.js";
import { schema } from "../../tools/plugin/schema.mjs";
import {
  brokenLinksOf,
  codeBlocks,
  codeSpans,
  pages,
  readPage,
  rowsOf,
  sectionOf,
} from "../helpers/markdown.js";

const readme = readPage("README.md");
const scripts = Object.keys(JSON.parse(readPage("package.json")).scripts);
const commandNames = commands.map((command) => command.name());
const options = commands.flatMap((command) =>
  command.options.map(({ long }) => `${command.name()} ${long}`),
);

describe("README", () => {
  it("begins with the program of examples/basic, which the docstring of Webhook shows too", () => {
    const example = readPage("examples/basic/index.ts");
    const [firstScreen] = readme.split("\n## ");
    const docstring = example.replaceAll(/^/gm, " * ").replaceAll(/ +$/gm, "");

    expect(firstScreen).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
    expect(readPage("src/sdk/dynamic/webhook.ts")).toContain(docstring.trimEnd());
  });

  it("lists the arguments of a webhook", () => {
    expect(tableOf(readme, "Arguments").map(({ name }) => name)).toEqual(
      Object.keys(webhookArguments),
    );
  });

  it("lists the outputs of a webhook, whose id the schema calls webhookId", () => {
    const source = readPage("src/sdk/resource-base.ts");
    const declared = [...source.matchAll(/declare readonly (\w+):/g)].map(([, name]) => name);
    const names = tableOf(readme, "Outputs").map(({ name }) => name);
    const { properties } = schema.resources["dbwebhooks:index:Webhook"];

    expect(names).toEqual(["id", ...declared]);
    expect(Object.keys(properties).toSorted()).toEqual(["webhookId", ...declared].toSorted());
  });
});

it.each([
  { example: "yaml", files: ["Pulumi.yaml", "consumer/Pulumi.yaml"] },
  { example: "python", files: ["__main__.py", "Pulumi.yaml"] },
  { example: "go", files: ["main.go", "Pulumi.yaml"] },
  { example: "native", files: ["index.ts"] },
])("README of examples/$example shows the files that its commands run", ({ example, files }) => {
  const shown = codeBlocks(readPage(`examples/${example}/README.md`)).map(({ text }) => text);
  const texts = files.map((file) => readPage(`examples/${example}/${file}`));

  expect(shown).toEqual(expect.arrayContaining(texts));
});

it.each(settingNames)(
  "docs/configuration.md shows the variable, default and range of %s",
  (name) => {
    const rows = tableOf(readPage("docs/configuration.md"), "Settings");
    const rangeIn = (text = "") => /[\d.,]+ to [\d,]+/.exec(text)?.[0];
    const { description, default: value } = schema.config.variables[name];
    const defaultInWords = /Required|none|no limit/.exec(description)?.[0].toLowerCase();

    const row = rows.find(({ key }) => key === `dbwebhooks:${name}`);

    expect(row?.["environment variable"]).toBe(environmentVariables[name]);
    expect(row?.default).toBe(String(value ?? defaultInWords));
    expect(rangeIn(row?.limits)).toBe(rangeIn(description));
  },
);

it("docs/troubleshooting.md explains every kind of error", () => {
  const source = readPage("src/provider/errors.ts");
  const [union = ""] = /(?<=type ErrorKind =)[^;]+/.exec(source) ?? [];
  const kinds = union.match(/\w+/g)?.map((kind) => `[${kind}]`);
  const [firstScreen = ""] = readPage("docs/troubleshooting.md").split("\n## ");

  const explained = rowsOf(firstScreen).flatMap(({ cells: [kind = ""] }) => codeSpans(kind));

  expect(explained.toSorted()).toEqual(kinds?.toSorted());
});

describe.each(pages)("%s", (page) => {
  it.each([
    // A type token, such as dbwebhooks:Webhook, has the form of a setting.
    ["settings", settingNames, /\bdbwebhooks:(?!(?:index:)?Webhook\b)([A-Za-z]+)/g],
    ["environment variables", knownVariables, /\b(DBWEBHOOKS_[A-Z_]+)/g],
    ["npm scripts", scripts, /\bnpm run (?:--?\w+ )*([a-z][\w:-]*)/g],
    ["commands", commandNames, /(?:npx |`)pulumi-dbwebhooks ([a-z][\w-]*)/g],
    // The pattern captures the command too: "emit --data".
    ["options", options, /(?<=pulumi-dbwebhooks ([a-z][\w-]*)(?: [^`\n]*)?)( --[a-z][\w-]*)/g],
  ])("names only %s that exist", (_kind, existing, pattern) => {
    const named = [...readPage(page).matchAll(pattern)].map(([, ...groups]) => groups.join(""));

    expect(existing).toEqual(expect.arrayContaining(named));
  });

  it("links only to files and headings that exist", () => {
    expect(brokenLinksOf(page)).toEqual([]);
  });
});

/** Returns the rows of the tables below a heading: their cells without backticks, by the column's head. */
function tableOf(page: string, heading: string): Record<string, string>[] {
  return rowsOf(sectionOf(page, heading)).map(({ head, cells }) =>
    Object.fromEntries(cells.map((cell, at) => [head[at], cell.replaceAll("`", "")])),
  );
}
