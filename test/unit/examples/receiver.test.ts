import { writeFileSync } from "node:fs";
import { Server } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createReceiver } from "../../../examples/receiver/receiver.ts";
import { watchSecrets } from "../../../examples/receiver/secrets.ts";
import { temporaryDirectory } from "../../helpers/directory.ts";
import { listen } from "../../helpers/http-server.ts";

const oldSecret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const newSecret = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;

/** Bodies that are no event, although their signature matches. */
const invalidBodies = ["", "null", '{"id":"","type":"record.created"}', '{"id":"evt_2","type":7}'];

/**
 * What no receiver may accept as a secret, because a lenient decoder of base64 makes a key of it.
 */
const invalidEntries = [
  "[secret]",
  "whsec_[secret]",
  "whsec_null",
  // 15 bytes.
  `whsec_${"A".repeat(20)}`,
  // Of the alphabet for URLs.
  `whsec_${"A".repeat(20)}AA-_`,
  // Without the prefix.
  "A".repeat(24),
];

it("examples/receiver handles a notification that is signed with its secret", async () => {
  const { send, onEvent } = await start();
  const event = { type: "record.created", id: "evt_1", note: "Größe ✓" };

  expect(await send(event)).toBe(204);
  expect(onEvent.mock.calls).toEqual([[event]]);
});

it.each([
  {
    name: "changed in white space alone",
    statusCode: 401,
    changes: { body: '{"type": "record.created","id":"evt_1"}' },
  },
  // Standard Webhooks tolerates five minutes.
  { name: "over 300 s old", statusCode: 401, changes: { sentAt: new Date(Date.now() - 301_000) } },
  { name: "not sent with POST", statusCode: 405, changes: { method: "PUT" } },
  { name: "over 1 MiB", statusCode: 413, changes: { body: "x".repeat(1024 * 1024 + 1) } },
])("examples/receiver refuses a notification that is $name", async ({ statusCode, changes }) => {
  const { send, onEvent } = await start();

  expect(await send({ id: "evt_1" }, changes)).toBe(statusCode);
  expect(onEvent).not.toHaveBeenCalled();
});

it.each(invalidBodies)(
  "examples/receiver responds with 400 to the signed body %j",
  async (body) => {
    const { send, onEvent } = await start();

    expect(await send(body)).toBe(400);
    expect(onEvent).not.toHaveBeenCalled();
  },
);

it.each([
  { name: "before a rotation", secrets: [oldSecret], withOld: 204, withNew: 401 },
  { name: "during a rotation", secrets: [newSecret, oldSecret], withOld: 204, withNew: 204 },
  { name: "after a rotation", secrets: [newSecret], withOld: 401, withNew: 204 },
])("examples/receiver accepts what its secrets have signed: $name", async (row) => {
  const { send } = await start(row.secrets);

  expect(await send({ id: "evt_1" }, { secret: oldSecret })).toBe(row.withOld);
  expect(await send({ id: "evt_2" }, { secret: newSecret })).toBe(row.withNew);
});

it("examples/receiver handles an event once, even if it arrives again while it is handled or afterwards", async () => {
  const { send, onEvent } = await start();
  onEvent.mockImplementation(() => setTimeout(100));

  const statusCodes = await Promise.all([send({ id: "evt_1" }), send({ id: "evt_1" })]);
  const later = await send({ id: "evt_1" });

  expect([...statusCodes, later]).toEqual([204, 204, 204]);
  expect(onEvent).toHaveBeenCalledOnce();
});

it("examples/receiver handles an event again when the handler failed the first time", async () => {
  const { send, onEvent } = await start();
  onEvent.mockRejectedValueOnce(new Error("not now"));

  const statusCodes = [await send({ id: "evt_1" }), await send({ id: "evt_1" })];

  expect(statusCodes).toEqual([500, 204]);
  expect(onEvent).toHaveBeenCalledTimes(2);
});

describe("The file with the secrets of examples/receiver", () => {
  it("contains one secret or several, separated by white space", () => {
    const file = fileWith(`${newSecret} ${oldSecret}\r\n\n`);

    expect(watchSecrets(file)()).toEqual([newSecret, oldSecret]);
  });

  it.each(invalidEntries)(
    "is refused with the line, but without the text, if it has %j",
    (entry) => {
      const file = fileWith(`${oldSecret}\n${entry}\n`);

      const reason = `${file}, line 2: this is not a signing secret (whsec_ and base64 of at least 16 bytes)`;
      expect(() => watchSecrets(file)).toThrow(new Error(reason));
    },
  );

  it("is refused if it is empty or missing", () => {
    const file = fileWith("\n");

    expect(() => watchSecrets(file)).toThrow("contains no signing secret");
    expect(() => watchSecrets(`${file}.missing`)).toThrow("ENOENT");
  });

  it("changes nothing but stderr if it becomes invalid", () => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => stderr.mockRestore());
    const file = fileWith(oldSecret);
    const secrets = watchSecrets(file);
    writeFileSync(file, newSecret);
    const valid = secrets();
    writeFileSync(file, `${oldSecret}\n[secret]`);
    const invalid = secrets();

    expect([valid, invalid]).toEqual([[newSecret], [newSecret]]);
    expect(stderr.mock.calls).toEqual([[expect.stringContaining(`${file}, line 2: `)]]);
  });
});

function fileWith(text: string): string {
  const directory = temporaryDirectory();
  onTestFinished(() => directory.remove());
  const file = join(directory.path, "secrets");
  writeFileSync(file, text);
  return file;
}

// `body` is sent in place of the signed body.
type Changes = { method?: string; secret?: string; sentAt?: Date; body?: string };

/** Starts a receiver. `send` sends it a signed notification, and returns the status. */
async function start(secrets = [oldSecret]) {
  const onEvent = vi.fn();
  const server = createReceiver({ secrets: () => secrets, onEvent });
  const url = await listen(server);
  onTestFinished(() => void server.close());
  const send = async (event: { id: string } | string, changes: Changes = {}) => {
    const { method = "POST", secret = oldSecret, sentAt = new Date() } = changes;
    const body =
      typeof event === "string" ? event : JSON.stringify({ type: "record.created", ...event });
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("evt_1", sentAt, body),
    };
    return (await fetch(url, { method, headers, body: changes.body ?? body })).status;
  };
  return { send, onEvent };
}

describe("The program of examples/receiver", () => {
  it("accepts a secret of 16 bytes", () => {
    const shortest = `whsec_${Buffer.alloc(16, 1).toString("base64")}`;

    expect(watchSecrets(fileWith(shortest))()).toEqual([shortest]);
  });

  it("listens on loopback only", async () => {
    const { argv } = process;
    onTestFinished(() => void Object.assign(process, { argv }));
    process.argv = ["node", "index.ts", fileWith(oldSecret)];
    vi.stubEnv("PORT", "0");
    using stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    using listen = vi.spyOn(Server.prototype, "listen");

    await import("../../../examples/receiver/index.ts");

    const [server] = listen.mock.contexts as [Server];
    onTestFinished(() => void server.close());
    await expect.poll(() => stdout.mock.calls.join("")).toContain("Listening");
    expect(server.address()).toMatchObject({ address: "127.0.0.1" });
  });

  it("forgets the oldest of 10,001 events, and no other", async () => {
    const handled: string[] = [];
    const onEvent = ({ id }: { id: string }) => void handled.push(id);
    const server = createReceiver({ secrets: () => [oldSecret], onEvent });
    // Signatures and connections would take seconds.
    using _verify = vi.spyOn(Webhook.prototype, "verify").mockReturnValue(undefined);
    const receive = (id: string) =>
      new Promise<void>((resolve) => {
        const chunks = [Buffer.from(JSON.stringify({ id, type: "record.created" }))];
        const response = { writeHead: () => ({ end: resolve }) };
        server.emit("request", Object.assign(chunks, { method: "POST" }), response);
      });
    for (let at = 0; at <= 10_000; at++) {
      await receive(`evt_${at}`);
    }

    await receive("evt_1");
    await receive("evt_0");

    expect(handled.slice(10_001)).toEqual(["evt_0"]);
  });
});
