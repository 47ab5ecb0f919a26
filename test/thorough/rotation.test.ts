import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { EmittedEvent, LocalService } from "pulumi-dbwebhooks/local-service";
import { expect, it } from "vitest";
import { createReceiver } from "../../examples/receiver/receiver.ts";
import { webhookArgs } from "../helpers/programs.ts";
import { startReceiver } from "../helpers/receiver.ts";
import { withStack } from "../helpers/stack.ts";

// Without retries, an event is lost unless a webhook whose secret the receiver already has delivers it. The
// large limits keep deliveries out of the queue, from which a deletion removes them, and from timing out.
const deliveries = { timeoutSeconds: 120, retryWaitsSeconds: [] };

it("A replacement that changes the secret loses no event if the settings of the receiver are a resource of the stack", async () => {
  await withStack(
    async ({ service, up, writeProgram }) => {
      const secrets: string[] = [];
      const accepted = new Set<string>();
      const onEvent = ({ id }: { id: string }) => void accepted.add(id);
      const receiver = createReceiver({ secrets: () => secrets, onEvent }).listen(0, "127.0.0.1");
      await once(receiver, "listening");
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
      await using settingsServer = await startReceiver(({ body }) => {
        secrets.push(body.secret);
        return 204;
      });
      await writeProgram(programOf("before", url, settingsServer.url));
      await up();

      const stream = startEventStream(service);
      await writeProgram(programOf("after", url, settingsServer.url));
      await up();
      const events = await stream.end();
      receiver.close();

      // Events went to the webhook and to its replacement.
      const attempted = events.flatMap((event) => event.deliveries);
      expect(new Set(attempted.map(({ webhookId }) => webhookId))).toEqual(new Set([1, 2]));
      expect(events.filter(({ id }) => !accepted.has(id))).toEqual([]);
    },
    { service: { deliveries } },
  );
});

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
