import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { runCli, type Serving, serve } from "../helpers/cli.js";
import { clientOf, temporaryFile } from "../helpers/local-service.js";
import { codeSpans, readPage, rowsOf } from "../helpers/markdown.js";
import { type ReceivedNotification, type Receiver, startReceiver } from "../helpers/receiver.js";

const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
const webhooks = "/api/v1/bases/base_1/webhooks";
const events = "/_local/bases/base_1/events";
const settings = ["--api-key", apiKey, "--listing", "--rate-limit", "1000"];

describe("pulumi-dbwebhooks", () => {
  it("shows its options, and loads neither the service nor undici for that", async () => {
    const listModules = `import { createRequire } from "node:module";
      process.on("exit", () => console.error(Object.keys(createRequire("/").cache).join(";")));`;

    const { stdout, stderr } = await runCli(["serve", "--help"], withScript(listModules));

    expect(stdout).toMatch(/^ {2}--api-key <KEY> +API key for all databases/m);
    expect(stderr).toMatch(/dist\/cli\/main\.js;/);
    expect(stderr).not.toMatch(/undici|hono|zod|local-service\.js/);
  });

  it("fails with 2, and says why, for an option that does not exist", async () => {
    const result = await runCli(["--versoin"]);

    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(result.stderr).toContain("unknown option '--versoin'");
  });

  it("says that Node.js is too old", async () => {
    const older = 'Object.defineProperty(process.versions, "node", { value: "22.18.0" });';

    const { exitCode, stderr } = await runCli(["serve"], withScript(older));

    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/22\.19 or newer, .* 22\.18\.0\.$/m),
    ]);
  });
});

describe("pulumi-dbwebhooks serve", () => {
  it("says where it listens and what to paste, and stops even while nobody reads", async () => {
    const service = await serve();
    const { baseUrl, output, port } = service;
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(output()).toBe(`The local service listens at ${baseUrl}
API keys: 1. It forgets everything when it stops; --data FILE keeps the webhooks.

Configure a stack with:

  pulumi config set dbwebhooks:baseUrl ${baseUrl}
  pulumi config set --secret dbwebhooks:apiKey local-api-key

Stop it with ^C.

`);
    const emit = ["emit", "record.created", "--database", "base_1", "--url", baseUrl];
    expect((await runCli(emit)).stdout).toMatch(/^evt_\w+\nNo active webhook/);

    service.child.stdout?.pause();
    // Together far more than a pipe and its reader take in.
    const socket = connect(port, "127.0.0.1").resume();
    const request = `GET /${"x".repeat(300)} HTTP/1.1\r\nHost: localhost\r\n`;
    socket.write(`${`${request}\r\n`.repeat(3_000)}${request}Connection: close\r\n\r\n`);
    await once(socket, "end");

    expect(await service.end("SIGINT")).toEqual({ code: 0, signal: null });
  });

  it("writes one line for each thing that happens, without keys, secrets and paths", async () => {
    await using receiver = await startReceiver(unwilling);
    const { host } = new URL(receiver.url);
    const service = await serve(...settings);

    const output = await play(service, receiver);

    const [start = "", lines = ""] = output.split("Stop it with ^C.\n\n");
    expect(start).toContain("\nSettings: it lists webhooks; each key may send 1000 requests a s");
    expect(start).toContain("--secret dbwebhooks:apiKey\n");
    // The response to an emission can come before or after the first attempt.
    const emission = `POST ${events} 202`;
    expect(lines.split("\n").filter((line) => line !== emission)).toEqual([
      `POST ${webhooks} 201, created webhook 1`,
      `POST ${webhooks} 201, created webhook 2`,
      "POST [withheld: it may repeat a secret] 400: Invalid request body: events must be an array of at least one event kind.",
      `GET ${webhooks} 200, listed`,
      "GET /nothing/here 404: There is nothing at this path.",
      expect.stringMatching(/^POST \/_local\/bases\/base_1\/events 400: Invalid event: type is un/),
      "event record.created evt_1 in base_1: for webhook 1",
      `delivery of evt_1 to webhook 1 at ${host}, attempt 1: 503, retry in 0.5 s`,
      `delivery of evt_1 to webhook 1 at ${host}, attempt 2: 204, delivered`,
      "event record.updated evt_2 in base_1, tbl_1: for webhook 2",
      `delivery of evt_2 to webhook 2 at ${host}, attempt 1: 503, retry in 0.5 s`,
      `delivery of evt_2 to webhook 2 at ${host}, attempt 1: 503, dropped: the webhook is deleted or switched off`,
      `DELETE ${webhooks}/2 200, deleted webhook 2`,
      `DELETE ${webhooks}/2 404: Webhook 2 not found`,
      `POST ${webhooks} 201, created webhook 3`,
      "event table.created evt_3 in base_1: for webhook 3",
      expect.stringMatching(/^delivery of evt_3 .*, attempt 1: no response \(ECONNREFUSED\), ret/),
      "Stopped. Deliveries still pending are lost: 1.",
      "",
    ]);
  });

  it("writes the same as JSON with --json, and shares neither its port nor its file", async () => {
    const file = temporaryFile();
    await using receiver = await startReceiver(unwilling);
    const more = ["--json", "--deliver-to", receiver.url, "--data", file];
    const service = await serve(...settings, ...more);

    const others = await Promise.all([
      runCli(["serve", "--port", String(service.port)]),
      runCli(["serve", "--port", "0", "--data", file]),
    ]);
    const output = await play(service, receiver);

    const failed = { exitCode: 1, stdout: "" };
    expect(others).toEqual([
      { ...failed, stderr: expect.stringMatching(/^Port \d+ of 127\.0\.0\.1 is taken\..*\n$/) },
      { ...failed, stderr: expect.stringContaining(`${file} cannot be used: another process`) },
    ]);
    const lines = output.trimEnd().split("\n");
    expectDocumented(lines.map((line) => JSON.parse(line) as { readonly type: string }));
  });

  it("keeps every webhook with --data that it acknowledged before a kill amid creations", async () => {
    const file = temporaryFile();
    const killed = await serve("--data", file);
    const client = clientOf({ ...killed, apiKey: "local-api-key" });
    const acknowledged: number[] = [];
    const createOnAndOn = async () => {
      for (;;) {
        acknowledged.push((await client.create()).json.id);
      }
    };
    const clients = Array.from({ length: 4 }, () => createOnAndOn().catch(() => {}));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
    await killed.end("SIGKILL");
    await Promise.all(clients);

    const service = await serve("--data", file, "--listing");
    const { list } = clientOf({ ...service, apiKey: "local-api-key" });
    const listed: { id: number }[] = (await list()).json.webhooks;

    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
  });
});

/** The environment in which a script runs first. */
function withScript(script: string) {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

/** Takes what comes to `/later` at the second try, and nothing else. */
function unwilling({ path }: ReceivedNotification, count: number) {
  return path.startsWith("/later") && count > 1 ? 204 : 503;
}

/** Makes everything happen that the log shows, and sees that it shows no secret. */
async function play(serving: Serving, receiver: Receiver) {
  const service = clientOf({ ...serving, apiKey });
  const emit = (body: object) => service.send({ method: "POST", path: events, body });
  const secrets = [
    await service.subscribe(`${receiver.url}/later/T0KEN?q=T0KEN`),
    await service.subscribe(receiver.url, { events: ["record.updated"], tableId: "tbl_1" }),
  ];
  await service.create({ databaseId: `base-${apiKey}`, body: { url: "https://T0KEN" } });
  await service.list();
  await service.send({ path: "/nothing/here?query=T0KEN" });
  await emit({ type: "record.T0KEN" });
  await emit({ type: "record.created", id: "evt_1" });
  await serving.line(/evt_1.*204/);
  await emit({ type: "record.updated", id: "evt_2", tableId: "tbl_1" });
  await serving.line(/evt_2.*503/);
  await service.delete(2);
  await serving.line(/evt_2.*dropped/);
  await service.delete(2);
  await receiver[Symbol.asyncDispose]();
  await service.subscribe(receiver.url, { events: ["table.created"] });
  await emit({ type: "table.created", id: "evt_3" });
  await serving.line(/evt_3.*ECONNREFUSED/);
  await serving.end("SIGTERM");
  const output = serving.output();
  expect([apiKey, "T0KEN", ...secrets].filter((text) => output.includes(text))).toEqual([]);
  return output;
}

/** Every type has the fields that its page says it always has, and those that it can have. */
function expectDocumented(records: readonly { readonly type: string }[]): void {
  const [, section = ""] = readPage("docs/local-service.md").split("### As JSON\n");
  const documented = rowsOf(section).filter(({ head }) => head[0] === "`type`");
  const rows = documented.map(({ cells }) => cells.map(codeSpans));
  const names = rows.map(([first]) => first?.[0]);
  expect(new Set(records.map(({ type }) => type))).toEqual(new Set(names));
  for (const [[name] = [], always = [], sometimes = []] of rows) {
    const seen = records.filter(({ type }) => type === name).map(Object.keys);
    const needed = ["time", "type", ...always];

    expect(new Set(seen.flat()), name).toEqual(new Set([...needed, ...sometimes]));
    expect(seen).toEqual(seen.map(() => expect.arrayContaining(needed)));
  }
}
