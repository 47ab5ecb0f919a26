import { spawnSync } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { createReceiver, type ReceiverOptions } from "../../examples/receiver/receiver.ts";
import { readSecrets } from "../../examples/receiver/secrets.ts";

const oldSecret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const newSecret = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;

describe("examples/receiver", () => {
  it("takes what its secret signed, and hands the event on", async () => {
    const events: unknown[] = [];
    const send = await start({ onEvent: (event) => void events.push(event) });

    expect(await send({ id: "evt_1", note: "Größe ✓" })).toBe(204);
    expect(events).toEqual([{ id: "evt_1", note: "Größe ✓" }]);
  });

  it("refuses what no secret signed, what was changed on the way, and what is too old", async () => {
    const events: unknown[] = [];
    const send = await start({ onEvent: (event) => void events.push(event) });
    const tenMinutesAgo = new Date(Date.now() - 600_000);

    const statusCodes = [
      await send({ id: "evt_1" }, { secret: newSecret }),
      await send({ id: "evt_1" }, { sentBody: '{"id": "evt_1"}' }),
      await send({ id: "evt_1" }, { sentAt: tenMinutesAgo }),
      await send({ id: "evt_1" }, { headers: { "webhook-signature": "" } }),
    ];

    expect(statusCodes).toEqual([401, 401, 401, 401]);
    expect(events).toEqual([]);
  });

  it("takes the old and the new secret during a rotation, and the new one alone after it", async () => {
    let secrets = [oldSecret];
    const send = await start({ secrets: () => secrets });
    const answers = async () => [
      await send({ id: "evt_1" }, { secret: oldSecret }),
      await send({ id: "evt_2" }, { secret: newSecret }),
    ];

    expect(await answers()).toEqual([204, 401]);
    secrets = [newSecret, oldSecret];
    expect(await answers()).toEqual([204, 204]);
    secrets = [newSecret];
    expect(await answers()).toEqual([401, 204]);
  });

  it("handles an event once, even when it comes twice at the same time", async () => {
    const events: unknown[] = [];
    const send = await start({
      onEvent: async (event) => {
        await new Promise((resolve) => setImmediate(resolve));
        events.push(event);
      },
    });

    const together = await Promise.all([send({ id: "evt_1" }), send({ id: "evt_1" })]);
    const later = await send({ id: "evt_1" });

    expect([...together, later]).toEqual([204, 204, 204]);
    expect(events).toHaveLength(1);
  });

  it("asks for an event again that it could not handle", async () => {
    let count = 0;
    const send = await start({
      onEvent: () => {
        count += 1;
        if (count === 1) {
          throw new Error("not now");
        }
      },
    });

    expect([await send({ id: "evt_1" }), await send({ id: "evt_1" })]).toEqual([500, 204]);
  });

  it("refuses other methods and large bodies", async () => {
    const send = await start({});

    expect(await send({ id: "evt_1" }, { method: "PUT" })).toBe(405);
    expect(await send({ id: "evt_1", padding: "x".repeat(1024 * 1024) })).toBe(413);
  });

  it("reads its secrets from the environment, or from the outputs of a stack", async () => {
    const read = (environment: NodeJS.ProcessEnv, text: string) =>
      readSecrets(environment, new PassThrough().end(text) as never);
    const outputs = JSON.stringify({ ordersSecret: oldSecret, url: "https://example.com", n: 1 });

    expect(await read({ WEBHOOK_SECRETS: `${newSecret}  ${oldSecret}` }, "")).toEqual([
      newSecret,
      oldSecret,
    ]);
    expect(await read({}, outputs)).toEqual([oldSecret]);
    expect(await read({}, JSON.stringify({ secrets: [newSecret, oldSecret] }))).toEqual([
      newSecret,
      oldSecret,
    ]);
    await expect(read({ WEBHOOK_SECRETS: " " }, outputs)).rejects.toThrow(/^Set WEBHOOK_SECRETS,/);
    for (const text of ["{}", '{"ordersSecret":"[secret]"}', "[]", "null"]) {
      await expect(read({}, text)).rejects.toThrow(/^No output begins with whsec_\. Set/);
    }
    await expect(read({}, "")).rejects.toThrow(/^Standard input holds no JSON\. Set/);
  });

  it("says so without a stack trace when no output is a secret", () => {
    const main = join(__dirname, "../../examples/receiver/index.ts");
    const { WEBHOOK_SECRETS: _, ...env } = process.env;

    const { status, stderr } = spawnSync(process.execPath, [main], {
      env: { ...env, NODE_NO_WARNINGS: "1" },
      input: "{}",
      encoding: "utf8",
    });

    expect(status).toBe(2);
    expect(stderr).toMatch(/^No output begins with whsec_\..*\n$/);
  });
});

interface Changes {
  readonly method?: string;
  readonly secret?: string;
  readonly sentBody?: string;
  readonly sentAt?: Date;
  readonly headers?: Record<string, string>;
}

/** Starts a receiver; what it returns sends a signed notification and tells the status. */
async function start(options: Partial<ReceiverOptions>) {
  const server = createReceiver({ secrets: () => [oldSecret], onEvent: () => {}, ...options });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return async (event: { id: string; [name: string]: unknown }, changes: Changes = {}) => {
    const { method = "POST", secret = oldSecret, sentAt = new Date() } = changes;
    const body = JSON.stringify(event);
    const headers = {
      "webhook-id": event.id,
      "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign(event.id, sentAt, body),
      ...changes.headers,
    };
    return (await fetch(url, { method, headers, body: changes.sentBody ?? body })).status;
  };
}
