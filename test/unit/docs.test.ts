import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { apiKeysVariable } from "../../src/cli/defaults.ts";
import { environmentVariables, settingNames } from "../../src/common/setting-names.js";
import { webhookArguments } from "../../src/core/arguments.js";
import { importSecretVariable } from "../../src/core/import.js";
import { accountSettings } from "../../src/service/settings.js";
import { brokenLinksOf, pages, readPage, rowsOf } from "../helpers/markdown.js";

const readme = readPage("README.md");
const [firstScreen = ""] = readme.split("\n## ");
const { scripts } = JSON.parse(readPage("package.json"));
const required = { baseUrl: "https://tables.example.com", apiKey: "key" };

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
});

describe("The words of all pages", () => {
  const generated = /reference|contributing\/(faults|benchmarks)/;

  it.each([
    ["the README", 1_000, /^README/],
    ["SECURITY.md", 700, /^SECURITY/],
    ["pages for users", 9_000, /^(CHANGELOG|SECURITY|docs\/[\w-]+\.md)/],
    ["examples", 2_500, /^examples/],
    ["pages for contributors", 3_000, /^docs\/contributing/],
  ])("are few enough to be read: %s", (_, most, names) => {
    const words = pages.filter((page) => names.test(page) && !generated.test(page)).map(wordsOf);

    expect(words.length).toBeGreaterThan(0);
    expect(words.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(most);
  });
});

describe("docs/configuration.md", () => {
  it("lists the settings that there are, with their environment variables and defaults", () => {
    const rows = tableOf("Settings", readPage("docs/configuration.md"));
    const defaults: Record<string, unknown> = accountSettings(false).parse(required);

    expect(rows.map((cells) => cells.slice(0, 3))).toEqual(
      Object.entries(environmentVariables).map(([name, variable]) => [
        `dbwebhooks:${name}`,
        variable,
        name in required ? "required" : shown(defaults[name]),
      ]),
    );
  });

  it("lists the limits of numbers", () => {
    const rows = tableOf("Settings", readPage("docs/configuration.md"));

    for (const [key = "", , , limits = ""] of rows) {
      const [least, most] = limits.split(" to ").map((text) => Number(text.replaceAll(",", "")));
      if (most !== undefined) {
        const accepts = (value: number) =>
          accountSettings(false).safeParse({ ...required, [key.split(":")[1] ?? ""]: `${value}` })
            .success;
        expect(
          [least, most].map((value) => accepts(value ?? Number.NaN)),
          key,
        ).toEqual([true, true]);
        expect([0, most + 1].map(accepts), key).toEqual([least === 0, false]);
      }
    }
  });
});

describe("docs/troubleshooting.md", () => {
  it("explains every kind of error", () => {
    const [, union = ""] =
      /export type ErrorKind =([^;]+);/.exec(readPage("src/core/errors.ts")) ?? [];
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

/** How the page writes a default. */
function shown(value: unknown): string {
  const isNone = Array.isArray(value) && value.length === 0;
  return isNone ? "none" : value === undefined ? "no limit" : String(value);
}

/** As `wc -w` counts them. */
function wordsOf(page: string): number {
  return readPage(page).trim().split(/\s+/).length;
}

/** The first table below a heading, of the README unless told otherwise, without code marks. */
function tableOf(heading: string, page = readme): string[][] {
  const section = page.split(`\n## ${heading}\n`)[1] ?? "";
  const rows = rowsOf(section.match(/(?:^\|.*\n)+/m)?.[0] ?? "");
  return rows.map(({ cells }) => cells.map((cell) => cell.replaceAll("`", "")));
}

function namesOfTable(heading: string): (string | undefined)[] {
  return tableOf(heading).map(([name]) => name);
}
