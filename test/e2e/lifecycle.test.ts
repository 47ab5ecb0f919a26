import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { webhookArgs, withStack } from "../helpers/stack.js";

describe("Webhook on the real CLI", () => {
  it("is created once, stored with its secret encrypted, left alone, and deleted with today's key", async () => {
    const service = await startLocalService({ apiKeys: ["old-api-key", "new-api-key"] });
    await withStack(
      async ({ up, declare, pulumi, outputs, resources, stateText }) => {
        await declare({ orders: { args: webhookArgs({ tableId: "tbl_orders" }) } });

        await up();

        const [created] = service.webhooks;
        const stored = (await resources()).orders;
        expect(created).toMatchObject(webhookArgs({ tableId: "tbl_orders" }));
        expect(await outputs()).toEqual({ ordersSecret: created?.secret });
        expect(await stateText()).not.toContain(created?.secret);
        expect(stored).toMatchObject({
          id: String(created?.id),
          outputs: { baseUrl: service.baseUrl, secret: { ciphertext: expect.any(String) } },
        });
        expect(service.counts).toMatchObject({ posts: 1, deletes: 0 });

        service.clearRequests();
        const refresh = await pulumi(["refresh", "--yes", "--skip-preview"]);
        const refreshed = (await resources()).orders;
        await declare({
          orders: {
            args: webhookArgs({
              events: ["record.updated", "record.created", "record.updated"],
              tableId: "tbl_orders",
              allowUnknownEvents: true,
            }),
          },
        });
        const reordered = await up();

        expect(refresh.output).toContain("2 unchanged");
        expect(reordered.output).toContain("2 unchanged");
        expect(Object.keys(refreshed?.outputs ?? {}).sort()).toEqual(
          Object.keys(stored?.outputs ?? {}).sort(),
        );
        expect(await outputs()).toEqual({ ordersSecret: created?.secret });
        expect(service.requests).toEqual([]);

        const { exitCode } = await pulumi(["destroy", "--yes", "--skip-preview"], {
          DBWEBHOOKS_API_KEY: "new-api-key",
        });

        expect(exitCode).toBe(0);
        expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
          `DELETE /api/v1/bases/base_abc123/webhooks/${created?.id}`,
        ]);
        expect(service.requests[0]?.headers.authorization).toBe("Bearer new-api-key");
      },
      { service },
    );
  });

  it("is replaced when its database, url, events, table or base URL change, the new one first", async () => {
    await using next = await startLocalService();
    await withStack(async ({ service, up, declare, pulumi, configure, outputs, resources }) => {
      const changes = {
        databaseId: { databaseId: "base_other" },
        url: { url: "https://example.com/hooks/other" },
        events: { events: ["record.deleted"] },
        tableId: { tableId: "tbl_orders" },
      };
      const declareAll = (argsOf: (change: object) => object) =>
        declare(
          Object.fromEntries(
            Object.entries(changes).map(([name, change]) => [name, { args: argsOf(change) }]),
          ),
        );
      await declareAll(() => webhookArgs());
      await up();
      const olds = await resources();
      const oldSecrets = service.webhooks.map(({ secret }) => secret);
      service.clearRequests();
      await declareAll(webhookArgs);

      const preview = await pulumi(["preview"]);
      const update = await up();

      expect(service.requests.map(({ method }) => method)).toEqual([
        ...Array(4).fill("POST"),
        ...Array(4).fill("DELETE"),
      ]);
      const news = await resources();
      const secrets: Record<string, string> = {};
      for (const [name, change] of Object.entries(changes)) {
        const webhook = service.webhooks.find(({ id }) => String(id) === news[name]?.id);
        expect(webhook).toMatchObject(webhookArgs(change));
        expect(oldSecrets).not.toContain(webhook?.secret);
        secrets[`${name}Secret`] = webhook?.secret ?? "";
        const line = new RegExp(`\\b${olds[name]?.id}\\b.*\\bbase_abc123: ${name}\\b`);
        expect(preview.output).toMatch(line);
        expect(update.output).toMatch(line);
      }
      expect(service.webhooks).toHaveLength(4);
      expect(await outputs()).toEqual(secrets);

      // The key goes to the old service only once it is named.
      service.clearRequests();
      await configure({ "dbwebhooks:baseUrl": next.baseUrl });
      const elsewhere = await pulumi(["up", "--yes", "--skip-preview", "--continue-on-error"]);
      expect(elsewhere.exitCode).not.toBe(0);
      expect(elsewhere.output).toContain("[kept]");
      expect(service.requests).toEqual([]);
      await configure({ "dbwebhooks:otherBaseUrls": service.baseUrl });
      await up();

      expect([service.webhooks.length, next.webhooks.length]).toEqual([0, 4]);
    });
    expect(next.webhooks).toEqual([]);
  });

  it("keeps an output whose argument the program leaves out and ignores", async () => {
    await withStack(async ({ service, up, outputs, declareText }) => {
      const programOf = (args: object, opts: object) => `
        const { Webhook } = require("pulumi-dbwebhooks");
        const orders = new Webhook("orders", ${JSON.stringify(args)}, ${JSON.stringify(opts)});
        exports.tableId = orders.tableId;
      `;
      await declareText(programOf(webhookArgs({ tableId: "tbl_orders" }), {}));
      await up();
      await declareText(programOf(webhookArgs(), { ignoreChanges: ["tableId"] }));

      await up();

      expect(await outputs()).toEqual({ tableId: "tbl_orders" });
      expect(service.counts).toMatchObject({ posts: 1, deletes: 0 });
    });
  });

  it("previews arguments that are not known yet, and creates with the values", async () => {
    await withStack(async ({ service, up, pulumi, declareText }) => {
      await declareText(`
        const { Webhook } = require("pulumi-dbwebhooks");
        const pulumi = require("@pulumi/pulumi");
        const first = new Webhook("first", ${JSON.stringify(webhookArgs())});
        new Webhook("second", {
          databaseId: first.id.apply((id) => "base_" + id),
          url: pulumi.interpolate\`https://example.com/\${first.id}\`,
          events: first.id.apply(() => ["record.created"]),
        });
      `);

      const preview = await pulumi(["preview"]);
      await up();

      expect(preview.output).toContain("+ 3 to create");
      expect(service.webhooks[1]).toMatchObject({
        databaseId: "base_1",
        url: "https://example.com/1",
        events: ["record.created"],
      });
    });
  });
});
