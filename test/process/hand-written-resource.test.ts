import { expect, it } from "vitest";
import { dynamicAdapter, startAdapter } from "../helpers/adapters/adapters.ts";
import { someArgs } from "../helpers/builders.ts";
import { startReceiver } from "../helpers/receiver.ts";

// Longer than the interval at which the plugin checks whether its engine is alive.
const stepMs = 6_000;
/** A dynamic resource whose creation has two steps, as a user writes it. */
const handWritten = `
  const step = (url, name) => fetch(url, { method: "POST", body: JSON.stringify({ name }) });
  exports.handler = () => ({
    create: async ({ url }) => {
      await step(url, "first");
      await new Promise((resolve) => setTimeout(resolve, ${stepMs}));
      await step(url, "second");
      return { id: "1", outs: {} };
    },
  });
`;

it("The dynamic provider, its engine gone, lets a hand-written resource finish both of its steps", async () => {
  const settings = { baseUrl: "https://tables.example.com", apiKey: "key" };
  await using running = await startAdapter(dynamicAdapter, settings);
  // Loads this package.
  await running.check(someArgs());
  const firstStep = Promise.withResolvers<void>();
  await using receiver = await startReceiver(() => {
    firstStep.resolve();
    return 204;
  });
  const creation = running.calls.create({ url: receiver.url, __provider: handWritten });
  await firstStep.promise;

  running.engine.close();
  await creation;

  expect(receiver.notifications.map(({ body }) => body.name)).toEqual(["first", "second"]);
});
