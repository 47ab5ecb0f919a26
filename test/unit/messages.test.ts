import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { namespace } from "../../src/common/setting-names.js";
import { codeSpans, readPage, rowsOf } from "../helpers/markdown.js";

const source = join(__dirname, "../../src");
// Fewer words are names and joints of sentences, not sentences.
const wordsOfMessage = 3;

describe("docs/troubleshooting.md", () => {
  // What the program and the provider say; the commands and the local service are not looked at.
  const texts = ["common", "service", "core", "dynamic"].flatMap((folder) =>
    readdirSync(join(source, folder)).flatMap((file) => textsOfFile(join(folder, file))),
  );
  const messages = texts.filter((text) => countWords(text) >= wordsOfMessage);
  const quotes = rowsOf(readPage("docs/troubleshooting.md"))
    .filter(({ head }) => head[0]?.startsWith("it "))
    .flatMap(({ cells }) => codeSpans(cells[0] ?? ""))
    .map((quote) => quote.replace(/(<[^<>]*>)+/g, "<>"));

  it("explains every message that the code holds, in the code's words", () => {
    expect(messages.filter((message) => !quotes.includes(message))).toEqual([]);
    expect(messages.length).toBeGreaterThan(60);
  });

  it("quotes no message that the code does not hold", () => {
    expect(quotes.filter((quote) => !texts.includes(quote))).toEqual([]);
  });

  it("quotes no message twice", () => {
    const repeated = quotes.filter((quote, index) => quotes.indexOf(quote) !== index);

    expect(repeated).toEqual([]);
  });
});

describe("README", () => {
  it("quotes errors that docs/troubleshooting.md explains", () => {
    const errors = rowsOf(readPage("README.md")).filter(({ head }) => head[0] === "it says");
    const quotes = errors.flatMap(({ cells }) => codeSpans(cells[0] ?? ""));

    const page = readPage("docs/troubleshooting.md");
    expect(quotes.length).toBeGreaterThan(4);
    expect(quotes.filter((quote) => !page.includes(quote))).toEqual([]);
  });
});

/** The string and template literals of a file, with `<>` in place of what a template puts in. */
function textsOfFile(file: string): string[] {
  const content = readFileSync(join(source, file), "utf8");
  return textsBelow(ts.createSourceFile(file, content, ts.ScriptTarget.Latest));
}

function textsBelow(node: ts.Node): string[] {
  const texts = [textOf(node)].filter((text) => text !== undefined).map((text) => text.trim());
  ts.forEachChild(node, (child) => {
    texts.push(...textsBelow(child));
  });
  return texts;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) {
    return node.text;
  }
  if (!ts.isTemplateExpression(node)) {
    return undefined;
  }
  const spans = node.templateSpans.map(({ expression, literal }) => {
    const isNamespace = ts.isIdentifier(expression) && expression.text === "namespace";
    return `${isNamespace ? namespace : "<>"}${literal.text}`;
  });
  return [node.head.text, ...spans].join("").replace(/(<>)+/g, "<>");
}

function countWords(text: string): number {
  return text.split(/\s/).filter((part) => /^["'(]?[a-z][a-z'-]*[.,:;!?)"']*$/i.test(part)).length;
}
