import { LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { apiKey } from "../helpers/builders.js";
import { createWebhook } from "../helpers/local-service.js";
import type { ProviderProcess } from "../helpers/shells/grpc-provider.js";
import { startPlugin } from "../helpers/shells/native-shell.js";

const databaseId = "base_abc123";
const id = `${databaseId}/1`;
const body = {
  url: "https://example.com/hooks/orders",
  events: ["record.updated", "record.created"],
};
const secretMark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

interface Parts {
  readonly plugin: ProviderProcess;
  readonly service: LocalService;
}

/** A plugin, and a service with one webhook for each body. */
async function withWebhooks(
  {
    bodies = [body],
    listing = "true",
    secret,
  }: {
    readonly bodies?: readonly Record<string, unknown>[];
    readonly listing?: string;
    readonly secret?: (secrets: Readonly<Record<string, string>>) => string | undefined;
  },
  use: (parts: Parts) => Promise<void>,
): Promise<void> {
  await using service = await startLocalService({ listing: true, apiKeys: [apiKey] });
  for (const each of bodies) {
    await createWebhook(service, { databaseId, body: each });
  }
  service.clearRequests();
  const secrets = Object.fromEntries(
    service.webhooks.map((webhook) => [`${databaseId}/${webhook.id}`, webhook.secret]),
  );
  const variable = secret?.(secrets);
  await using plugin = await startPlugin(
    { baseUrl: service.baseUrl, apiKey, listing, retrySeconds: "0" },
    variable === undefined ? {} : { DBWEBHOOKS_IMPORT_SECRET: variable },
  );
  await use({ plugin, service });
}

const ofTheFirst = (secrets: Readonly<Record<string, string>>) => secrets[id];

describe("An import", () => {
  it("reads the webhook from the list and its secret from the environment", async () => {
    await withWebhooks({ secret: ofTheFirst }, async ({ plugin, service }) => {
      const imported = await plugin.import(id);

      const inputs = {
        databaseId,
        url: body.url,
        events: ["record.created", "record.updated"],
      };
      expect(imported).toEqual({
        id,
        inputs,
        props: {
          ...inputs,
          baseUrl: service.baseUrl,
          webhookId: "1",
          secret: { ...secretMark, value: service.webhooks[0]?.secret },
        },
      });
      expect(service.requests.map(({ method }) => method)).toEqual(["GET"]);
    });
  });

  it("is followed by no difference", async () => {
    await withWebhooks({ secret: ofTheFirst }, async ({ plugin, service }) => {
      const { inputs, props } = await plugin.import(id);

      const checked = await plugin.check(inputs, inputs);
      const state = { ...props, secret: service.webhooks[0]?.secret };
      const diff = await plugin.diff(id, state, checked.inputs);

      expect(checked).toEqual({ inputs, failures: [] });
      expect(diff).toMatchObject({ changes: 1, diffsList: [] });
    });
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["one table", { tableId: "tbl_orders" }, { tableId: "tbl_orders" }],
    [
      "a receiver that is not encrypted",
      { url: "http://example.com/hooks" },
      { allowInsecureUrl: true },
    ],
  ])("gives the arguments that declare %s", async (_, changes, expected) => {
    const options = { bodies: [{ ...body, ...changes }], secret: ofTheFirst };
    await withWebhooks(options, async ({ plugin }) => {
      const { inputs } = await plugin.import(id);

      expect(inputs).toMatchObject(expected);
      expect(await plugin.check(inputs)).toEqual({ inputs, failures: [] });
    });
  });

  it("gives the argument that lets unknown events pass", async () => {
    await withWebhooks({ secret: ofTheFirst }, async ({ plugin, service }) => {
      service.updateWebhook(1, { events: ["view.created"] as never });

      const { inputs } = await plugin.import(id);

      expect(inputs).toMatchObject({ events: ["view.created"], allowUnknownEvents: true });
      expect(await plugin.check(inputs)).toEqual({ inputs, failures: [] });
    });
  });

  it("takes the secrets of several webhooks from one JSON object", async () => {
    const options = { bodies: [body, body], secret: JSON.stringify };
    await withWebhooks(options, async ({ plugin, service }) => {
      for (const webhook of service.webhooks) {
        const { props } = await plugin.import(`${databaseId}/${webhook.id}`);
        expect(props).toMatchObject({ secret: { value: webhook.secret } });
      }
      expect(plugin.engine.lines).toEqual([]);
    });
  });

  it("warns when one secret is stored for two webhooks", async () => {
    await withWebhooks({ bodies: [body, body], secret: ofTheFirst }, async ({ plugin }) => {
      await plugin.import(id);
      await plugin.import(id);
      expect(plugin.engine.lines).toEqual([]);

      await plugin.import(`${databaseId}/2`);

      expect(plugin.engine.lines).toMatchObject([
        {
          severity: LogSeverity.WARNING,
          line: expect.stringContaining(
            `is stored for webhook 1 of database ${databaseId} and for webhook 2 of database ${databaseId}`,
          ),
        },
      ]);
    });
  });
});

describe("An import fails in one line, and shows no secret,", () => {
  const listingOff = "dbwebhooks:listing is off";
  const noSecret = "DBWEBHOOKS_IMPORT_SECRET holds no secret for it";

  it.each<
    [
      string,
      { listing?: string; secret?: (secrets: Readonly<Record<string, string>>) => string },
      readonly string[],
      readonly string[],
    ]
  >([
    [
      "with listing off",
      { listing: "false", secret: (all) => String(all[id]) },
      [listingOff],
      [noSecret],
    ],
    ["without the variable", {}, [noSecret], [listingOff]],
    ["with neither", { listing: "false" }, [listingOff, noSecret], []],
    ["with an empty variable", { secret: () => "" }, [noSecret], []],
    ["with a secret of another", { secret: () => '{"base_abc123/2":"whsec_x"}' }, [noSecret], []],
    ["with broken JSON", { secret: (all) => `{"${id}":"${all[id]}"` }, [noSecret], []],
  ])("%s", async (_, options, said, unsaid) => {
    await withWebhooks(options, async ({ plugin, service }) => {
      const { secret = "" } = service.webhooks[0] ?? {};

      const error = await plugin.import(id).catch((cause: unknown) => cause);

      const { details } = error as { details: string };
      expect(details).toContain(`Import webhook 1 of database ${databaseId} failed: `);
      expect(details).toContain("The argument adopt takes over a webhook without an import.");
      for (const text of said) expect(details).toContain(text);
      for (const text of [...unsaid, secret, "\n"]) expect(details).not.toContain(text);
      expect(service.requests).toEqual([]);
    });
  });

  it.each<[string, (service: LocalService) => void, string]>([
    [
      "when the service does not list it",
      (service) => service.removeWebhook(1),
      "the service does not list it. Check the id",
    ],
    [
      "when the list may not be whole",
      (service) => {
        service.inject({
          on: "GET",
          fault: { kind: "fields", set: { webhooks: [], nextCursor: "x" } },
        });
      },
      "may have listed only a part",
    ],
    [
      "when the list is not available",
      (service) => {
        service.inject({ on: "GET", fault: { kind: "respond", statusCode: 403 } });
      },
      "it could not be looked up: GET http",
    ],
    [
      "when it selects several tables",
      (service) => {
        service.inject({
          on: "GET",
          fault: {
            kind: "fields",
            set: { webhooks: [{ ...body, id: 1, tableIds: ["a", "b"], active: true }] },
          },
        });
      },
      "selects several tables",
    ],
  ])("%s", async (_, prepare, text) => {
    await withWebhooks({ secret: ofTheFirst }, async ({ plugin, service }) => {
      const { secret = "" } = service.webhooks[0] ?? {};
      prepare(service);

      const error = await plugin.import(id).catch((cause: unknown) => cause);

      const { details } = error as { details: string };
      expect(details).toContain(text);
      expect(details).toContain("Nothing was changed.");
      expect(details).not.toContain(secret);
      expect(service.requests.map(({ method }) => method)).toEqual(["GET"]);
    });
  });
});
