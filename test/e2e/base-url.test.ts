import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { createWebhook } from "../helpers/local-service.js";
import { interpolated, javascriptProgram, yamlProgram } from "../helpers/programs.js";
import { shareService, shareStack, unasked, webhookArgs, withStack } from "../helpers/stack.js";

const apiKeys = ["local-api-key"];
const orders = { args: webhookArgs() };

describe("A changed base URL of the default provider in the dynamic adapter", () => {
  const next = shareService({ apiKeys });
  const stack = shareStack({
    program: javascriptProgram,
    startService: () => startLocalService({ apiKeys }),
  });
  let sizeOfState: number;

  beforeAll(async () => {
    await stack().declare({ orders });
    await stack().up();
    sizeOfState = (await stack().allResources()).length;
    stack().service.clearRequests();
    await stack().configure({ "dbwebhooks:baseUrl": next().baseUrl });
  });

  it.each([
    ["preview", ["preview"]],
    ["up", ["up", ...unasked]],
  ])("is refused in %s, which names both addresses and sends nothing", async (_, command) => {
    const { service, allResources, pulumi } = stack();

    const { exitCode, output } = await pulumi(command);

    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/\[unchanged\]/);
    expect(output).toContain(service.baseUrl);
    expect(output).toContain(next().baseUrl);
    expect([service.requests, next().requests]).toEqual([[], []]);
    expect(await allResources()).toHaveLength(sizeOfState);
  });

  it("is no change when formerBaseUrls names the old address", async () => {
    const { exitCode, output } = await stack().pulumi(["preview", "--expect-no-changes"], {
      DBWEBHOOKS_FORMER_BASE_URLS: stack().service.baseUrl,
    });

    expect(exitCode, output).toBe(0);
  });

  it("is replaced by an explicit Provider: the default one deletes what it created", async () => {
    const { service, configure, declare, up } = stack();
    // Pulumi has stored the new address for the default provider; this update stores the old one again.
    await configure({ "dbwebhooks:baseUrl": service.baseUrl });
    await up();
    await declare({
      next: { type: "provider", args: { baseUrl: next().baseUrl, apiKey: "local-api-key" } },
      orders: { ...orders, opts: { provider: interpolated("next") } },
    });

    await up();

    expect([service.webhooks.length, next().webhooks.length]).toEqual([0, 1]);
    expect(service.requests.map(({ method }) => method)).toEqual(["DELETE"]);
  });
});

describe("A changed base URL of the default provider in the native plugin", () => {
  it("is refused when only the environment changes it", async () => {
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
  it("fails to delete the old webhook when it changes in place, until another Provider takes over", async () => {
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
    "keeps its webhook when replacementTrigger or --replace asks for another one: $name",
    async (program) => {
      const service = await startLocalService({ apiKeys });
      await withStack(
        async ({ declare, pulumi, outputs, resources }) => {
          const rotating = (replacementTrigger: string) => ({
            orders: { ...orders, opts: { replacementTrigger } },
          });
          await declare(rotating("first"));
          await pulumi(["up", ...unasked]);
          const [webhook] = service.webhooks;
          const body = { id: webhook?.id, secret: webhook?.secret };
          service.inject({ on: "POST", fault: { kind: "respond", statusCode: 200, body } });
          await declare(rotating("second"));

          const triggered = await pulumi(["up", ...unasked]);
          const { urn = "" } = (await resources()).orders ?? {};
          const replaced = await pulumi(["up", ...unasked, "--replace", urn]);

          expect(triggered.output).toContain(`Did not delete webhook ${webhook?.id} `);
          expect(replaced.output).toContain(`Did not delete webhook ${webhook?.id} `);
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
