import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { createWebhook } from "../helpers/local-service.js";
import { javascriptProgramOfPlugin } from "../helpers/programs.js";
import { webhookArgs, withStack } from "../helpers/stack.js";

const noop = ["up", "--yes", "--skip-preview", "--expect-no-changes"];
const url = "https://example.com/hooks/by-hand";

describe("pulumi-dbwebhooks/native", () => {
  it("creates, gets and imports webhooks, with an account of its own, and keeps their secrets", async () => {
    const service = await startLocalService({ listing: true });
    await withStack(
      async ({ declareText, pulumi, outputs, stateText }) => {
        const { databaseId, ...body } = webhookArgs({ url }) as { databaseId: string };
        const byHand = (await createWebhook(service, { databaseId, body })).json;
        const id = `${databaseId}/${byHand.id}`;
        const program = (options: string) => `
          const pulumi = require("@pulumi/pulumi");
          const { Webhook, Provider } = require("pulumi-dbwebhooks/native");
          const account = new Provider("account", {
            baseUrl: "${service.baseUrl}",
            apiKey: "${service.apiKey}",
            formerBaseUrls: ["https://old.example.com"],
            listing: true,
            timeoutSeconds: 20,
          });
          const args = ${JSON.stringify(webhookArgs())};
          const orders = new Webhook("orders", { ...args, url: pulumi.secret(args.url) });
          const opts = { provider: account };
          const imported = new Webhook("imported", { ...args, url: "${url}" }, { ...opts${options} });
          const read = Webhook.get("read", "${id}", { provider: account });
          exports.secrets = [orders.secret, imported.secret, read.secret];
          exports.orders = [orders.id, orders.webhookId, orders.url, orders.baseUrl];
          exports.read = [read.id, read.webhookId, read.databaseId, read.events, read.tableId];
        `;
        const environment = { DBWEBHOOKS_IMPORT_SECRET: byHand.secret as string };

        await declareText(program(`, import: "${id}"`));
        const { exitCode, output } = await pulumi(noop.slice(0, 3), environment);
        await declareText(program(""));
        const again = await pulumi(noop, environment);

        expect(exitCode, output).toBe(0);
        expect(again.exitCode, again.output).toBe(0);
        const [created] = service.webhooks.filter((one) => one.url !== url);
        expect(await outputs()).toEqual({
          secrets: [created?.secret, byHand.secret, byHand.secret],
          orders: [
            `${databaseId}/${created?.id}`,
            String(created?.id),
            created?.url,
            service.baseUrl,
          ],
          read: [id, String(byHand.id), databaseId, created?.events, null],
        });
        expect(service.counts).toMatchObject({ posts: 2, deletes: 0 });
        for (const text of [output, again.output, await stateText()]) {
          expect(text).not.toContain(created?.secret);
          expect(text).not.toContain(created?.url);
          expect(text).not.toContain(byHand.secret);
          expect(text).not.toContain(service.apiKey);
        }
      },
      { service, program: javascriptProgramOfPlugin },
    );
  });

  it("fails before it creates anything where the plugin has another version, or is missing", async () => {
    await withStack(
      async ({ service, declare, declareProject, pulumi }) => {
        await declare({ orders: { args: webhookArgs(), opts: { version: "0.0.9" } } });
        const other = await pulumi(["up", "--yes", "--skip-preview"]);
        await declareProject({ plugins: {} });
        const missing = await pulumi(["up", "--yes", "--skip-preview"]);

        expect([other.exitCode, missing.exitCode]).not.toContain(0);
        expect(other.output).toContain(
          `asks for version 0.0.9 of the plugin, and this is ${version}`,
        );
        expect(missing.output).toContain("no resource plugin 'pulumi-resource-dbwebhooks' found");
        expect(service.requests).toEqual([]);
      },
      { program: javascriptProgramOfPlugin },
    );
  });
});
