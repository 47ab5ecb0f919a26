import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import schema from "../../../src/adapters/plugin/schema.json";
import { commandOptions, commonOptions } from "../../../src/cli/command-options.ts";
import { eventTypes } from "../../../src/common/event-types.ts";
import * as settings from "../../../src/common/settings-table.ts";
import { consequenceTexts } from "../../../src/provider/messages/error-message.ts";
import { troubleshootingHeadings } from "../../../src/provider/messages/troubleshooting.ts";
import { webhookArguments } from "../../../src/provider/rules/arguments.ts";
import { importVariable } from "../../../src/provider/rules/import-variable.ts";
import { repository } from "../../helpers/directory.ts";
import * as markdown from "../../helpers/markdown.ts";

const readme = markdown.readPage("README.md");
const scripts = Object.keys(JSON.parse(markdown.readPage("package.json")).scripts);
const variables = [
  ...Object.values(settings.settingsTable).map(({ variable }) => variable),
  importVariable,
];

it("README begins with the program of examples/basic, which the docstring of Webhook shows too", () => {
  const example = markdown.readPage("examples/basic/index.ts");
  const [firstScreen] = readme.split("\n## ");
  const docstring = example.replaceAll(/^/gm, " * ").replaceAll(/ +$/gm, "");

  expect(firstScreen).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
  expect(markdown.readPage("src/sdk/dynamic/webhook.ts")).toContain(docstring);
});

it.each(["docs/replacement.md", "examples/rotation/index.ts"])(
  "%s has the arguments of examples/basic, so that pasting it replaces no webhook",
  (path) => {
    const withoutIndentation = (file: string) => markdown.readPage(file).replaceAll(/^ +/gm, "");
    const example = withoutIndentation("examples/basic/index.ts");
    const [args] = /(?<=Webhook\("orders", )\{[^}]+\}/.exec(example) ?? [];

    expect(withoutIndentation(path)).toContain(args);
  },
);

it("docs/receive-and-verify.md has the function of examples/receiver", () => {
  const [, verify = ""] =
    /^(function isSigned.*?^\})/ms.exec(markdown.readPage("examples/receiver/receiver.ts")) ?? [];

  expect(verify).not.toBe("");
  expect(markdown.readPage("docs/receive-and-verify.md")).toContain(verify);
});

it("README shows both commands of a clone within its first 40 lines", () => {
  const firstLines = readme.split("\n").slice(0, 40).join("\n");

  expect(markdown.codeBlocks(firstLines)).toContainEqual({
    language: "sh",
    text: "npm start\nnpm cit\n",
  });
  // npm's own command `cit` installs as `npm ci` does, and runs the script `test`.
  expect(scripts).toEqual(expect.arrayContaining(["start", "test"]));
});

it("README lists the arguments and outputs of a webhook", () => {
  const { properties } = schema.resources["dbwebhooks:index:Webhook"];
  const namesBelow = (heading: string) =>
    tableOf(readme, heading).flatMap(({ name = "" }) => name.split(", "));

  expect(namesBelow("Arguments")).toEqual(Object.keys(webhookArguments));
  expect(namesBelow("Outputs")).toEqual(["id", ...Object.keys(properties)]);
});

it.each(settings.settingNames)(
  "docs/configuration.md has the variable, default and range of %s",
  (name) => {
    const rows = tableOf(markdown.readPage("docs/configuration.md"), "Settings");
    const rangeIn = (text = "") => /[\d.,]+ to [\d,]+/.exec(text)?.[0];
    const { description } = schema.config.variables[name];
    const { variable, defaultValue, isRequired } = settings.settingsTable[name];

    const key = `dbwebhooks:${name}<br>${variable}`;
    const row = rows.find((cells) => cells["setting, and environment variable"] === key);

    expect(row?.default).toBe(String(defaultValue ?? (isRequired ? "required" : "not set")));
    expect(rangeIn(row?.limits)).toBe(rangeIn(description));
  },
);

it.each(["list", "delete"] as const)("docs/commands.md has every option of %s", (command) => {
  const rows = tableOf(markdown.readPage("docs/commands.md"), "Options");
  const own = Object.keys(commandOptions[command]).filter((name) => !(name in commonOptions));

  const described = rows.filter(({ of }) => of === command || of === "both");
  const names = described.map(({ option = "" }) => /^--(\w+)/.exec(option)?.[1]);
  expect(names.toSorted()).toEqual(own.toSorted());
});

it("docs/troubleshooting.md has a row for every kind of error", () => {
  const kinds = Object.keys(consequenceTexts).map((kind) => `[${kind}]`);
  const words = markdown.sectionOf(
    markdown.readPage("docs/troubleshooting.md"),
    "Words in brackets",
  );

  const firstCells = markdown.rowsOf(words).map(({ cells }) => cells[0] ?? "");
  const explained = firstCells.flatMap(codeSpans);

  expect(explained.toSorted()).toEqual(kinds?.toSorted());
});

it("docs/troubleshooting.md has every heading to which a message refers", () => {
  const headings = markdown.readPage("docs/troubleshooting.md").match(/(?<=^#+ ).+$/gm);

  expect(headings).toEqual(expect.arrayContaining([...troubleshootingHeadings]));
});

it("Pages and examples name the version of the package", () => {
  const { version } = JSON.parse(markdown.readPage("package.json"));
  const files = ["README.md", "docs/*.md", "examples/README.md", "examples/*/package.json"];
  // In names of archives, in commands, and in the dependencies of the examples.
  const pattern = /(?<=dbwebhooks(?:-| |": "\^))\d+\.\d+\.\d+(?:-(?:[a-z]+\.)?\d+)?/g;

  const named = globSync(files, { cwd: repository }).flatMap((path) =>
    [...markdown.readPage(path).matchAll(pattern)].map(([found]) => ({ path, version: found })),
  );

  expect(named).not.toEqual([]);
  expect(named.filter((one) => one.version !== version)).toEqual([]);
});

it("README lists the event types, for copying", () => {
  const [block] = markdown.codeBlocks(markdown.sectionOf(readme, "Arguments"));

  expect(block?.text.trim().split(/\s+/)).toEqual(eventTypes);
});

it.each(["src", "test", "tools"])(
  "Files in %s cite only headings of the API that exist",
  (directory) => {
    const page = "docs/api/README.md";

    const cited = anchorsCitedIn(directory, page);

    expect(markdown.anchorsOf(markdown.readPage(page))).toEqual(expect.arrayContaining(cited));
  },
);

it.each<readonly [kind: string, existing: readonly string[], pattern: RegExp]>([
  // A type token, such as dbwebhooks:Webhook, has the form of a setting.
  ["settings", settings.settingNames, /\bdbwebhooks:(?!(?:index:)?Webhook\b)([A-Za-z]+)/g],
  ["environment variables", variables, /\b(DBWEBHOOKS_[A-Z_]+)/g],
  ["npm scripts", scripts, /\bnpm (?:run (?:--?\w+ )*([a-z][\w:-]*)|(start|test)\b)/g],
  [
    "commands",
    Object.keys(commandOptions),
    /(?:npx (?:--no -- )?|`)pulumi-dbwebhooks ([a-z][\w-]*)/g,
  ],
  ...Object.entries(commandOptions).map(
    ([name, options]) =>
      [
        `options of ${name}`,
        Object.keys(options),
        new RegExp(`(?<=pulumi-dbwebhooks ${name}(?: [^\`\\n]*)? --)([a-z][\\w-]*)`, "g"),
      ] as const,
  ),
])("Pages name only %s that exist", (_kind, existing, pattern) => {
  const named = markdown.pages.flatMap((page) =>
    [...markdown.readPage(page).matchAll(pattern)].map(([, ...groups]) => {
      return { page, name: groups.join("") };
    }),
  );

  expect(named).not.toEqual([]);
  expect(named.filter(({ name }) => !existing.includes(name))).toEqual([]);
});

it.each(markdown.pages)("%s links only to files and headings that exist", (page) => {
  expect(brokenLinksOf(page)).toEqual([]);
});

/**
 * Returns the rows of the tables below a heading: their cells without backticks, by the column's
 * head.
 */
function tableOf(page: string, heading: string): Record<string, string>[] {
  const rows = markdown.rowsOf(markdown.sectionOf(page, heading));
  return rows.map(({ head, cells }) =>
    Object.fromEntries(cells.map((cell, at) => [head[at], cell.replaceAll("`", "")])),
  );
}

/** Returns the texts in backticks. */
function codeSpans(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

/** Returns the anchors by which the files below a directory cite a page of this repository. */
function anchorsCitedIn(directory: string, page: string): string[] {
  const files = globSync(`${directory}/**/*.{ts,mts,json}`, { cwd: repository });
  const citations = files.flatMap((file) => markdown.readPage(file).split(`${page}#`).slice(1));
  return citations.map((text) => /^[\w-]*/.exec(text)?.[0] ?? "");
}

/** Returns the links of a page to files and headings of this repository that do not exist. */
function brokenLinksOf(page: string): string[] {
  const broken = markdown.linksOf(page).filter(({ target, anchor }) => {
    const isThere = existsSync(join(repository, target));
    return (
      !isThere ||
      (anchor !== undefined && !markdown.anchorsOf(markdown.readPage(target)).includes(anchor))
    );
  });
  return broken.map(({ link }) => link);
}
