import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createReceiver, type ReceiverOptions } from "../../examples/receiver/receiver.ts";

const oldSecret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const newSecret = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;

interface SendChanges {
  readonly method?: string;
  readonly secret?: string;
  readonly sentAt?: Date;
  /** Is sent in place of the signed body. */
  readonly body?: string;
}

describe("examples/receiver", () => {
  it("handles what its secret signed", async () => {
    const onEvent = vi.fn();
    const send = await start({ onEvent });
    const event = { id: "evt_1", note: "Größe ✓" };

    expect(await send(event)).toBe(204);
    expect(onEvent.mock.calls).toEqual([[event]]);
  });

  it.each<[string, number, SendChanges]>([
    ["that another secret signed", 401, { secret: newSecret }],
    ["that was changed", 401, { body: '{"id": "evt_1"}' }],
    ["that is too old", 401, { sentAt: new Date(Date.now() - 600_000) }],
    ["that is not a POST", 405, { method: "PUT" }],
    ["that is too large", 413, { body: "x".repeat(1024 * 1024 + 1) }],
  ])("refuses a notification %s", async (_case, statusCode, changes) => {
    const onEvent = vi.fn();
    const send = await start({ onEvent });

    expect(await send({ id: "evt_1", note: "signed" }, changes)).toBe(statusCode);
    expect(onEvent).not.toHaveBeenCalled();
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

  it("handles an event once that arrives twice at the same time", async () => {
    const onEvent = vi.fn();
    const send = await start({ onEvent });

    const statusCodes = await Promise.all([send({ id: "evt_1" }), send({ id: "evt_1" })]);

    expect(statusCodes).toEqual([204, 204]);
    expect(onEvent).toHaveBeenCalledOnce();
  });

  it("handles an event again that it could not handle", async () => {
    const onEvent = vi.fn().mockRejectedValueOnce(new Error("not now"));
    const send = await start({ onEvent });

    const statusCodes = [await send({ id: "evt_1" }), await send({ id: "evt_1" })];

    expect(statusCodes).toEqual([500, 204]);
    expect(onEvent).toHaveBeenCalledTimes(2);
  });
});

/** Starts a receiver, and returns a function that sends a signed notification and returns the status. */
async function start(options: Partial<ReceiverOptions>) {
  const server = createReceiver({ secrets: () => [oldSecret], onEvent: () => {}, ...options });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return async (event: { id: string; note?: string }, changes: SendChanges = {}) => {
    const { method = "POST", secret = oldSecret, sentAt = new Date() } = changes;
    const body = JSON.stringify(event);
    const headers = {
      "webhook-id": event.id,
      "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign(event.id, sentAt, body),
    };
    return (await fetch(url, { method, headers, body: changes.body ?? body })).status;
  };
}
