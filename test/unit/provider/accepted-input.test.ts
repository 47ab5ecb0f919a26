import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { eventTypes } from "../../../src/common/event-types.ts";
import type { WebhookField } from "../../../src/common/webhook-fields.ts";
import { startLocalService } from "../../../src/local-service/index.ts";
import { apiKey } from "../../helpers/builders.ts";
import { startProvider } from "../../helpers/provider.ts";

const longTexts = [2_048, 2_049].map((length) => "x".repeat(length));
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.stringMatching(/^\w+$/),
  fc.constantFrom(...longTexts),
);
const anyPath = fc.string({ unit: "binary", maxLength: 20 });
const anyEvent = fc.oneof(fc.constantFrom<string>(...eventTypes), fc.stringMatching(/^[!-~]+$/));

/** Values of each argument that the service gets. The check decides which of them are valid. */
const anyFields: Readonly<Record<WebhookField, fc.Arbitrary<unknown>>> = {
  databaseId: anyText,
  url: anyPath.map((path) => `HTTPS://A.b:443/../${path}`),
  events: fc.array(anyEvent, { minLength: 1, maxLength: 4 }),
  tableId: fc.option(anyText, { nil: undefined }),
};

it("The service gets and lists what a check accepts, and it is no difference afterwards", async () => {
  const service = await startLocalService({ apiKeys: [apiKey], allowUnknownEvents: true });
  onTestFinished(() => service.close());
  const settings = { baseUrl: service.baseUrl, listing: "true", retrySeconds: "0" };

  await fc.assert(
    fc.asyncProperty(fc.record(anyFields), async (fields) => {
      const { check, create, lines } = startProvider(settings);
      const { inputs, problems } = await check({ ...fields, allowUnknownEvents: true });
      fc.pre(problems.length === 0);

      const { id, outs } = await create({ ...inputs });

      const webhook = service.webhooks.find((one) => String(one.id) === id);
      const { allowUnknownEvents: _, ...sent } = inputs;
      expect(webhook).toMatchObject(sent);
      const next = startProvider(settings);
      // Pulumi passes the secret without its envelope.
      const state = { ...outs, secret: webhook?.secret };
      expect(await next.diff(id, state, inputs)).toEqual({ changes: false });
      expect(await next.read(id, state)).toEqual({ id, props: outs });
      expect([...lines, ...next.lines]).toEqual([]);
      service.webhooks = [];
    }),
  );
});
