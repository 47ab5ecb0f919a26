import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { EmittedEvent, LocalService } from "pulumi-dbwebhooks/local-service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReceiver } from "../../examples/receiver/receiver.ts";
import { startReceiver } from "../helpers/receiver.js";
import { shareService, shareStack } from "../helpers/stack.js";

/** How each receiver gets the new secret; events happen in a database of the same name. */
const ways = [
  // The receiver's settings are a resource of the stack, which depends on the webhook's secret.
  "settings",
  // Two webhooks deliver to the receiver, and only the second one stays.
  "overlap",
  // The receiver learns the secret after the update, and deliveries are repeated until then.
  "repetition",
  // The same with deleteBeforeReplace.
  "gap",
] as const;
type Way = (typeof ways)[number];

// Only what a receiver refuses may be lost, and not what it accepts late on a busy machine.
const deliveries = { timeoutSeconds: 120, maxConcurrent: 1_000, retryWaitsSeconds: [] };
const retryWaitsSeconds = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6];

describe("A rotation of secrets while events flow", () => {
  const retrying = shareService({ deliveries: { ...deliveries, retryWaitsSeconds } });
  const stack = shareStack({ service: { deliveries } });
  const serviceOf = (way: Way) =>
    way === "repetition" || way === "gap" ? retrying() : stack().service;
  const receivers = {} as Record<Way, Awaited<ReturnType<typeof startRotatingReceiver>>>;
  const events = {} as Record<Way, readonly EmittedEvent[]>;
  const lost = (way: Way) => events[way].filter(({ id }) => !receivers[way].accepted.has(id));

  beforeAll(async () => {
    for (const way of ways) receivers[way] = await startRotatingReceiver();
    await using settings = await startReceiver(({ body }) => {
      receivers.settings.learn(body.secret);
      return 204;
    });
    const learnSecretsOf = (...someWays: readonly Way[]) => {
      for (const way of someWays) {
        const webhooks = serviceOf(way).webhooks.filter(({ databaseId }) => databaseId === way);
        for (const { secret } of webhooks) receivers[way].learn(secret);
      }
    };
    const update = async (replacementTrigger: string) => {
      await stack().declareText(programOf(replacementTrigger, retrying(), settings.url, receivers));
      await stack().up();
    };
    await update("first");
    learnSecretsOf("overlap", "repetition", "gap");
    for (const service of [stack().service, retrying()]) {
      // A slow creation makes a gap long enough to be seen.
      service.inject({ on: "POST", fault: { kind: "delay", ms: 200 } });
    }
    const streams = ways.map((way) => startEventStream(serviceOf(way), way));

    await update("second");
    learnSecretsOf("repetition", "gap");
    const ended = await Promise.all(streams.map((stream) => stream.end()));
    ways.forEach((way, index) => {
      events[way] = ended[index] ?? [];
    });
  });
  afterAll(() => {
    for (const { close } of Object.values(receivers)) close();
  });

  it("loses none when the settings of the receiver change in the same update", () => {
    expect(lost("settings")).toEqual([]);
  });

  it("loses none when another webhook delivers to the receiver as well", () => {
    expect(lost("overlap")).toEqual([]);
  });

  it("loses none when the service repeats deliveries until the receiver has the new secret", () => {
    const attempts = events.repetition.flatMap((event) =>
      event.deliveries.map((delivery) => delivery.attempts),
    );

    expect(lost("repetition")).toEqual([]);
    expect(Math.max(...attempts)).toBeGreaterThan(1);
  });

  it("loses those between the deletion and the creation with deleteBeforeReplace", () => {
    const withoutReceiver = events.gap.filter((event) => event.deliveries.length === 0);

    expect(withoutReceiver).not.toEqual([]);
    expect(lost("gap")).toEqual(withoutReceiver);
    // Both the first and the last event have a receiver.
    expect(withoutReceiver).not.toContain(events.gap.at(0));
    expect(withoutReceiver).not.toContain(events.gap.at(-1));
  });
});

/** Declares the webhooks of all ways. Another `replacementTrigger` replaces them, or removes one. */
function programOf(
  replacementTrigger: string,
  { baseUrl, apiKey }: LocalService,
  settingsUrl: string,
  receivers: Readonly<Record<Way, { readonly url: string }>>,
): string {
  const argsOf = (way: Way) =>
    JSON.stringify({ databaseId: way, url: receivers[way].url, events: ["record.created"] });
  return `
    const pulumi = require("@pulumi/pulumi");
    const { Provider, Webhook } = require("pulumi-dbwebhooks");
    const replacementTrigger = "${replacementTrigger}";
    const provider = new Provider("retrying", ${JSON.stringify({ baseUrl, apiKey })});
    if (replacementTrigger === "first") new Webhook("overlap-old", ${argsOf("overlap")});
    new Webhook("overlap", ${argsOf("overlap")});
    new Webhook("repetition", ${argsOf("repetition")}, { provider, replacementTrigger });
    new Webhook("gap", ${argsOf("gap")}, {
      provider, replacementTrigger, deleteBeforeReplace: true,
    });
    const { secret } = new Webhook("settings", ${argsOf("settings")}, { replacementTrigger });
    const send = (inputs) => fetch(inputs.url, { method: "POST", body: JSON.stringify(inputs) });
    const settings = {
      diff: async (id, olds, news) => ({ changes: olds.secret !== news.secret }),
      create: async (inputs) => (await send(inputs), { id: "settings", outs: inputs }),
      update: async (id, olds, news) => (await send(news), { outs: news }),
    };
    class ReceiverSettings extends pulumi.dynamic.Resource {}
    new ReceiverSettings(settings, "receiver", { url: "${settingsUrl}", secret });
  `;
}

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
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    /** The ids of the events that came with a signature that the receiver could verify. */
    accepted,
    /** Makes the receiver accept this secret too. */
    learn: (secret: string) => void secrets.unshift(secret),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Lets up to a hundred events a second happen in a database; a busy machine gets fewer. */
function startEventStream(service: LocalService, databaseId: string) {
  const events: EmittedEvent[] = [];
  const emit = () => events.push(service.emit({ type: "record.created", databaseId }));
  emit();
  const timer = setInterval(emit, 10);
  return {
    /** Ends the stream with a last event, and returns all events once every delivery is over. */
    end: async () => {
      clearInterval(timer);
      emit();
      await Promise.all(events.map(({ finished }) => finished));
      return events;
    },
  };
}
