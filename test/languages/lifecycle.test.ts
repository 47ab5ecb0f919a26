import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { languagePrograms } from "../helpers/languages/programs.js";
import { apiKeys, withLanguageStack } from "../helpers/languages/stack.js";
import { createWebhook } from "../helpers/local-service.js";

const databaseId = "base_abc123";
const url = "https://example.com/hooks/orders";
const otherUrl = "https://example.com/hooks/moved";

/** Requests by their method, with the key that each carried. */
function keysByMethod({ requests }: LocalService): [string, unknown][] {
  return requests.map(({ method, headers }) => [method, headers.authorization]);
}

/** The webhook of a database, which has no other. */
function webhookOf({ webhooks }: LocalService, database: string) {
  const [webhook, ...others] = webhooks.filter((one) => one.databaseId === database);
  expect(others).toEqual([]);
  return webhook;
}

describe.each(languagePrograms)("A program in $name", (program) => {
  it("creates, leaves alone, replaces and deletes webhooks, and keeps their secrets", async () => {
    await withLanguageStack(program, async (stack) => {
      const { service, edit, run, outputs, resource, stateText } = stack;

      const created = await run("up");

      expect(created.exitCode, created.output).toBe(0);
      expect(created.output).toMatch(/ordersSecret *: \[secret\]/);
      expect(keysByMethod(service).toSorted()).toEqual([
        ["POST", `Bearer ${apiKeys.own}`],
        ["POST", `Bearer ${apiKeys.warehouse}`],
      ]);
      const orders = webhookOf(service, databaseId);
      const stock = webhookOf(service, "base_stock");
      expect(await outputs()).toEqual({ ordersSecret: orders?.secret, stockSecret: stock?.secret });
      expect(await resource("orders")).toMatchObject({
        id: `${databaseId}/${orders?.id}`,
        outputs: { url, tableId: "tbl_orders", secret: { ciphertext: expect.any(String) } },
      });
      for (const secret of [orders?.secret, stock?.secret, ...Object.values(apiKeys)]) {
        expect(await stateText()).not.toContain(secret);
        expect(created.output).not.toContain(secret);
      }

      service.clearRequests();
      await edit(
        ["record.created", "EVENT"],
        ["record.updated", "record.created"],
        ["EVENT", "record.updated"],
      );
      const again = await run("up");

      expect(again.exitCode, again.output).toBe(0);
      expect(again.output).toContain("4 unchanged");
      expect(service.requests).toEqual([]);

      await edit([url, otherUrl]);
      const preview = await run("preview");
      expect(service.requests).toEqual([]);
      const replaced = await run("up");

      for (const { output } of [preview, replaced]) {
        expect(output).toMatch(
          /Replacing webhook \d+ of database base_abc123: url changes\..*secret/,
        );
      }
      expect(service.requests.map(({ method }) => method)).toEqual(["POST", "DELETE"]);
      expect(webhookOf(service, databaseId)?.url).toBe(otherUrl);
      expect(await outputs()).toMatchObject({
        ordersSecret: webhookOf(service, databaseId)?.secret,
      });

      const destroyed = await run("destroy");

      expect(destroyed.exitCode, destroyed.output).toBe(0);
      expect(service.webhooks).toEqual([]);
    });
  });

  it("has its bad arguments reported together in the preview, and sends nothing", async () => {
    await withLanguageStack(program, async ({ service, edit, run }) => {
      await edit(
        [databaseId, ".."],
        [url, "hooks/path-token"],
        ["record.created", "record.creatd"],
      );

      const { exitCode, output } = await run("preview");

      expect(exitCode).not.toBe(0);
      for (const problem of [
        "databaseId: must be the identifier of the database",
        "url: must be an absolute URL",
        "events[0]: is not a known event",
      ]) {
        expect(output).toContain(problem);
      }
      expect(output).not.toContain("path-token");
      expect(service.requests).toEqual([]);
    });
  });

  it("takes over a webhook by its id, and notices what was changed outside of Pulumi", async () => {
    await withLanguageStack(program, async ({ service, edit, run, outputs, resource }) => {
      const { json } = await createWebhook(service, {
        databaseId,
        body: { url, events: ["record.created", "record.updated"], tableId: "tbl_orders" },
      });
      const isOfOrders = ({ path }: { path: string }) => path.includes(databaseId);
      service.clearRequests();
      const listing = { DBWEBHOOKS_LISTING: "true" };
      const [plain, importing] = program.importing(`${databaseId}/${json.id}`);

      await edit([plain, importing]);
      const imported = await run("up", { ...listing, DBWEBHOOKS_IMPORT_SECRET: json.secret });
      await edit([importing, plain]);
      const again = await run("up", listing);

      expect(imported.exitCode, imported.output).toBe(0);
      expect(imported.output).toContain("1 imported");
      expect(again.output).toContain("4 unchanged");
      const methods = service.requests.filter(isOfOrders).map(({ method }) => method);
      expect(new Set(methods)).toEqual(new Set(["GET"]));
      expect(await outputs()).toMatchObject({ ordersSecret: json.secret });

      service.updateWebhook(json.id, { url: otherUrl });
      const refreshed = await run("refresh", listing);

      expect(refreshed.output).toContain(`Drift of webhook ${json.id} of database ${databaseId}`);
      expect(await resource("orders")).toMatchObject({ outputs: { url: otherUrl } });
      expect(imported.output + again.output + refreshed.output).not.toContain(json.secret);
    });
  });
});
