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
const { scripts } = JSON.parse(readPage("package.json"));

describe("README", () => {
  const namesOfTable = (heading: string) => tableOf(readme, heading).map(({ name }) => name);

  it("begins with the program of examples/basic, which the docstring of Webhook shows too", () => {
    const example = readPage("examples/basic/index.ts");
    const [firstScreen = ""] = readme.split("\n## ");
    const commentLines = example
      .trimEnd()
      .split("\n")
      .map((line) => ` * ${line}`.trimEnd());

    expect(firstScreen).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
    expect(readPage("src/sdk/dynamic/webhook.ts")).toContain(commentLines.join("\n"));
  });

  it("lists the arguments of a webhook", () => {
    expect(namesOfTable("Arguments")).toEqual(Object.keys(webhookArguments));
  });

  it("lists the outputs of a webhook, whose id the schema calls webhookId", () => {
    const source = readPage("src/sdk/resource-base.ts");
    const declared = [...source.matchAll(/declare readonly (\w+):/g)].map(([, name = ""]) => name);
    const inSchema = Object.keys(schema.resources["dbwebhooks:index:Webhook"].properties);

    expect(namesOfTable("Outputs")).toEqual(["id", ...declared]);
    expect(inSchema.toSorted()).toEqual(["webhookId", ...declared].toSorted());
  });
});

describe("README of an example that uses the plugin", () => {
  it.each([
    ["yaml", "Pulumi.yaml"],
    ["yaml", "consumer/Pulumi.yaml"],
    ["python", "__main__.py"],
    ["python", "Pulumi.yaml"],
    ["go", "main.go"],
    ["go", "Pulumi.yaml"],
    ["native", "index.ts"],
  ])("shows the file that its commands run: %s, %s", (example, file) => {
    const shown = codeBlocks(readPage(`examples/${example}/README.md`)).map(({ text }) => text);

    expect(shown).toContain(readPage(`examples/${example}/${file}`));
  });
});

describe("docs/configuration.md", () => {
  const rows = tableOf(readPage("docs/configuration.md"), "Settings");
  const rangeIn = (text = "") => /[\d.,]+ to [\d,]+/.exec(text)?.[0];

  it.each(settingNames)("shows the variable, the default and the range of %s", (name) => {
    const { description, default: value } = schema.config.variables[name];
    const defaultInWords = /Required|none|no limit/.exec(description)?.[0].toLowerCase();

    const row = rows.find(({ key }) => key === `dbwebhooks:${name}`);

    expect(row?.["environment variable"]).toBe(environmentVariables[name]);
    expect(row?.default).toBe(String(value ?? defaultInWords));
    expect(rangeIn(row?.limits)).toBe(rangeIn(description));
  });
});

describe("docs/troubleshooting.md", () => {
  it("explains every kind of error", () => {
    const source = readPage("src/provider/errors.ts");
    const [, union = ""] = /type ErrorKind =([^;]+);/.exec(source) ?? [];
    const kinds = [...union.matchAll(/\w+/g)].map(([kind]) => `[${kind}]`);
    const [firstScreen = ""] = readPage("docs/troubleshooting.md").split("\n## ");

    const explained = rowsOf(firstScreen).flatMap(({ cells: [kind = ""] }) => codeSpans(kind));

    expect(explained.toSorted()).toEqual(kinds.toSorted());
  });
});

describe.each(pages)("%s", (page) => {
  const text = readPage(page);

  it("names only settings and environment variables that exist", () => {
    // A type token, such as dbwebhooks:Webhook, has the form of a setting.
    const keys = namesIn(/\bdbwebhooks:(?!(?:index:)?Webhook\b)([A-Za-z]+)/g);
    const variables = namesIn(/\b(DBWEBHOOKS_[A-Z_]+)/g);

    expect(settingNames).toEqual(expect.arrayContaining(keys));
    expect(knownVariables).toEqual(expect.arrayContaining(variables));
  });

  it("names only npm scripts that exist", () => {
    const names = namesIn(/\bnpm run (?:--?\w+ )*([a-z][\w:-]*)/g);

    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
  });

  it("names only commands and options that exist", () => {
    const commandLines = text.matchAll(/(?:npx |`)pulumi-dbwebhooks ([a-z][\w-]*)([^`\n]*)/g);
    const named = [...commandLines].flatMap(([, name = "", rest = ""]) =>
      ["", ...(rest.match(/ --[a-z][\w-]*/g) ?? [])].map((option) => name + option),
    );
    const known = commands.flatMap((command) => [
      command.name(),
      ...command.options.map(({ long }) => `${command.name()} ${long}`),
    ]);

    expect(known).toEqual(expect.arrayContaining(named));
  });

  it("links only to files and headings that exist", () => {
    expect(brokenLinksOf(page)).toEqual([]);
  });

  function namesIn(pattern: RegExp): string[] {
    return [...text.matchAll(pattern)].map(([, name = ""]) => name);
  }
});

/** Returns the rows of the tables below a heading: their cells without backticks, by the column's head. */
function tableOf(page: string, heading: string): Record<string, string>[] {
  return rowsOf(sectionOf(page, heading)).map(({ head, cells }) =>
    Object.fromEntries(cells.map((cell, at) => [head[at], cell.replaceAll("`", "")])),
  );
}
