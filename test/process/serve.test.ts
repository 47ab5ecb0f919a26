import { describe, expect, it } from "vitest";
import { runCli, serve } from "../helpers/cli.js";
import { clientOf, temporaryFile } from "../helpers/local-service.js";
import { codeSpans, readPage, rowsOf } from "../helpers/markdown.js";
import { startReceiver } from "../helpers/receiver.js";

const apiKey = "local-api-key";

describe("pulumi-dbwebhooks", () => {
  it("loads neither the local service nor undici to show its help", async () => {
    const listModules = `import { createRequire } from "node:module";
      process.on("exit", () => console.error(Object.keys(createRequire("/").cache).join(";")));`;

    const { stdout, stderr } = await runCli(["serve", "--help"], withScript(listModules));

    expect(stdout).toContain("--api-key <KEY>");
    expect(stderr).toMatch(/dist\/cli\/main\.js;/);
    expect(stderr).not.toMatch(/undici|hono|zod|local-service\.js/);
  });

  it("says that Node.js is too old", async () => {
    const older = 'Object.defineProperty(process.versions, "node", { value: "22.18.0" });';

    const { exitCode, stderr } = await runCli(["serve"], withScript(older));

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/22\.19 or newer, .* 22\.18\.0\.$/m);
  });
});

describe("pulumi-dbwebhooks serve", () => {
  it("says where it listens and how to configure a stack", async () => {
    const { baseUrl, output } = await serve();

    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(output()).toBe(`The local service listens at ${baseUrl}
API keys: 1. It forgets everything when it stops; --data FILE keeps the webhooks.

Configure a stack with:

  pulumi config set dbwebhooks:baseUrl ${baseUrl}
  pulumi config set --secret dbwebhooks:apiKey local-api-key

Stop it with ^C.

`);
  });

  it("never prints a key that the user chose", async () => {
    const { output } = await serve("--api-key", "sk_live_1");

    expect(output()).toContain("API keys: 1.");
    expect(output()).not.toContain("sk_live_1");
  });

  it("writes the JSON that docs/local-service.md describes", async () => {
    await using receiver = await startReceiver();
    const service = await serve("--json");
    await clientOf({ ...service, apiKey }).subscribe(receiver.url);
    await runCli(["emit", "record.created", "--database", "base_1", "--url", service.baseUrl]);
    await service.line(/"delivered"/);

    expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
    const lines = service.output().trimEnd().split("\n");
    const records: Record<string, unknown>[] = lines.map((line) => JSON.parse(line));
    const [, section = ""] = readPage("docs/local-service.md").split("### As JSON\n");
    const rows = rowsOf(section).filter(({ head }) => head[0] === "`type`");
    const documented = rows.map(({ cells: [type = "", always = "", sometimes = ""] }) => ({
      type,
      always: codeSpans(always),
      allowed: ["time", ...codeSpans(always), ...codeSpans(sometimes)],
    }));
    const types = records.map(({ type }) => `\`${type}\``);
    expect(new Set(types)).toEqual(new Set(documented.map(({ type }) => type)));
    for (const { type, ...fields } of records) {
      const row = documented.find((candidate) => candidate.type === `\`${type}\``);
      expect(Object.keys(fields)).toEqual(expect.arrayContaining(row?.always ?? []));
      expect(row?.allowed).toEqual(expect.arrayContaining(Object.keys(fields)));
    }
  });

  it("says how many deliveries are lost when it stops", async () => {
    await using receiver = await startReceiver(() => 503);
    const service = await serve();
    await clientOf({ ...service, apiKey }).subscribe(receiver.url);
    const args = ["--database", "base_1", "--url", service.baseUrl, "--wait", "0"];
    await runCli(["emit", "record.created", ...args]);

    await service.end("SIGTERM");

    expect(service.output()).toMatch(/^Stopped\. Deliveries still pending are lost: 1\.$/m);
  });

  it("keeps every webhook that it acknowledged in the file when it is killed", async () => {
    const file = temporaryFile();
    const killed = await serve("--data", file);
    const client = clientOf({ ...killed, apiKey });
    const acknowledged: number[] = [];
    const createUntilKilled = async () => {
      for (;;) {
        acknowledged.push((await client.create()).json.id);
      }
    };
    const clients = Array.from({ length: 4 }, () => createUntilKilled().catch(() => {}));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
    await killed.end("SIGKILL");
    await Promise.all(clients);

    const service = await serve("--data", file, "--listing");
    const { json } = await clientOf({ ...service, apiKey }).list();

    const ids = json.webhooks.map(({ id }: { id: number }) => id);
    expect(ids).toEqual(expect.arrayContaining(acknowledged));
  });
});

/** The environment in which a script runs first. */
function withScript(script: string) {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}
