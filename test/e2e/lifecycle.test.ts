import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { webhookArgs, withStack } from "../helpers/stack.js";

describe("Webhook on the real CLI", () => {
  it("is created once and stored with its secret encrypted", async () => {
    await withStack(async ({ service, up, declare, outputs, resources, stateText }) => {
      await declare({ orders: { args: webhookArgs({ tableId: "tbl_orders" }) } });

      await up();

      const [created] = service.webhooks;
      expect(created).toMatchObject({
        databaseId: "base_abc123",
        tableId: "tbl_orders",
        url: "https://example.com/hooks/orders",
        events: ["record.created", "record.updated"],
      });
      expect(await outputs()).toEqual({ ordersSecret: created?.secret });
      expect(await stateText()).not.toContain(created?.secret);
      expect((await resources()).orders).toMatchObject({
        id: String(created?.id),
        outputs: { baseUrl: service.baseUrl, secret: { ciphertext: expect.any(String) } },
      });
      expect(service.counts).toMatchObject({ posts: 1, deletes: 0 });
    });
  });

  it("stays as it is when nothing or only the order of its events changes", async () => {
    await withStack(async ({ service, up, declare }) => {
      await declare({ orders: { args: webhookArgs() } });
      await up();

      const repeated = await up();
      await declare({
        orders: {
          args: webhookArgs({
            events: ["record.updated", "record.created", "record.updated"],
            tableId: null,
            allowUnknownEvents: true,
          }),
        },
      });
      const reordered = await up();

      expect(repeated.output).toContain("2 unchanged");
      expect(reordered.output).toContain("2 unchanged");
      expect(service.counts).toMatchObject({ posts: 1, deletes: 0 });
    });
  });

  it("is replaced when its database, url, events or table change, the new one first", async () => {
    await withStack(async ({ service, up, declare, outputs }) => {
      await declare({ orders: { args: webhookArgs() } });
      await up();
      const changes = [
        { databaseId: "base_other" },
        { url: "https://example.com/hooks/other" },
        { events: ["record.deleted"] },
        { tableId: "tbl_orders" },
      ];

      for (const change of changes) {
        const before = service.webhooks[0];
        service.clearRequests();
        await declare({ orders: { args: webhookArgs(change) } });
        await up();

        expect(service.requests.map(({ method }) => method)).toEqual(["POST", "DELETE"]);
        expect(service.webhooks).toHaveLength(1);
        expect(service.webhooks[0]).toMatchObject(change);
        expect(service.webhooks[0]?.secret).not.toBe(before?.secret);
        expect(await outputs()).toEqual({ ordersSecret: service.webhooks[0]?.secret });
      }
    });
  });

  it("says in preview and in up what forces a replacement", async () => {
    await withStack(async ({ service, up, declare, pulumi }) => {
      await declare({ orders: { args: webhookArgs() } });
      await up();
      const id = service.webhooks[0]?.id;
      await declare({ orders: { args: webhookArgs({ events: ["record.deleted"] }) } });

      const preview = await pulumi(["preview"]);
      const update = await up();

      const line = `Replacing webhook ${id} of database base_abc123: events changes.`;
      expect(preview.output).toContain(line);
      expect(update.output).toContain(line);
    });
  });

  it("moves to another base URL by a replacement that deletes it where it was made", async () => {
    await using next = await startLocalService();
    await withStack(async ({ service, up, declare, configure }) => {
      await declare({ orders: { args: webhookArgs() } });
      await up();

      await configure({ "dbwebhooks:baseUrl": next.baseUrl });
      await up();

      expect([service.webhooks.length, next.webhooks.length]).toEqual([0, 1]);
    });
    expect(next.webhooks).toEqual([]);
  });

  it("is left alone by refresh, which sends nothing", async () => {
    await withStack(async ({ service, up, declare, pulumi, outputs, resources }) => {
      await declare({ orders: { args: webhookArgs() } });
      await up();
      const { outputs: before } = (await resources()).orders ?? {};
      service.clearRequests();

      const refresh = await pulumi(["refresh", "--yes", "--skip-preview"]);
      const again = await up();

      expect(service.requests).toEqual([]);
      expect(refresh.output).toContain("2 unchanged");
      expect(again.output).toContain("2 unchanged");
      expect(await outputs()).toEqual({ ordersSecret: service.webhooks[0]?.secret });
      const { outputs: after } = (await resources()).orders ?? {};
      expect(Object.keys(after ?? {}).sort()).toEqual(Object.keys(before ?? {}).sort());
    });
  });

  it("is deleted once by destroy, with today's key from the environment", async () => {
    const service = await startLocalService({ apiKeys: ["old-api-key", "new-api-key"] });
    await withStack(
      async ({ up, declare, pulumi }) => {
        await declare({ orders: { args: webhookArgs() } });
        await up();
        service.clearRequests();

        const { exitCode } = await pulumi(["destroy", "--yes"], {
          DBWEBHOOKS_API_KEY: "new-api-key",
        });

        expect(exitCode).toBe(0);
        expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
          "DELETE /api/v1/bases/base_abc123/webhooks/1",
        ]);
        expect(service.requests[0]?.headers.authorization).toBe("Bearer new-api-key");
      },
      { service },
    );
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
