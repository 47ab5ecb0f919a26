import { writeFileSync } from "node:fs";
import { Server } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createReceiver } from "../../../examples/receiver/receiver.ts";
import { watchSecrets } from "../../../examples/receiver/secrets.ts";
import { temporaryDirectory } from "../../helpers/directory.ts";
import { listen } from "../../helpers/http-server.ts";
import { signatureOf } from "../../helpers/receiver.ts";

const oldSecret = "0123456789abcdef".repeat(4);
const newSecret = "fedcba9876543210".repeat(4);

/** Bodies that are no event, although their signature matches. */
const invalidBodies = ["", "null", '{"id":"","type":"record.created"}', '{"id":"evt_2","type":7}'];

/** Texts that no receiver may accept as a secret, because an attacker can guess them. */
const invalidEntries = [
  "[secret]",
  "[object Object]",
  "undefined",
  "null",
  // 15 characters.
  "0123456789abcde",
  // Without a digit.
  "undefinedundefined",
  "abcdefghijklmnop",
  // With seven different characters.
  "0".repeat(16),
  "0123456".repeat(3),
  // With other characters.
  '"0123456789abcdef"',
  "0123456789abcdef\u00e4",
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
  { name: "not signed", statusCode: 401, changes: { headers: {} } },
  { name: "signed by an empty text", statusCode: 401, changes: withSignature(() => "") },
  {
    name: "signed in capitals",
    statusCode: 401,
    changes: withSignature((hex) => hex.toUpperCase()),
  },
  {
    name: "signed with a prefix",
    statusCode: 401,
    changes: withSignature((hex) => `sha256=${hex}`),
  },
  { name: "signed in part", statusCode: 401, changes: withSignature((hex) => hex.slice(0, -1)) },
  {
    name: "signed by non-ASCII text",
    statusCode: 401,
    changes: withSignature(() => "\u00e4".repeat(64)),
  },
  { name: "signed twice", statusCode: 401, changes: withSignature((hex) => `${hex}, ${hex}`) },
  {
    name: "signed with the decoded secret",
    statusCode: 401,
    changes: { secret: Buffer.from(oldSecret, "hex") },
  },
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
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => write.mockRestore());

  const statusCodes = [await send({ id: "evt_1" }), await send({ id: "evt_1" })];

  expect(statusCodes).toEqual([500, 204]);
  expect(onEvent).toHaveBeenCalledTimes(2);
  expect(write.mock.calls).toEqual([["Error: not now\n"]]);
});

describe("The file with the secrets of examples/receiver", () => {
  it("contains one secret or several, separated by white space, after a byte order mark", () => {
    const file = fileWith(`\ufeff${newSecret} ${oldSecret}\r\n\n`);

    expect(watchSecrets(file)()).toEqual([newSecret, oldSecret]);
  });

  it.each(invalidEntries)(
    "is refused with the line, but without the text, if it has %j",
    (entry) => {
      const file = fileWith(`${oldSecret}\n${entry}\n`);

      const reason = `${file}, line 2: this is not a signing secret (16 or more letters, digits and _-+/=, with a digit and 8 different characters)`;
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

/** The parts that replace those of a notification. */
interface Changes {
  readonly method?: string;
  readonly secret?: string | Buffer;
  readonly body?: string;
  readonly headers?: Record<string, string> | ((signature: string) => Record<string, string>);
}

function withSignature(change: (signature: string) => string): Changes {
  return { headers: (signature) => ({ "x-webhook-signature": change(signature) }) };
}

/** Starts a receiver. `send` sends it a signed notification, and returns the status. */
async function start(secrets = [oldSecret]) {
  const onEvent = vi.fn();
  const server = createReceiver({ secrets: () => secrets, onEvent });
  const url = await listen(server);
  onTestFinished(() => void server.close());
  const send = async (event: { id: string } | string, changes: Changes = {}) => {
    const { method = "POST", secret = oldSecret } = changes;
    const body =
      typeof event === "string" ? event : JSON.stringify({ type: "record.created", ...event });
    const { headers = (signature: string) => ({ "x-webhook-signature": signature }) } = changes;
    const sent = typeof headers === "function" ? headers(signatureOf(body, secret)) : headers;
    return (await fetch(url, { method, headers: sent, body: changes.body ?? body })).status;
  };
  return { send, onEvent };
}

describe("The program of examples/receiver", () => {
  it.each(["0123456789abcdef", "aZ-_+/==aZ-_+/=1", "whsec_0123456789", newSecret])(
    "accepts the secret %s",
    (secret) => {
      expect(watchSecrets(fileWith(secret))()).toEqual([secret]);
    },
  );

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
    // Connections would take seconds.
    const receive = (id: string) =>
      new Promise<void>((resolve) => {
        const body = JSON.stringify({ id, type: "record.created" });
        const headers = { "x-webhook-signature": signatureOf(body, oldSecret) };
        const request = Object.assign([Buffer.from(body)], { method: "POST", headers });
        server.emit("request", request, { writeHead: () => ({ end: resolve }) });
      });
    for (let at = 0; at <= 10_000; at++) {
      await receive(`evt_${at}`);
    }

    await receive("evt_1");
    await receive("evt_0");

    expect(handled.slice(10_001)).toEqual(["evt_0"]);
  });
});
