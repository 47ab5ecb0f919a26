import type { EmittedEvent, LocalService } from "pulumi-dbwebhooks/local-service";
import { expect, it, onTestFinished } from "vitest";
import { createReceiver } from "../../examples/receiver/receiver.ts";
import { someArgs } from "../helpers/builders.ts";
import { succeed } from "../helpers/commands.ts";
import { commandBlocks } from "../helpers/guide.ts";
import { listen } from "../helpers/http-server.ts";
import { readPage, sectionOf } from "../helpers/markdown.ts";
import type { Webhooks } from "../helpers/programs.ts";
import { startReceiver } from "../helpers/receiver.ts";
import { type TestStack, withStack } from "../helpers/stack.ts";

it("A rotation with two webhooks sends every event to a webhook whose secret the receiver accepts", async () => {
  await withStack(async ({ service, declare, up, outputs }) => {
    const receiver = await startExampleReceiver();
    const first = { args: { url: receiver.url } };
    const second = first;
    const rotateTo = async (webhooks: Webhooks) => {
      await declare(webhooks);
      await up();
      receiver.secrets = Object.values(await outputs()).map(String);
      return emit(service);
    };
    await rotateTo({ first });

    const stream = startEventStream(service);
    const { deliveries } = await rotateTo({ first, second });
    await rotateTo({ second });
    const events = await stream.end();

    expect(deliveries).toMatchObject([{ delivered: true }, { delivered: true }]);
    expect(events.filter(({ id }) => !receiver.handled.includes(id))).toEqual([]);
    expect(receiver.handled.toSorted()).toEqual([...new Set(receiver.handled)].toSorted());
  });
});

const [replaceCommand = ""] = commandBlocks(
  sectionOf(readPage("docs/replacement.md"), "Rotate in one command"),
).map(({ commands }) => commands);

it.each<{ way: string; trigger: string; replace: (stack: TestStack) => Promise<unknown> }>([
  { way: "the option replacementTrigger", trigger: "after", replace: ({ up }) => up() },
  {
    way: "the command of docs/replacement.md",
    trigger: "before",
    replace: ({ directory, environment }) => {
      const variables = { PULUMI_STACK: "test", PULUMI_SKIP_CONFIRMATIONS: "true" };
      const options = { directory, environment: { ...environment, ...variables } };
      return succeed("bash", ["-euo", "pipefail", "-c", replaceCommand], options);
    },
  },
])(
  "A replacement by $way loses no event when the receiver's settings are a resource of the stack",
  async ({ trigger, replace }) => {
    await withStack(async (stack) => {
      const { service, up, writeProgram } = stack;
      const receiver = await startExampleReceiver();
      await using settingsServer = await startReceiver(({ body }) => {
        receiver.secrets.push(body.secret);
        return 204;
      });
      await writeProgram(programOf("before", receiver.url, settingsServer.url));
      await up();

      const stream = startEventStream(service);
      await writeProgram(programOf(trigger, receiver.url, settingsServer.url));
      await replace(stack);
      const events = await stream.end();

      // Events went to the webhook and to its replacement.
      const deliveries = events.flatMap((event) => event.deliveries);
      expect(new Set(deliveries.map(({ webhookId }) => webhookId)).size).toBe(2);
      expect(events.filter(({ id }) => !receiver.handled.includes(id))).toEqual([]);
    });
  },
);

/** Starts examples/receiver. */
async function startExampleReceiver() {
  const state = { secrets: [] as string[], handled: [] as string[] };
  const onEvent = ({ id }: { id: string }) => void state.handled.push(id);
  const server = createReceiver({ secrets: () => state.secrets, onEvent });
  onTestFinished(() => void server.close());
  return Object.assign(state, { url: `${await listen(server)}/hooks` });
}

function emit(service: LocalService): Promise<EmittedEvent> {
  return service.emit({ type: "record.created", databaseId: "base_abc123" });
}

/**
 * Declares a webhook, and the settings of its receiver, a resource that sends each new secret to
 * `settingsUrl`.
 */
function programOf(replacementTrigger: string, url: string, settingsUrl: string): string {
  return `
    const pulumi = require("@pulumi/pulumi");
    const { Webhook } = require("pulumi-dbwebhooks");
    const args = ${JSON.stringify(someArgs({ url }))};
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
  const emitted: Promise<EmittedEvent>[] = [];
  const timer = setInterval(() => emitted.push(emit(service)), 10);
  return {
    /** Ends the stream, and returns its events with their deliveries. */
    end: () => {
      clearInterval(timer);
      return Promise.all(emitted);
    },
  };
}
