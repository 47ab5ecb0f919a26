import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import type { LocalService } from "../../../src/local-service/index.ts";
import { repository } from "../../helpers/directory.ts";
import { startFaultyService, statusCodesOf } from "../../helpers/local-service.ts";
import { codeBlocks, readPage, sectionOf } from "../../helpers/markdown.ts";

const section = sectionOf(readPage("docs/local-service.md"), "Interceptors");
const [recorder = "", lostSecret = "", refusals = ""] = codeBlocks(section).map(({ text }) => text);

it("The interceptors of the page compile", () => {
  const file = join(repository, "test/unit/docs/page.ts");
  const text = `
    import type { LocalService } from "pulumi-dbwebhooks/local-service";
    declare const service: LocalService;
    ${[recorder, lostSecret, refusals].map((code) => `{ ${code} }`).join("\n")}
  `;
  const options = { strict: true, noEmit: true, skipLibCheck: true, types: ["node"] };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, version, ...rest) =>
    name === file
      ? ts.createSourceFile(name, text, version)
      : getSourceFile(name, version, ...rest);

  const program = ts.createProgram([file], options, host);
  const problems = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);

  expect(problems).toEqual([]);
});

it("The recorder of the page records each request", async () => {
  const service = await startFaultyService();
  const requests = run(recorder, service, "requests");

  await service.create({ databaseId: "a" });
  await service.delete(1, { databaseId: "a" });

  const path = "/api/v1/bases/a/webhooks";
  expect(requests).toEqual([`POST ${path}`, `DELETE ${path}/1`]);
});

it("The lost secret of the page leaves a webhook, and its response without the secret", async () => {
  const service = await startFaultyService();
  run(lostSecret, service);

  const { statusCode, json } = await service.create();
  const deletion = await service.delete(json.id);

  expect({ statusCode, json }).toEqual({ statusCode: 201, json: { id: expect.any(Number) } });
  expect(deletion.json).toMatchObject({ success: true });
});

it("The refusals of the page refuse two requests, which have no effect", async () => {
  const service = await startFaultyService();
  run(refusals, service);

  const responses = [await service.create(), await service.create(), await service.create()];

  expect(statusCodesOf(responses)).toEqual([429, 429, 201]);
  expect(responses[0]?.headers).toHaveProperty("retry-after", "1");
  expect(service.webhooks).toHaveLength(1);
});

/** Runs code of the page, and returns the value of an expression. */
function run(code: string, service: LocalService, result = ""): unknown {
  return new Function(
    "service",
    `${ts.transpile(code, { target: ts.ScriptTarget.ESNext })}
    return ${result};`,
  )(service);
}
