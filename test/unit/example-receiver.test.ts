import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createReceiver, type ReceiverOptions } from "../../examples/receiver/receiver.ts";

const oldSecret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const newSecret = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;

describe("examples/receiver", () => {
  it("handles what its secret signed, and nothing that was changed, is too old or too large", async () => {
    const events: unknown[] = [];
    const send = await start({ onEvent: (event) => void events.push(event) });
    const event = { id: "evt_1", note: "Größe ✓" };

    const statusCodes = [
      await send(event, { secret: newSecret }),
      await send(event, { body: '{"id": "evt_1"}' }),
      await send(event, { sentAt: new Date(Date.now() - 600_000) }),
      await send(event, { method: "PUT" }),
      await send({ ...event, padding: "x".repeat(1024 * 1024) }),
      await send(event),
    ];

    expect(statusCodes).toEqual([401, 401, 401, 405, 413, 204]);
    expect(events).toEqual([event]);
  });

  it.each([
    ["before a rotation", [oldSecret], [204, 401]],
    ["during a rotation", [newSecret, oldSecret], [204, 204]],
    ["after a rotation", [newSecret], [401, 204]],
    ["with secrets that do not begin with whsec_", [newSecret.slice(6)], [401, 204]],
    ["beside a secret of another form", ["not base64!", oldSecret], [204, 401]],
  ])("accepts what one of its secrets signed %s", async (_case, secrets, statusCodes) => {
    const send = await start({ secrets: () => secrets });

    const statusCodesOfBoth = [
      await send({ id: "evt_1" }),
      await send({ id: "evt_2" }, { secret: newSecret }),
    ];

    expect(statusCodesOfBoth).toEqual(statusCodes);
  });

  it("handles an event once, even when it arrives twice at the same time, and again after a failure", async () => {
    const handle = vi.fn().mockRejectedValueOnce(new Error("not now"));
    const send = await start({ onEvent: handle });

    const failed = await send({ id: "evt_1" });
    const together = await Promise.all([send({ id: "evt_1" }), send({ id: "evt_1" })]);

    expect([failed, ...together, await send({ id: "evt_1" })]).toEqual([500, 204, 204, 204]);
    expect(handle).toHaveBeenCalledTimes(2);
  });
});

/** Starts a receiver, and returns a function that sends a signed notification and returns the status. */
async function start(options: Partial<ReceiverOptions>) {
  const server = createReceiver({ secrets: () => [oldSecret], onEvent: () => {}, ...options });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return async (event: { id: string; [name: string]: unknown }, changes = {}) => {
    const defaults = { method: "POST", secret: oldSecret, sentAt: new Date(), body: "" };
    const { method, secret, sentAt, body: sentBody } = { ...defaults, ...changes };
    const body = JSON.stringify(event);
    const headers = {
      "webhook-id": event.id,
      "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign(event.id, sentAt, body),
    };
    return (await fetch(url, { method, headers, body: sentBody || body })).status;
  };
}
