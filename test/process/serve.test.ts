import { expect, it } from "vitest";
import { runCli, serve } from "../helpers/cli.ts";
import { clientOf, temporaryFile } from "../helpers/local-service.ts";
import { codeSpans, readPage, rowsOf } from "../helpers/markdown.ts";
import { startReceiver } from "../helpers/receiver.ts";

it("pulumi-dbwebhooks says that Node.js is too old", async () => {
  const script = 'Object.defineProperty(process.versions, "node", { value: "22.18.0" });';
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(script)}`;

  const { exitCode, stderr } = await runCli(["serve"], { NODE_OPTIONS });

  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/22\.19 or newer, .* 22\.18\.0\.$/m);
});

it("serve says how to configure a stack, and how many deliveries are lost when it stops", async () => {
  await using receiver = await startReceiver(() => 503);
  const service = await serve();
  const startText = service.output();
  await clientOf(service).subscribe(receiver.url);
  await emit(service.baseUrl, "--wait", "0");

  const exitCode = await service.end("SIGTERM");

  expect(exitCode).toBe(0);
  expect(startText).toContain(`pulumi config set dbwebhooks:baseUrl ${service.baseUrl}\n`);
  expect(startText).toContain("pulumi config set --secret dbwebhooks:apiKey local-api-key\n");
  expect(service.output()).toMatch(/^Stopped\. Deliveries still pending are lost: 1\.$/m);
});

it("serve never prints a key that the user chose, even when a request contains it", async () => {
  const service = await serve("--api-key", "sk_live_1");
  await clientOf({ ...service, apiKey: "sk_live_1" }).create({ databaseId: "sk_live_1" });

  await service.end("SIGTERM");

  expect(service.output()).toMatch(/API keys: 1\..*: created webhook \d+$/ms);
  expect(service.output()).not.toContain("sk_live_1");
});

it("serve writes with --json the types and fields that docs/local-service.md describes", async () => {
  const receiver = await startReceiver(() => 503);
  const options = ["--data", temporaryFile(), "--rate-limit", "1000", "--deliver-to", receiver.url];
  const service = await serve("--json", ...options);
  await clientOf(service).subscribe(receiver.url);
  await clientOf(service).delete(99);
  await emit(service.baseUrl, "--table", "tbl_1", "--wait", "0");
  await expect.poll(service.output).toContain('"retryInSeconds"');
  // The first attempt has a response, and its retry has none, so that every optional field occurs.
  await receiver[Symbol.asyncDispose]();
  await expect.poll(service.output).toContain("ECONNREFUSED");

  await service.end("SIGINT");

  const lines = service.stdout().trimEnd().split("\n");
  const records: Record<string, unknown>[] = lines.map((line) => JSON.parse(line));
  const [, section = ""] = readPage("docs/local-service.md").split("### As JSON\n");
  const rows = rowsOf(section).filter(({ head }) => head[0] === "`type`");
  const documented = rows.map(({ cells }) => cells.map(codeSpans));
  const documentedTypes = documented.flatMap(([types]) => types);
  expect(new Set(records.map(({ type }) => type))).toEqual(new Set(documentedTypes));
  for (const [types = [], always = [], optional = []] of documented) {
    const written = records.filter(({ type }) => types.includes(String(type))).map(Object.keys);
    const required = ["time", "type", ...always];
    expect(new Set(written.flat())).toEqual(new Set([...required, ...optional]));
    for (const fields of written) expect(fields).toEqual(expect.arrayContaining(required));
  }
});

it("serve stops without waiting for the timeout of an emission that has ended", async () => {
  const service = await serve();
  await emit(service.baseUrl, "--wait", "600");

  expect(await service.end("SIGINT")).toBe(0);
});

it("serve keeps in its file every webhook that it has acknowledged, even if it is killed", async () => {
  const file = temporaryFile();
  const killed = await serve("--data", file);
  const client = clientOf(killed);
  await Promise.all([client.create(), client.create(), client.create()]);
  await killed.end("SIGKILL");

  const service = await serve("--data", file);

  expect(service.output()).toContain(`Webhooks in ${file}: 3.`);
});

function emit(baseUrl: string, ...args: readonly string[]) {
  return runCli(["emit", "record.created", "--database", "base_1", "--url", baseUrl, ...args]);
}
