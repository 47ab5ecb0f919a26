import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Recorder } from "../../src/cli/log-records.ts";
import { type Serving, serve } from "../helpers/cli.js";
import { temporaryDirectory } from "../helpers/directory.js";
import { codeSpans, readPage, rowsOf } from "../helpers/markdown.js";
import { type Receiver, startReceiver } from "../helpers/receiver.js";

const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
const webhooks = "/api/v1/bases/base_1/webhooks";

/** Makes everything happen that the log shows; returns what it must not show, and the receiver's host. */
async function play(service: Serving, receiver: Receiver) {
  const send = (method: string, path: string, body?: object) =>
    fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const create = async (path: string, more: object) => {
    const created = await send("POST", webhooks, {
      url: `${receiver.url}${path}?q=T0KEN`,
      ...more,
    });
    return ((await created.json()) as { secret: string }).secret;
  };
  const emit = (event: object) => send("POST", "/_local/bases/base_1/events", event);
  const secrets = [
    await create("/later/T0KEN", { events: ["record.created"] }),
    await create("/never", { events: ["record.updated"], tableId: "tbl_1" }),
  ];
  const bodies = { url: "https://T0KEN" };
  await send("POST", `/api/v1/bases/base-${apiKey}/webhooks`, bodies);
  await send("GET", webhooks);
  await send("GET", "/nothing/here?query=T0KEN");
  await emit({ type: "record.T0KEN" });
  await emit({ type: "record.created", id: "evt_1" });
  await service.line(/evt_1.*204/);
  await emit({ type: "record.updated", id: "evt_2", tableId: "tbl_1" });
  await service.line(/evt_2.*503/);
  await send("DELETE", `${webhooks}/2`);
  await service.line(/evt_2.*dropped/);
  await send("DELETE", `${webhooks}/2`);
  await service.end("SIGTERM");
  for (const text of [apiKey, "T0KEN", ...secrets]) {
    expect(service.output()).not.toContain(text);
  }
  return service.output();
}

/** A receiver that takes what comes to `/later` at the second try, and nothing else. */
function startUnwillingReceiver(): Promise<Receiver> {
  return startReceiver(({ path }, count) => (path.startsWith("/later") && count > 1 ? 204 : 503));
}

describe("The log of serve", () => {
  it("has one line for each thing that happens, without keys, secrets and paths", async () => {
    await using receiver = await startUnwillingReceiver();
    const service = await serve("--api-key", apiKey, "--listing", "--rate-limit", "1000");

    const [start = "", lines = ""] = (await play(service, receiver)).split("Stop it with ^C.\n\n");

    const { host } = new URL(receiver.url);
    expect(start).toContain(
      "\nSettings: it lists webhooks; each key may send 1000 requests a second.\n",
    );
    expect(lines.split("\n")).toEqual([
      `POST ${webhooks} 201, created webhook 1`,
      `POST ${webhooks} 201, created webhook 2`,
      "POST /api/v1/bases/base-[redacted]/webhooks 400: Invalid request body: events must be an array of at least one event kind.",
      `GET ${webhooks} 200, listed`,
      "GET /nothing/here 404: There is nothing at this path.",
      "POST /_local/bases/base_1/events 400: Invalid event: type is not an event kind of this service; the nearest is record.created.",
      "event record.created evt_1 in base_1: for webhook 1",
      `delivery of evt_1 to webhook 1 at ${host}, attempt 1: 503, will be tried again in 0.5 s`,
      `delivery of evt_1 to webhook 1 at ${host}, attempt 2: 204, delivered`,
      "event record.updated evt_2 in base_1, tbl_1: for webhook 2",
      `delivery of evt_2 to webhook 2 at ${host}, attempt 1: 503, will be tried again in 0.5 s`,
      `delivery of evt_2 to webhook 2 at ${host}, attempt 1: 503, dropped: the webhook is deleted or switched off`,
      `DELETE ${webhooks}/2 200, deleted webhook 2`,
      `DELETE ${webhooks}/2 404: Webhook 2 not found`,
      "Stopped.",
      "",
    ]);
  });

  it("is the same as JSON with --json, in the fields that its page lists", async () => {
    await using receiver = await startUnwillingReceiver();
    const directory = temporaryDirectory();
    onTestFinished(() => directory.remove());
    const service = await serve(
      ...["--json", "--api-key", apiKey, "--listing", "--rate-limit", "1000"],
      ...["--deliver-to", receiver.url, "--data", `${directory.path}/service.db`],
    );

    const lines = (await play(service, receiver)).trimEnd().split("\n");

    const records = lines.map((line) => JSON.parse(line) as AnyRecord);
    expectDocumented([...records, ...rareRecords()]);
  });

  // macOS has another program of the name "script".
  it.runIf(process.platform === "linux").each([
    ["has colours on a terminal", {}, "\x1b[33mGET /nothing"],
    ["has none with NO_COLOR", { NO_COLOR: "1" }, "\nGET /nothing"],
  ])("%s", async (_, environment, line) => {
    const main = join(__dirname, "../../dist/cli/main.js");
    const command = `exec ${process.execPath} ${main} serve --port 0`;
    const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
      // Nothing else of ours: CI, for one, tells Node that a terminal has no colours.
      env: { PATH: process.env.PATH, SHELL: "/bin/sh", TERM: "xterm-256color", ...environment },
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    await expect.poll(() => output).toContain("Stop it with ^C.");
    const baseUrl = /listens at (\S+)/.exec(output)?.[1];

    await fetch(`${baseUrl}/nothing`);

    await expect.poll(() => output).toContain(line);
    child.stdin.end("\x03");
  });
});

type AnyRecord = Readonly<Record<string, unknown>> & { readonly type: string };

/** What `play` cannot make happen. */
function rareRecords(): AnyRecord[] {
  const recorder = new Recorder([]);
  const event = {
    id: "evt_1",
    type: "record.created",
    databaseId: "base_1",
    timestamp: "",
    data: {},
  };
  const unanswered = { number: 1, event, webhookId: 1, attempts: 1, problem: "no answer" };
  const records = [
    { time: "", ...recorder.error(new Error("the disk is full")) },
    { time: "", ...recorder.delivery({ ...unanswered, outcome: "failed" }) },
  ];
  return JSON.parse(JSON.stringify(records));
}

/** Every type has the fields that its page says it always has, and those that it can have. */
function expectDocumented(records: readonly AnyRecord[]): void {
  const [, section = ""] = readPage("docs/local-service.md").split("### As JSON\n");
  const rows = rowsOf(section).filter(({ head }) => head[0] === "`type`");
  expect(rows.flatMap(({ cells: [type = ""] }) => codeSpans(type))).toEqual(
    expect.arrayContaining([...new Set(records.map(({ type }) => type))]),
  );
  for (const { cells } of rows) {
    const [[type], always = [], sometimes = []] = cells.map(codeSpans) as [string[], ...string[][]];
    const ofType = records.filter((record) => record.type === type).map(Object.keys);
    const isSeen = (name: string) => !["time", "type"].includes(name);

    expect([...new Set(ofType.flat())].filter(isSeen).sort(), type).toEqual(
      [...always, ...sometimes].sort(),
    );
    for (const names of ofType) {
      expect(names).toEqual(expect.arrayContaining(["time", "type", ...always]));
    }
  }
}
