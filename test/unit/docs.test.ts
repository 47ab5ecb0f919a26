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
const [firstScreen = ""] = readme.split("\n## ");
const { scripts } = JSON.parse(readPage("package.json"));

describe("README", () => {
  it("begins with the program of examples/basic, which is also the example of Webhook", () => {
    const example = readPage("examples/basic/index.ts");
    const jsdoc = readPage("src/sdk/dynamic/webhook.ts").match(
      /@example\n \* ```ts\n([\s\S]*?) \* ```/,
    )?.[1];

    expect(firstScreen).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
    expect(jsdoc?.replace(/^ \* ?/gm, "")).toBe(example);
  });

  it("lists the arguments of a webhook", () => {
    expect(namesOfTable("Arguments")).toEqual(Object.keys(webhookArguments));
  });

  it("lists the outputs of a webhook, which are also those of the schema", () => {
    const declared = [...readPage("src/sdk/resource-base.ts").matchAll(/declare readonly (\w+):/g)];
    const ofPlugin = Object.keys(schema.resources["dbwebhooks:index:Webhook"].properties);

    const names = ["id", ...declared.map(([, name]) => name)];
    expect(namesOfTable("Outputs")).toEqual(names);
    expect(ofPlugin.toSorted()).toEqual(names.with(0, "webhookId").toSorted());
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
  it("lists the settings with the variables, defaults and limits of the schema", () => {
    const rows = tableOf("Settings", readPage("docs/configuration.md"));
    const limits = /[\d.,]+ to [\d,]+/;

    expect(
      rows.map(([key, variable, value, text]) => [
        key,
        variable,
        value,
        limits.exec(text ?? "")?.[0],
      ]),
    ).toEqual(
      settingNames.map((name) => {
        const { description, default: value } = schema.config.variables[name];
        const [, otherwise = ""] =
          /(?:Default: |or )(no limit|none)|Required/.exec(description) ?? [];
        return [
          `dbwebhooks:${name}`,
          environmentVariables[name],
          String(value ?? (otherwise || "required")),
          limits.exec(description)?.[0],
        ];
      }),
    );
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
    const variables = namesIn(/\bDBWEBHOOKS_[A-Z_]+/g);

    expect(settingNames).toEqual(expect.arrayContaining(keys));
    expect(knownVariables).toEqual(expect.arrayContaining(variables));
  });

  it("names npm scripts that exist", () => {
    const names = namesIn(/\bnpm run (?:--?\w+ )*([a-z][\w:-]*)/g);

    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
  });

  it("names commands and options that exist", () => {
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

  it("links to files and headings that exist", () => {
    expect(brokenLinksOf(page)).toEqual([]);
  });

  function namesIn(pattern: RegExp): string[] {
    return [...text.matchAll(pattern)].map(([all, name]) => name ?? all);
  }
});

/** Returns the cells of the first table below a heading, without backticks. */
function tableOf(heading: string, page = readme): string[][] {
  const section = page.split(`\n## ${heading}\n`)[1] ?? "";
  const rows = rowsOf(section.match(/(?:^\|.*\n)+/m)?.[0] ?? "");
  return rows.map(({ cells }) => cells.map((cell) => cell.replaceAll("`", "")));
}

function namesOfTable(heading: string): (string | undefined)[] {
  return tableOf(heading).map(([name]) => name);
}
