import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const repository = join(__dirname, "../..");

/** What the compiler says of a program with these lines, without the places. */
function messagesOf(...lines: readonly string[]): string[] {
  const file = join(repository, "test/unit/program.ts");
  const text = [
    'import * as dbwebhooks from "../../src/index.ts";',
    'const common = { databaseId: "base_abc123", url: "https://example.com/hooks" };',
    ...lines,
  ].join("\n");
  const { config } = ts.readConfigFile(join(repository, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, repository);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (name) => (name === file ? text : readFile(name));
  host.fileExists = (name) => name === file || fileExists(name);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === file
      ? ts.createSourceFile(name, text, ts.ScriptTarget.Latest)
      : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program, program.getSourceFile(file))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

describe("what the compiler says", () => {
  it("of a misspelt event names the event and never the way around the check", () => {
    const [message = "", ...more] = messagesOf(
      'new dbwebhooks.Webhook("orders", { ...common, events: ["record.create"] });',
    );

    expect(more).toEqual([]);
    expect(message).toContain('"record.create"');
    expect(message).not.toContain("allowUnknownEvents");
  });

  it("of a list of any text names the types", () => {
    const [message = "", ...more] = messagesOf(
      'const events: string[] = ["record.created"];',
      'new dbwebhooks.Webhook("orders", { ...common, events });',
    );

    expect(more).toEqual([]);
    expect(message).toContain("Type 'string' is not assignable to type");
    expect(message).not.toContain("allowUnknownEvents");
  });

  it("of a misspelt argument names the right one", () => {
    const [message = "", ...more] = messagesOf(
      'new dbwebhooks.Webhook("orders", { ...common, events: ["record.created"], tableID: "t" });',
    );

    expect(more).toEqual([]);
    expect(message).toContain("'tableID'");
    expect(message).toContain("'tableId'");
  });

  it("of a program that is all right is nothing", () => {
    expect(
      messagesOf('new dbwebhooks.Webhook("orders", { ...common, events: ["record.created"] });'),
    ).toEqual([]);
  });
});
