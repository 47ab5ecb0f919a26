import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { EmittedEvent, LocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it, onTestFinished } from "vitest";
import { createReceiver } from "../../examples/receiver/receiver.ts";
import { type Webhooks, webhookArgs } from "../helpers/programs.ts";
import { startReceiver } from "../helpers/receiver.ts";
import { noPromptFlags, withStack } from "../helpers/stack.ts";

it("A replacement loses no event of a working receiver whose settings are a resource of the stack", async () => {
  await withStack(
    async ({ service, up, writeProgram }) => {
      const receiver = await startExampleReceiver();
      await using settingsServer = await startReceiver(({ body }) => {
        receiver.secrets.push(body.secret);
        return 204;
      });
      await writeProgram(programOf("before", receiver.url, settingsServer.url));
      await up();

      const stream = startEventStream(service);
      await writeProgram(programOf("after", receiver.url, settingsServer.url));
      await up();
      const events = await stream.end();

      // Events went to the webhook and to its replacement.
      const attempted = events.flatMap((event) => event.deliveries);
      expect(new Set(attempted.map(({ webhookId }) => webhookId)).size).toBe(2);
      expect(events.filter(({ id }) => !receiver.handled.includes(id))).toEqual([]);
    },
    // Without retries, an event is lost unless a webhook whose secret the receiver already has delivers it.
    // The large limits keep deliveries out of the queue, from which a deletion removes them, and from
    // timing out.
    {
      service: { deliveries: { timeoutSeconds: 120, retryWaitsSeconds: [] } },
    },
  );
});

describe("While the receiver fails and the service retries", () => {
  const retries = { deliveries: { retryWaitsSeconds: Array.from({ length: 10_000 }, () => 0.1) } };

  it("a rotation with two webhooks that waits for pending deliveries handles each event once", async () => {
    await withStack(
      async ({ service, declare, up, outputs }) => {
        const receiver = await startExampleReceiver();
        const first = { args: { url: receiver.url } };
        const second = first;
        const handover = async (webhooks: Webhooks) => {
          await declare(webhooks);
          await up();
          const beforeSecrets = emit(service);
          receiver.secrets = Object.values(await outputs()).map(String);
          return [beforeSecrets, emit(service)];
        };

        receiver.fails = true;
        const ids = [await handover({ first }), await handover({ first, second })].flat();
        // The receiver recovers while the rotation waits.
        receiver.fails = false;
        await expect.poll(() => service.counts.pending).toBe(0);
        ids.push(...(await handover({ second })));
        await expect.poll(() => service.counts.pending).toBe(0);

        expect(receiver.handled.toSorted()).toEqual(ids.toSorted());
      },
      { service: retries },
    );
  });

  it("--target-replace loses the events that the old webhook has not delivered", async () => {
    await withStack(
      async ({ service, declare, up, outputs, pulumi, storedWebhooks }) => {
        const receiver = await startExampleReceiver();
        await declare({ orders: { args: { url: receiver.url } } });
        await up();
        const { ordersSecret: oldSecret } = await outputs();
        receiver.secrets = [String(oldSecret)];

        receiver.fails = true;
        const early = emit(service);
        const { urn = "" } = (await storedWebhooks()).orders ?? {};
        await pulumi(["up", ...noPromptFlags, "--target-replace", urn]);
        const { ordersSecret: newSecret } = await outputs();
        receiver.secrets = [String(newSecret), String(oldSecret)];
        receiver.fails = false;
        const late = emit(service);
        await expect.poll(() => service.counts.pending).toBe(0);

        expect(service.deliveries).toMatchObject([
          { event: { id: early }, outcome: "dropped" },
          { event: { id: late }, outcome: "delivered" },
        ]);
        expect(receiver.handled).toEqual([late]);
      },
      { service: retries },
    );
  });
});

/** Starts examples/receiver, whose handler can be told to fail. */
async function startExampleReceiver() {
  const state = { secrets: [] as string[], handled: [] as string[], fails: false };
  const onEvent = ({ id }: { id: string }) => {
    if (state.fails) throw new Error("not now");
    state.handled.push(id);
  };
  const server = createReceiver({ secrets: () => state.secrets, onEvent }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  return Object.assign(state, { url });
}

/** Emits an event, and returns its id. */
function emit(service: LocalService): string {
  return service.emit({ type: "record.created", databaseId: "base_abc123" }).id;
}

/** Declares a webhook, and the settings of its receiver, a resource that sends each new secret to `settingsUrl`. */
function programOf(replacementTrigger: string, url: string, settingsUrl: string): string {
  return `
    const pulumi = require("@pulumi/pulumi");
    const { Webhook } = require("pulumi-dbwebhooks");
    const args = ${JSON.stringify(webhookArgs({ url }))};
    const { secret } = new Webhook("orders", args, { replacementTrigger: "${replacementTrigger}" });
    const send = (inputs) => fetch(inputs.url, { method: "POST", body: JSON.stringify(inputs) });
    const settingsProvider = {
      diff: async (id, olds, news) => ({ changes: olds.secret !== news.secret }),
      create: async (inputs) => (await send(inputs), { id: "settings", outs: inputs }),
      update: async (id, olds, news) => (await send(news), { outs: news }),
    };
    class ReceiverSettings extends pulumi.dynamic.Resource {}
    new ReceiverSettings(settingsProvider, "receiver", { url: "${settingsUrl}", secret });
  `;
}

/** Lets up to a hundred events a second happen; a busy machine gets fewer. */
function startEventStream(service: LocalService) {
  const events: EmittedEvent[] = [];
  const emit = () =>
    events.push(service.emit({ type: "record.created", databaseId: "base_abc123" }));
  const timer = setInterval(emit, 10);
  return {
    /** Ends the stream, and returns its events once every delivery is over. */
    end: async () => {
      clearInterval(timer);
      await Promise.all(events.map(({ finished }) => finished));
      return events;
    },
  };
}
