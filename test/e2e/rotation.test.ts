import { once } from "node:events";
import type { AddressInfo } from "node:net";
import {
  type EmittedEvent,
  type LocalService,
  startLocalService,
} from "pulumi-dbwebhooks/local-service";
import { describe, expect, it, onTestFinished } from "vitest";
import { createReceiver } from "../../examples/receiver/receiver.ts";
import { startReceiver } from "../helpers/receiver.js";
import { type TestStack, withStack } from "../helpers/stack.js";

/** By database, how its receiver gets a new secret, and what is declared in three updates. */
const databases = {
  /** The receiver's settings are a resource too: it depends on the webhook, by its secret. */
  base_settings: [["one"], ["one"], ["one"]],
  /** A second webhook comes before the first one goes. */
  base_doubled: [["one"], ["one", "two"], ["two"]],
  /** After each update, so that deliveries are repeated. */
  base_later: [["one"], ["one"], ["one"]],
  /** After each update, and with `deleteBeforeReplace`. */
  base_gapped: [["one"], ["one"], ["one"]],
} as const;
type Database = keyof typeof databases;
const names = Object.keys(databases) as Database[];
/** Whether the service sends a notification again that the receiver has refused. */
const isRetried = (name: Database) => ["base_later", "base_gapped"].includes(name);
const updates = [0, 1, 2] as const;

describe("A rotation while events flow", () => {
  it("loses none with settings in the same update, two webhooks or retries; deleteBeforeReplace does", async () => {
    const receivers = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await startRotatingReceiver()] as const)),
    ) as Record<Database, RotatingReceiver>;
    await using settings = await startReceiver(({ body }) => {
      receivers.base_settings.learn(body.secret);
      return 204;
    });
    // Only what the receiver refuses may be lost, and not what it answers late on a busy machine.
    const deliveries = { timeoutSeconds: 120, maxConcurrent: 1_000, retryWaitsSeconds: [] };
    const service = await startLocalService({ deliveries });
    const retryWaitsSeconds = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6];
    await using retrying = await startLocalService({
      deliveries: { ...deliveries, retryWaitsSeconds },
    });
    const webhooksOfAll = () => [...service.webhooks, ...retrying.webhooks];
    for (const each of [service, retrying]) {
      // A slow creation makes every gap long enough to be seen.
      each.inject({ on: "POST", fault: { kind: "delay", ms: 200 } });
    }
    await withStack(
      async (stack) => {
        const streams = new Map<Database, ReturnType<typeof startEventStream>>();
        const secretsAtEnds: string[][] = [];
        for (const update of updates) {
          await declare(stack, retrying, update, settings.url, receivers);
          await stack.up();
          secretsAtEnds.push(webhooksOfAll().map(({ secret }) => secret));
          for (const { databaseId, secret } of webhooksOfAll()) {
            const isTold = databaseId === "base_settings" && update > 0;
            if (!isTold) receivers[databaseId as Database].learn(secret);
          }
          if (update === 0) {
            for (const name of names) {
              streams.set(name, startEventStream(isRetried(name) ? retrying : service, name));
            }
          }
        }
        const events = Object.fromEntries(
          await Promise.all([...streams].map(async ([name, stream]) => [name, await stream.end()])),
        ) as Record<Database, readonly EmittedEvent[]>;

        // Each update replaced, or added and removed.
        const [first = [], second = [], third = []] = secretsAtEnds;
        expect([first, second, third].map(({ length }) => length)).toEqual([4, 5, 4]);
        expect(third.filter((secret) => first.includes(secret))).toEqual([]);
        const lost = names.map((name) => receivers[name].lostOf(events[name]).length);
        expect(lost).toEqual([0, 0, 0, expect.toSatisfy((count: number) => count > 0)]);
        const retries = events.base_later.flatMap((event) => event.deliveries);
        expect(Math.max(...retries.map(({ attempts }) => attempts))).toBeGreaterThan(1);
        expect(lost[3]).toBeLessThan(events.base_gapped.length);
        expect(gapsOf(events.base_gapped)).toBe(updates.length - 1);
      },
      { service },
    );
  });
});

/** Declares the webhooks of an update, which are replaced by changed arguments and then by a trigger. */
function declare(
  stack: TestStack,
  { baseUrl, apiKey }: LocalService,
  update: (typeof updates)[number],
  settingsUrl: string,
  receivers: Record<Database, RotatingReceiver>,
): Promise<void> {
  const webhooks = names.flatMap((databaseId) => {
    const isDoubled = databaseId === "base_doubled";
    const url = `${receivers[databaseId].url}/${update === 0 || isDoubled ? "" : "moved"}`;
    const opts = {
      replacementTrigger: update === 2 && !isDoubled ? "second" : "first",
      deleteBeforeReplace: databaseId === "base_gapped",
    };
    return databases[databaseId][update].map((name) => {
      const args = { databaseId, url, events: ["record.created"] };
      return [`${databaseId}-${name}`, isRetried(databaseId), args, opts] as const;
    });
  });
  return stack.declareText(`
const pulumi = require("@pulumi/pulumi");
const { Provider, Webhook } = require("pulumi-dbwebhooks");
const retrying = new Provider("retrying", ${JSON.stringify({ baseUrl, apiKey })});
const webhooks = {};
for (const [name, isRetried, args, opts] of ${JSON.stringify(webhooks)}) {
  const provider = isRetried ? retrying : undefined;
  webhooks[name] = new Webhook(name, args, { ...opts, provider });
}
const send = (inputs) => fetch(inputs.url, { method: "POST", body: JSON.stringify(inputs) });
const settings = {
  diff: async (id, olds, news) => ({ changes: olds.secret !== news.secret }),
  create: async (inputs) => (await send(inputs), { id: "settings", outs: inputs }),
  update: async (id, olds, news) => (await send(news), { outs: news }),
};
class ReceiverSettings extends pulumi.dynamic.Resource {}
const { secret } = webhooks["base_settings-one"];
new ReceiverSettings(settings, "receiver", { url: "${settingsUrl}", secret });
`);
}

type RotatingReceiver = Awaited<ReturnType<typeof startRotatingReceiver>>;

/** Runs the receiver of examples/receiver. */
async function startRotatingReceiver() {
  const secrets: string[] = [];
  const accepted = new Set<string>();
  const server = createReceiver({
    secrets: () => secrets,
    onEvent: ({ id }) => void accepted.add(id),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    /** From now on this secret counts, beside those from before. */
    learn: (secret: string) => void secrets.unshift(secret),
    /** Events that never came with a signature that counted at that moment. */
    lostOf: (events: readonly EmittedEvent[]) =>
      events.map(({ id }) => id).filter((id) => !accepted.has(id)),
  };
}

/** Lets up to a hundred events a second happen in a database; a busy machine gets fewer. */
function startEventStream(service: LocalService, databaseId: string) {
  const events: EmittedEvent[] = [];
  const emit = () => events.push(service.emit({ type: "record.created", databaseId }));
  const timer = setInterval(emit, 10);
  onTestFinished(() => clearInterval(timer));
  return {
    /** Ends the stream, and waits until every delivery is over. All events, in order. */
    end: async () => {
      clearInterval(timer);
      await Promise.all(events.map(({ finished }) => finished));
      return events;
    },
  };
}

/** How many times the events stopped having anybody to be told. */
function gapsOf(events: readonly EmittedEvent[]): number {
  const nobodyTold = events.map(({ deliveries }) => deliveries.length === 0);
  return nobodyTold.filter((isNow, at) => isNow && !nobodyTold[at - 1]).length;
}
