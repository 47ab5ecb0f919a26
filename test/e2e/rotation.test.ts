import { once } from "node:events";
import type { AddressInfo } from "node:net";
import {
  type DeliveryOptions,
  type EmittedEvent,
  startLocalService,
} from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { createReceiver } from "../../examples/receiver/receiver.ts";
import { startEventStream } from "../helpers/event-stream.js";
import { startReceiver } from "../helpers/receiver.js";
import { type TestStack, withStack } from "../helpers/stack.js";

// Only what the receiver refuses may be lost, and not what it answers late on a busy machine.
const timeoutSeconds = 120;
/** No wait in a queue, and one attempt only: what is not accepted at once is lost. */
const withoutRetries: DeliveryOptions = {
  timeoutSeconds,
  maxConcurrent: 1_000,
  retryWaitsSeconds: [],
};
const withRetries: DeliveryOptions = {
  timeoutSeconds,
  retryWaitsSeconds: [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6],
};

describe("A rotation while events flow", () => {
  it("loses none without any retry, by settings of the receiver in the same update or by two webhooks", async () => {
    await withRotation(withoutRetries, async ({ stack, startReceiving, settings }) => {
      const replaced = await startReceiving("base_replaced");
      settings.learn = replaced.learn;
      const doubled = await startReceiving("base_doubled");
      const declare = (webhook: DeclaredWebhook, others: readonly string[]) => {
        const two = others.map((name) => [name, doubled.replacements.initial] as const);
        return stack.declareText(
          programWithReceiver("orders", settings.url, {
            orders: webhook,
            ...Object.fromEntries(two),
          }),
        );
      };
      await declare(replaced.replacements.initial, ["first"]);
      await stack.up();
      await doubled.learnFrom(stack, ["first"]);
      using replacedStream = startEventStream(stack.service, "base_replaced");
      using doubledStream = startEventStream(stack.service, "base_doubled");

      for (const [webhook, others] of [
        [replaced.replacements.changes[0], ["first", "second"]],
        [replaced.replacements.changes[1], ["second"]],
        [replaced.replacements.changes[2], ["second"]],
      ] as const) {
        await declare(webhook, others);
        await expectReplacement(stack, "base_replaced");
        await doubled.learnFrom(stack, others);
      }
      const events = await replacedStream.end();
      const eventsOfTwo = await doubledStream.end();

      expect(replaced.lostOf(events)).toEqual([]);
      expect(doubled.lostOf(eventsOfTwo)).toEqual([]);
      expect(
        stack.service.webhooks.filter(({ databaseId }) => databaseId === "base_doubled"),
      ).toHaveLength(1);
    });
  });

  it("loses none with retries when the receiver learns afterwards, but those of the gap with deleteBeforeReplace", async () => {
    await withRotation(withRetries, async ({ stack, startReceiving }) => {
      const kept = await startReceiving("base_kept");
      const gapped = await startReceiving("base_gapped");
      const { changes } = kept.replacements;
      const declare = (orders: DeclaredWebhook, { args, opts }: DeclaredWebhook) =>
        stack.declareText(
          program({ orders, gapped: { args, opts: { ...opts, deleteBeforeReplace: true } } }),
        );
      const learn = async () => {
        await kept.learnFrom(stack, ["orders"]);
        await gapped.learnFrom(stack, ["gapped"]);
      };
      await declare(kept.replacements.initial, gapped.replacements.initial);
      await stack.up();
      await learn();
      using keptStream = startEventStream(stack.service, "base_kept");
      using gappedStream = startEventStream(stack.service, "base_gapped");

      for (const [at, webhook] of changes.entries()) {
        await declare(webhook, gapped.replacements.changes[at] ?? webhook);
        await expectReplacement(stack, "base_kept", "base_gapped");
        await learn();
      }
      const events = await keptStream.end();
      const eventsWithGaps = await gappedStream.end();

      expect(kept.lostOf(events)).toEqual([]);
      const attempts = events.flatMap(({ deliveries }) => deliveries.map((one) => one.attempts));
      expect(Math.max(...attempts)).toBeGreaterThan(1);
      const lost = gapped.lostOf(eventsWithGaps);
      expect(lost.length).toBeGreaterThan(0);
      expect(gapsOf(eventsWithGaps)).toBe(changes.length);
      expect(lost.length).toBeLessThan(eventsWithGaps.length);
    });
  });
});

interface DeclaredWebhook {
  readonly args: object;
  readonly opts: object;
}

interface Replacements {
  readonly initial: DeclaredWebhook;
  /** By changed events, by changed url, and by `replacementTrigger`. */
  readonly changes: readonly [DeclaredWebhook, DeclaredWebhook, DeclaredWebhook];
}

interface Rotation {
  readonly stack: TestStack;
  /** Starts a receiver for the webhooks of a database. */
  startReceiving(
    databaseId: string,
  ): Promise<RotatingReceiver & { readonly replacements: Replacements }>;
  /** Takes `{secret}` at its url, for the receiver whose `learn` it has. */
  readonly settings: { readonly url: string; learn: (secret: string) => void };
}

async function withRotation(
  deliveries: DeliveryOptions,
  use: (rotation: Rotation) => Promise<void>,
): Promise<void> {
  await using settingsReceiver = await startReceiver(({ body }) => {
    settings.learn(body.secret);
    return 204;
  });
  const settings = { url: settingsReceiver.url, learn: (_secret: string) => {} };
  const receivers: AsyncDisposable[] = [];
  const startReceiving = async (databaseId: string) => {
    const receiver = await startRotatingReceiver();
    receivers.push(receiver);
    return { ...receiver, replacements: replacementsOf(databaseId, receiver.url) };
  };
  // A slow creation makes every gap long enough to be seen.
  const service = await startLocalService({ deliveries });
  service.inject({ on: "POST", fault: { kind: "delay", ms: 200 } });
  try {
    await withStack((stack) => use({ stack, startReceiving, settings }), { service });
  } finally {
    await Promise.all(receivers.map((receiver) => receiver[Symbol.asyncDispose]()));
  }
}

function replacementsOf(databaseId: string, receiverUrl: string): Replacements {
  const ofTrigger = (replacementTrigger: string, args: object) => ({
    args: { databaseId, url: receiverUrl, ...args },
    opts: { replacementTrigger },
  });
  const events = ["record.created", "record.deleted"];
  const url = `${receiverUrl}/moved`;
  return {
    initial: ofTrigger("first", { events: ["record.created", "record.updated"] }),
    changes: [
      ofTrigger("first", { events }),
      ofTrigger("first", { events, url }),
      ofTrigger("second", { events, url }),
    ],
  };
}

interface RotatingReceiver extends AsyncDisposable {
  readonly url: string;
  /** From now on this secret counts, beside those from before. */
  learn(secret: string): void;
  /** Takes over the secrets of these resources. */
  learnFrom(stack: TestStack, names: readonly string[]): Promise<void>;
  /** Events that never came with a signature that counted at that moment. */
  lostOf(events: readonly EmittedEvent[]): readonly string[];
}

/** Runs the receiver of examples/receiver. */
async function startRotatingReceiver(): Promise<RotatingReceiver> {
  const secrets: string[] = [];
  const accepted = new Set<string>();
  const server = createReceiver({
    secrets: () => secrets,
    onEvent: ({ id }) => void accepted.add(id),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const learn = (secret: string) => void secrets.unshift(secret);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/orders`,
    learn,
    learnFrom: async (stack, names) => {
      const outputs = await stack.outputs();
      for (const name of names) {
        learn(String(outputs[`${name}Secret`]));
      }
    },
    lostOf: (events) => events.map(({ id }) => id).filter((id) => !accepted.has(id)),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Runs an update that replaces the one webhook of each of these databases. */
async function expectReplacement(stack: TestStack, ...databases: readonly string[]): Promise<void> {
  const idsIn = () =>
    databases.map((name) =>
      stack.service.webhooks.filter(({ databaseId }) => databaseId === name).map(({ id }) => id),
    );
  const before = idsIn();
  await stack.up();
  const after = idsIn();
  expect(after.map((ids) => ids.length)).toEqual(databases.map(() => 1));
  expect(after.flat().filter((id) => before.flat().includes(id))).toEqual([]);
}

/** How many times the events stopped having anybody to be told. */
function gapsOf(events: readonly EmittedEvent[]): number {
  const nobodyTold = events.map(({ deliveries }) => deliveries.length === 0);
  return nobodyTold.filter((isNow, at) => isNow && !nobodyTold[at - 1]).length;
}

function program(webhooks: Readonly<Record<string, DeclaredWebhook>>): string {
  const declarations = Object.entries(webhooks).map(
    ([name, { args, opts }]) =>
      `exports.${name}Secret = new Webhook("${name}", ${JSON.stringify(args)}, ${JSON.stringify(opts)}).secret;`,
  );
  return `const { Webhook } = require("pulumi-dbwebhooks");\n${declarations.join("\n")}\n`;
}

/** The receiver's settings are a resource too: it depends on the webhook, by its secret. */
function programWithReceiver(
  name: string,
  settingsUrl: string,
  webhooks: Readonly<Record<string, DeclaredWebhook>>,
): string {
  return `${program(webhooks)}
const pulumi = require("@pulumi/pulumi");
const settings = {
  diff: async (id, olds, news) => ({ changes: olds.secret !== news.secret }),
  create: async (inputs) => {
    await fetch(inputs.url, { method: "POST", body: JSON.stringify({ secret: inputs.secret }) });
    return { id: "settings", outs: inputs };
  },
  update: async (id, olds, news) => {
    await fetch(news.url, { method: "POST", body: JSON.stringify({ secret: news.secret }) });
    return { outs: news };
  },
};
class ReceiverSettings extends pulumi.dynamic.Resource {}
new ReceiverSettings(settings, "receiver", { url: "${settingsUrl}", secret: exports.${name}Secret });
`;
}
