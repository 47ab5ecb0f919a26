import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { apiKeysVariable } from "../../src/cli/defaults.ts";
import { environmentVariables, settingNames } from "../../src/common/setting-names.js";
import { webhookArguments } from "../../src/core/arguments.js";
import { importSecretVariable } from "../../src/core/import.js";
import { brokenLinksOf, pages, readPage, rowsOf } from "../helpers/markdown.js";

const readme = readPage("README.md");
const [firstScreen = ""] = readme.split("\n## ");
const { scripts } = JSON.parse(readPage("package.json"));

describe("README", () => {
  it("begins with the program of examples/basic, which is the example of Webhook too", () => {
    const example = readPage("examples/basic/index.ts");
    const jsdoc = readPage("src/dynamic/webhook.ts").match(
      /@example\n \* ```ts\n([\s\S]*?) \* ```/,
    )?.[1];

    expect(firstScreen).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
    expect(jsdoc?.replace(/^ \* ?/gm, "")).toBe(example);
  });

  it("lists the arguments that there are", () => {
    expect(namesOfTable("Arguments")).toEqual(Object.keys(webhookArguments));
  });

  it("lists the outputs that there are", () => {
    const declared = [...readPage("src/dynamic/webhook.ts").matchAll(/declare readonly (\w+):/g)];

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

describe.each(pages)("%s", (page) => {
  const text = readPage(page);

  it("names settings and environment variables that there are", () => {
    // The resource's type tokens have the form of a setting.
    const keys = namesIn(/\bdbwebhooks:(?!(?:index:)?Webhook\b)([A-Za-z]+)/g);
    const variables = namesIn(/\bDBWEBHOOKS_[A-Z_]+/g);

    expect(settingNames).toEqual(expect.arrayContaining(keys));
    // The last one is a setting of `npm run pulumi`.
    const known = [
      ...Object.values(environmentVariables),
      importSecretVariable,
      apiKeysVariable,
      "DBWEBHOOKS_PULUMI_LANGUAGES",
    ];
    expect(known).toEqual(expect.arrayContaining(variables));
  });

  it("names npm scripts that there are", () => {
    const names = namesIn(/\bnpm run (?:--?\w+ )*([a-z][\w:-]*)/g);

    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
  });

  it("gives commands and options that there are", () => {
    for (const [, name = "", rest = ""] of text.matchAll(
      /(?:npx |`)pulumi-dbwebhooks ([a-z][\w-]*)([^`\n]*)/g,
    )) {
      const options = [...rest.matchAll(/ --([a-z][\w-]*)/g)].map(([, option]) => option);
      const command = commands.find((known) => known.name() === name);
      const known = command?.options.map(({ long }) => long?.replace("--", ""));

      expect(command, name).toBeDefined();
      expect(known).toEqual(expect.arrayContaining(options));
    }
  });

  it("links to files and headings that there are", () => {
    expect(brokenLinksOf(page)).toEqual([]);
  });

  function namesIn(pattern: RegExp): string[] {
    return [...text.matchAll(pattern)].map(([all, name]) => name ?? all);
  }
});

describe("docs/reference", () => {
  it("has all arguments, outputs and settings", () => {
    const names = [...namesOfTable("Arguments"), ...namesOfTable("Outputs"), ...settingNames];
    const page = readPage("docs/reference/pulumi-dbwebhooks.md");
    const listed = rowsOf(page).map(({ cells }) => cells[0]?.match(/`(\w+)\??`/)?.[1]);

    // The id is every resource's.
    const expected = names.filter((name) => name !== "id");
    expect(listed).toEqual(expect.arrayContaining(expected));
  });
});

/** The first table below a heading of the README, without code marks. */
function tableOf(heading: string): string[][] {
  const section = readme.split(`\n## ${heading}\n`)[1] ?? "";
  const rows = rowsOf(section.match(/(?:^\|.*\n)+/m)?.[0] ?? "");
  return rows.map(({ cells }) => cells.map((cell) => cell.replaceAll("`", "")));
}

function namesOfTable(heading: string): (string | undefined)[] {
  return tableOf(heading).map(([name]) => name);
}
