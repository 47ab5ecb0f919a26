import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import {
  environmentVariables,
  knownVariables,
  settingNames,
} from "../../src/common/setting-names.js";
import { webhookArguments } from "../../src/provider/arguments.js";
import { schema } from "../../tools/plugin/schema.mjs";
import { brokenLinksOf, codeBlocks, pages, readPage, rowsOf } from "../helpers/markdown.js";

const readme = readPage("README.md");
const { scripts } = JSON.parse(readPage("package.json"));

describe("README", () => {
  const example = readPage("examples/basic/index.ts");

  it("begins with the program of examples/basic", () => {
    const [firstScreen = ""] = readme.split("\n## ");

    expect(firstScreen).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
  });

  it("begins with the program that the docstring of Webhook shows", () => {
    const lines = example.split("\n").map((line) => ` * ${line}`.trimEnd());

    expect(readPage("src/sdk/dynamic/webhook.ts")).toContain(lines.slice(0, -1).join("\n"));
  });

  it("lists the arguments of a webhook", () => {
    expect(namesOfTable("Arguments")).toEqual(Object.keys(webhookArguments));
  });

  it("lists the outputs of a webhook, of which the schema names the id in another way", () => {
    const declared = [...readPage("src/sdk/resource-base.ts").matchAll(/declare readonly (\w+):/g)];
    const names = declared.map(([, name = ""]) => name);
    const ofSchema = Object.keys(schema.resources["dbwebhooks:index:Webhook"].properties);

    expect(namesOfTable("Outputs")).toEqual(["id", ...names]);
    expect(ofSchema.toSorted()).toEqual(["webhookId", ...names].toSorted());
  });
});

describe("README of an example in another language", () => {
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
  const rows = tableOf("Settings", readPage("docs/configuration.md"));
  const limitsIn = (text = "") => /[\d.,]+ to [\d,]+/.exec(text)?.[0];

  it.each(settingNames)("shows the variable, the default and the limits of %s", (name) => {
    const { description, default: value } = schema.config.variables[name];
    const words = /Required|none|no limit/.exec(description)?.[0].toLowerCase();

    const [, variable, shownValue, limits] =
      rows.find(([key]) => key === `dbwebhooks:${name}`) ?? [];

    expect(variable).toBe(environmentVariables[name]);
    expect(shownValue).toBe(String(value ?? words));
    expect(limitsIn(limits)).toBe(limitsIn(description));
  });
});

describe("docs/troubleshooting.md", () => {
  it("explains every kind of error", () => {
    const [, union = ""] =
      /export type ErrorKind =([^;]+);/.exec(readPage("src/provider/errors.ts")) ?? [];
    const kinds = [...union.matchAll(/"(\w+)"/g)].map(([, kind]) => kind);
    const [first = ""] = readPage("docs/troubleshooting.md").split("\n## ");
    const explained = rowsOf(first).flatMap(({ cells }) =>
      [...(cells[0] ?? "").matchAll(/`\[(\w+)\]`/g)].map(([, kind]) => kind),
    );

    expect(explained.toSorted()).toEqual(kinds.toSorted());
  });
});

describe.each(pages)("%s", (page) => {
  const text = readPage(page);

  it("names settings and environment variables that exist", () => {
    // A type token, such as dbwebhooks:Webhook, has the form of a setting.
    const keys = namesIn(/\bdbwebhooks:(?!(?:index:)?Webhook\b)([A-Za-z]+)/g);
    const variables = namesIn(/\b(DBWEBHOOKS_[A-Z_]+)/g);

    expect(settingNames).toEqual(expect.arrayContaining(keys));
    expect(knownVariables).toEqual(expect.arrayContaining(variables));
  });

  it("names npm scripts that exist", () => {
    const names = namesIn(/\bnpm run (?:--?\w+ )*([a-z][\w:-]*)/g);

    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
  });

  it("names commands and options that exist", () => {
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

  it("links to files and headings that exist", () => {
    expect(brokenLinksOf(page)).toEqual([]);
  });

  function namesIn(pattern: RegExp): string[] {
    return [...text.matchAll(pattern)].map(([, name = ""]) => name);
  }
});

/** Returns the cells of the first table below a heading, without backticks. */
function tableOf(heading: string, page: string): string[][] {
  const table = page.split(`\n## ${heading}\n`)[1]?.match(/(?:^\|.*\n)+/m)?.[0] ?? "";
  return rowsOf(table).map(({ cells }) => cells.map((cell) => cell.replaceAll("`", "")));
}

function namesOfTable(heading: string): (string | undefined)[] {
  return tableOf(heading, readme).map(([name]) => name);
}
