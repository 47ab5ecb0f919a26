import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { createWebhook } from "../helpers/local-service.js";
import { interpolated, javascriptProgram, yamlProgram } from "../helpers/programs.js";
import { unasked, webhookArgs, withStack } from "../helpers/stack.js";

const apiKeys = ["local-api-key"];
const orders = { args: webhookArgs() };

describe("The base URL of the default provider", () => {
  it("is refused when it changes, before anything is sent, until one of the ways on is taken", async () => {
    const service = await startLocalService({ apiKeys });
    await using next = await startLocalService({ apiKeys });
    await withStack(
      async ({ configure, declare, pulumi, stateText, up }) => {
        await declare({ orders });
        await up();
        const state = await stateText();
        service.clearRequests();
        await configure({ "dbwebhooks:baseUrl": next.baseUrl });

        const preview = await pulumi(["preview"]);
        const update = await pulumi(["up", ...unasked]);

        for (const { exitCode, output } of [preview, update]) {
          expect(exitCode).not.toBe(0);
          expect(output).toMatch(/\[unchanged\]/);
          expect(output).toContain(service.baseUrl);
          expect(output).toContain(next.baseUrl);
        }
        expect([service.requests, next.requests]).toEqual([[], []]);
        expect(JSON.parse(await stateText()).checkpoint.latest.resources).toHaveLength(
          JSON.parse(state).checkpoint.latest.resources.length,
        );

        // The same service has moved.
        const moved = { DBWEBHOOKS_FORMER_BASE_URLS: service.baseUrl };
        const unchanged = await pulumi(["preview", "--expect-no-changes"], moved);
        expect(unchanged.exitCode, unchanged.output).toBe(0);

        // It is another service: the default provider deletes what it created. Pulumi has stored the new
        // address for it, so one update stores the old one again.
        await configure({ "dbwebhooks:baseUrl": service.baseUrl });
        await up();
        const provider = {
          type: "provider" as const,
          args: { baseUrl: next.baseUrl, apiKey: "local-api-key" },
        };
        await declare({
          next: provider,
          orders: { ...orders, opts: { provider: interpolated("next") } },
        });
        await up();
        expect([service.webhooks.length, next.webhooks.length]).toEqual([0, 1]);
        expect(service.requests.map(({ method }) => method)).toEqual(["DELETE"]);
      },
      { service, program: javascriptProgram },
    );
    expect(next.webhooks).toEqual([]);
  });

  it("is refused in the plugin when only the environment changes it", async () => {
    const service = await startLocalService({ apiKeys });
    await using next = await startLocalService({ apiKeys });
    await withStack(
      async ({ declare, pulumi, up }) => {
        await declare({ orders });
        await up();
        service.clearRequests();

        const { exitCode, output } = await pulumi(["up", ...unasked], {
          DBWEBHOOKS_BASE_URL: next.baseUrl,
        });

        expect(exitCode).not.toBe(0);
        expect(output).toMatch(/set by DBWEBHOOKS_BASE_URL.*\[unchanged\]/);
        expect([service.requests, next.requests]).toEqual([[], []]);
      },
      { service, program: yamlProgram },
    );
  });
});

describe("The base URL of an explicit Provider of the dynamic adapter", () => {
  it("leaves a pending deletion when it changes in place, and another Provider is the way out", async () => {
    const service = await startLocalService({ apiKeys });
    await using next = await startLocalService({ apiKeys });
    await withStack(
      async ({ declare, pulumi, up, outputs }) => {
        const providerOf = (baseUrl: string) => ({
          type: "provider" as const,
          args: { baseUrl, apiKey: "local-api-key" },
        });
        const on = (provider: string) => ({
          ...orders,
          opts: { provider: interpolated(provider) },
        });
        await declare({ account: providerOf(service.baseUrl), orders: on("account") });
        await up();

        await declare({ account: providerOf(next.baseUrl), orders: on("account") });
        const failed = await pulumi(["up", ...unasked]);

        expect(failed.exitCode).not.toBe(0);
        expect(failed.output).toMatch(/Provider with another name.*\[notDeleted\]/);
        expect([service.webhooks.length, next.webhooks.length]).toEqual([1, 1]);
        const secret = (await outputs()).ordersSecret;

        await declare({
          account: providerOf(service.baseUrl),
          second: providerOf(next.baseUrl),
          orders: on("second"),
        });
        await up();

        expect([service.webhooks.length, next.webhooks.length]).toEqual([0, 1]);
        expect((await outputs()).ordersSecret).toBe(secret);
        expect(next.counts.posts).toBe(1);
      },
      { service, program: javascriptProgram, isConfigured: false },
    );
    expect(next.webhooks).toEqual([]);
  });
});

describe("A service that returns the existing webhook for a repeated creation", () => {
  it.each([javascriptProgram, yamlProgram])(
    "keeps its webhook when replacementTrigger asks for another one: $name",
    async (program) => {
      const service = await startLocalService({ apiKeys });
      await withStack(
        async ({ declare, pulumi, outputs }) => {
          const rotating = (replacementTrigger: string) => ({
            orders: { ...orders, opts: { replacementTrigger } },
          });
          await declare(rotating("first"));
          await pulumi(["up", ...unasked]);
          const [webhook] = service.webhooks;
          const body = { id: webhook?.id, secret: webhook?.secret };
          service.inject({ on: "POST", fault: { kind: "respond", statusCode: 200, body } });
          await declare(rotating("second"));

          const { output } = await pulumi(["up", ...unasked]);

          expect(output).toContain(`Kept webhook ${webhook?.id} `);
          expect(service.webhooks).toEqual([webhook]);
          expect((await outputs()).ordersSecret).toBe(webhook?.secret);
          expect(service.counts.deletes).toBe(0);
        },
        { service, program },
      );
    },
  );
});

describe("Another address of the same service, while adopt still names the webhook", () => {
  it("is refused in the plugin, where the replaced provider would delete the adopted webhook", async () => {
    const service = await startLocalService({ apiKeys });
    await withStack(
      async ({ configure, declare, pulumi, up }) => {
        const { databaseId, ...body } = webhookArgs() as { databaseId: string };
        const byHand = (await createWebhook(service, { databaseId, body })).json;
        const adopt = { id: byHand.id, secret: byHand.secret };
        await declare({ orders: { args: webhookArgs({ adopt }) } });
        await up();
        await configure({
          "dbwebhooks:baseUrl": service.baseUrl.replace("127.0.0.1", "localhost"),
        });

        const { exitCode, output } = await pulumi(["up", ...unasked]);

        expect(exitCode).not.toBe(0);
        expect(output).toMatch(/Remove adopt/);
        expect(service.webhooks).toHaveLength(1);
        await configure({ "dbwebhooks:baseUrl": service.baseUrl });
      },
      { service, program: yamlProgram },
    );
  });
});
