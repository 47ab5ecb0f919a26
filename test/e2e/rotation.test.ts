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

const databaseId = "base_abc123";

/** No wait in a queue, and one attempt only: what is not accepted at once is lost. */
const withoutRetries: DeliveryOptions = { maxConcurrent: 1_000, retryWaitsSeconds: [] };
const withRetries: DeliveryOptions = { retryWaitsSeconds: [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4] };

describe("A replacement while events flow", () => {
  it("loses none when the receiver gets the new secret in the same update, without any retry", async () => {
    await withRotation(withoutRetries, async ({ stack, receiver, settingsUrl, replacements }) => {
      const declare = (webhook: DeclaredWebhook) =>
        stack.declareText(programWithReceiver(webhook, settingsUrl));
      await declare(replacements.initial);
      await stack.up();
      using stream = startEventStream(stack.service, databaseId);

      for (const webhook of replacements.changes) {
        await declare(webhook);
        await expectReplacement(stack);
      }
      const events = await stream.end();

      expect(receiver.lostOf(events)).toEqual([]);
    });
  });

  it("loses none when the receiver gets the new secret after the update, and is asked again", async () => {
    await withRotation(withRetries, async ({ stack, receiver, replacements }) => {
      await stack.declareText(program({ orders: replacements.initial }));
      await stack.up();
      await receiver.learnFrom(stack);
      using stream = startEventStream(stack.service, databaseId);

      for (const webhook of replacements.changes) {
        await stack.declareText(program({ orders: webhook }));
        await expectReplacement(stack);
        await receiver.learnFrom(stack);
      }
      const events = await stream.end();

      expect(receiver.lostOf(events)).toEqual([]);
      const attempts = events.flatMap(({ deliveries }) => deliveries.map((one) => one.attempts));
      expect(Math.max(...attempts)).toBeGreaterThan(1);
    });
  });

  it("loses the events between deletion and creation with deleteBeforeReplace, at each of the same changes", async () => {
    await withRotation(withRetries, async ({ stack, receiver, replacements }) => {
      const deletingFirst = ({ args, opts }: DeclaredWebhook) =>
        program({ orders: { args, opts: { ...opts, deleteBeforeReplace: true } } });
      await stack.declareText(deletingFirst(replacements.initial));
      await stack.up();
      await receiver.learnFrom(stack);
      using stream = startEventStream(stack.service, databaseId);

      for (const webhook of replacements.changes) {
        await stack.declareText(deletingFirst(webhook));
        await expectReplacement(stack);
        await receiver.learnFrom(stack);
      }
      const events = await stream.end();

      const lost = receiver.lostOf(events);
      expect(lost.length).toBeGreaterThan(0);
      expect(gapsOf(events)).toBe(replacements.changes.length);
      expect(lost.length).toBeLessThan(events.length);
    });
  });
});

describe("A rotation with two webhooks while events flow", () => {
  it("loses none, without any retry", async () => {
    await withRotation(withoutRetries, async ({ stack, receiver, replacements }) => {
      const webhook = replacements.initial;
      await stack.declareText(program({ first: webhook }));
      await stack.up();
      await receiver.learnFrom(stack);
      using stream = startEventStream(stack.service, databaseId);

      await stack.declareText(program({ first: webhook, second: webhook }));
      await stack.up();
      await receiver.learnFrom(stack);
      await stack.declareText(program({ second: webhook }));
      await stack.up();
      const events = await stream.end();

      expect(stack.service.webhooks.map(({ id }) => id)).toEqual([2]);
      expect(receiver.lostOf(events)).toEqual([]);
    });
  });
});

interface DeclaredWebhook {
  readonly args: object;
  readonly opts: object;
}

interface Rotation {
  readonly stack: TestStack;
  readonly receiver: RotatingReceiver;
  /** Takes `{secret}` for the receiver. */
  readonly settingsUrl: string;
  readonly replacements: {
    readonly initial: DeclaredWebhook;
    /** By changed events, by changed url, and by `replacementTrigger`. */
    readonly changes: readonly DeclaredWebhook[];
  };
}

async function withRotation(
  deliveries: DeliveryOptions,
  use: (rotation: Rotation) => Promise<void>,
): Promise<void> {
  await using receiver = await startRotatingReceiver();
  await using settings = await startReceiver(({ body }) => {
    receiver.learn(body.secret);
    return 204;
  });
  // A slow creation makes every gap long enough to be seen.
  const service = await startLocalService({ deliveries });
  service.inject({ on: "POST", fault: { kind: "delay", ms: 200 } });
  const ofTrigger = (replacementTrigger: string, args: object) => ({
    args: { databaseId, url: receiver.url, ...args },
    opts: { replacementTrigger },
  });
  const events = ["record.created", "record.deleted"];
  const url = `${receiver.url}/moved`;
  const replacements = {
    initial: ofTrigger("first", { events: ["record.created", "record.updated"] }),
    changes: [
      ofTrigger("first", { events }),
      ofTrigger("first", { events, url }),
      ofTrigger("second", { events, url }),
    ],
  };
  await withStack((stack) => use({ stack, receiver, settingsUrl: settings.url, replacements }), {
    service,
  });
}

interface RotatingReceiver extends AsyncDisposable {
  readonly url: string;
  /** From now on this secret counts, beside those from before. */
  learn(secret: string): void;
  learnFrom(stack: TestStack): Promise<void>;
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
    learnFrom: async (stack) =>
      Object.values(await stack.outputs())
        .map(String)
        .forEach(learn),
    lostOf: (events) => events.map(({ id }) => id).filter((id) => !accepted.has(id)),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function expectReplacement(stack: TestStack): Promise<void> {
  const before = stack.service.webhooks.map(({ id }) => id);
  await stack.up();
  const after = stack.service.webhooks.map(({ id }) => id);
  expect([before.length, after.length]).toEqual([1, 1]);
  expect(after).not.toEqual(before);
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
function programWithReceiver(webhook: DeclaredWebhook, settingsUrl: string): string {
  return `${program({ orders: webhook })}
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
new ReceiverSettings(settings, "receiver", { url: "${settingsUrl}", secret: exports.ordersSecret });
`;
}
