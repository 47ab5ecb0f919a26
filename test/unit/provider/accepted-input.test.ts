import fc from "fast-check";
import { expect, it } from "vitest";
import { parseWebhookList } from "../../../src/api/schemas.ts";
import { eventTypes } from "../../../src/common/event-types.ts";
import type { WebhookField } from "../../../src/common/webhook-fields.ts";
import { listedFields } from "../../../src/provider/rules/differences.ts";
import { apiKey } from "../../helpers/builders.ts";
import { startService } from "../../helpers/local-service.ts";
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
  const service = await startService({ apiKeys: [apiKey], allowUnknownEvents: true });
  const settings = { baseUrl: service.baseUrl, listing: "true", retrySeconds: "0" };

  await fc.assert(
    fc.asyncProperty(fc.record(anyFields), async (fields) => {
      const { check, create, lines } = startProvider(settings);
      const { inputs, problems } = await check({ ...fields, allowUnknownEvents: true });
      fc.pre(problems.length === 0);
      service.webhooks = [];

      const { id, outs } = await create({ ...inputs });

      const [webhook] = service.webhooks;
      const { allowUnknownEvents: _, ...sent } = inputs;
      expect(webhook).toMatchObject(sent);
      // It fails on a field that docs/api/openapi.yaml does not have.
      const list = await service.list({ databaseId: String(sent.databaseId) });
      const shown = listedFields.filter((name) => name in sent).map((name) => [name, sent[name]]);
      expect(parseWebhookList(list.text, list)?.webhooks).toMatchObject([
        Object.fromEntries(shown),
      ]);
      const next = startProvider(settings);
      // Pulumi passes the secret without its envelope.
      const state = { ...outs, secret: webhook?.secret };
      expect(await next.diff(id, state, inputs)).toEqual({ changes: false });
      expect(await next.read(id, state)).toEqual({ id, props: outs });
      expect([...lines, ...next.lines]).toEqual([]);
    }),
  );
});
