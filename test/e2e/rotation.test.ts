import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { EmittedEvent, LocalService } from "pulumi-dbwebhooks/local-service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReceiver } from "../../examples/receiver/receiver.ts";
import { startReceiver } from "../helpers/receiver.js";
import { shareService, shareStack } from "../helpers/stack.js";

/** The ways to rotate a secret, each with a receiver, and with events in a database of the same name. */
const rotations = [
  // The receiver's settings are a resource of the stack, which depends on the webhook's secret.
  "settings",
  // Two webhooks deliver to the receiver, and only the second one stays.
  "overlap",
  // The receiver gets the secret after the update, and the service repeats deliveries until then.
  "repetition",
  // The same with deleteBeforeReplace.
  "gap",
] as const;
type Rotation = (typeof rotations)[number];

// A receiver may lose only events that it rejects, and none that it accepts late on a busy machine.
const deliveries = { timeoutSeconds: 120, maxConcurrent: 1_000, retryWaitsSeconds: [] };
const retryWaitsSeconds = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6];

describe("A rotation of secrets while events flow", () => {
  const retrying = shareService({ deliveries: { ...deliveries, retryWaitsSeconds } });
  const stack = shareStack({ service: { deliveries } });
  const serviceOf = (rotation: Rotation) =>
    rotation === "repetition" || rotation === "gap" ? retrying() : stack().service;
  const receivers = {} as Record<Rotation, Awaited<ReturnType<typeof startEventReceiver>>>;
  const events = {} as Record<Rotation, readonly EmittedEvent[]>;
  const lost = (rotation: Rotation) =>
    events[rotation].filter(({ id }) => !receivers[rotation].accepted.has(id));

  beforeAll(async () => {
    for (const rotation of rotations) receivers[rotation] = await startEventReceiver();
    await using settings = await startReceiver(({ body }) => {
      receivers.settings.learn(body.secret);
      return 204;
    });
    const learnSecretsOf = (...affected: readonly Rotation[]) => {
      for (const rotation of affected) {
        const webhooks = serviceOf(rotation).webhooks.filter(
          ({ databaseId }) => databaseId === rotation,
        );
        for (const { secret } of webhooks) receivers[rotation].learn(secret);
      }
    };
    const update = async (replacementTrigger: string) => {
      await stack().writeProgram(
        programOf(replacementTrigger, retrying(), settings.url, receivers),
      );
      await stack().up();
    };
    await update("first");
    learnSecretsOf("overlap", "repetition", "gap");
    for (const service of [stack().service, retrying()]) {
      // A slow creation makes a gap long enough to be seen.
      service.inject({ on: "POST", fault: { kind: "delay", ms: 200 } });
    }
    const streams = rotations.map((rotation) => ({
      rotation,
      stream: startEventStream(serviceOf(rotation), rotation),
    }));

    await update("second");
    learnSecretsOf("repetition", "gap");
    await Promise.all(
      streams.map(async ({ rotation, stream }) => {
        events[rotation] = await stream.end();
      }),
    );
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

/**
 * Declares the webhooks of all rotations. Another `replacementTrigger` replaces all of them but `overlap`;
 * `overlap-old` exists only with the trigger "first".
 */
function programOf(
  replacementTrigger: string,
  { baseUrl, apiKey }: LocalService,
  settingsUrl: string,
  receivers: Readonly<Record<Rotation, { readonly url: string }>>,
): string {
  const argsOf = (rotation: Rotation) =>
    JSON.stringify({
      databaseId: rotation,
      url: receivers[rotation].url,
      events: ["record.created"],
    });
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
async function startEventReceiver() {
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
