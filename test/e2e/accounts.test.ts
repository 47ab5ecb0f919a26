import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { webhookArgs, withStack } from "../helpers/stack.js";

/** A program with one webhook for each of these providers. */
function programFor(providers: Readonly<Record<string, object>>): string {
  return `
    const { Provider, Webhook } = require("pulumi-dbwebhooks");
    const providers = ${JSON.stringify(providers)};
    for (const [name, args] of Object.entries(providers)) {
      const provider = new Provider(name, args);
      new Webhook("orders-" + name, ${JSON.stringify(webhookArgs())}, { provider });
    }
  `;
}

describe("Provider on the real CLI", () => {
  it("reaches a service of its own with a key of its own, or with that of the environment", async () => {
    await using eu = await startLocalService({ apiKeys: ["eu-api-key"] });
    await using next = await startLocalService({ apiKeys: ["eu-api-key"] });
    const service = await startLocalService({ apiKeys: ["old-api-key", "new-api-key"] });
    await withStack(
      async ({ up, pulumi, declareText, stateText }) => {
        const us = { baseUrl: service.baseUrl, timeoutSeconds: 20 };
        await declareText(programFor({ us, eu: { baseUrl: eu.baseUrl, apiKey: "eu-api-key" } }));

        const without = await pulumi(["preview"]);
        const withKey = await pulumi(["up", "--yes", "--skip-preview"], {
          DBWEBHOOKS_API_KEY: "old-api-key",
        });

        expect(without.exitCode).not.toBe(0);
        expect(without.output).toMatch(/dbwebhooks:apiKey: .*\bapiKey\b.*\bDBWEBHOOKS_API_KEY\b/);
        expect(withKey.exitCode, withKey.output).toBe(0);
        expect([service.webhooks.length, eu.webhooks.length]).toEqual([1, 1]);

        // Another key changes nothing; another base URL replaces.
        await declareText(
          programFor({
            us: { ...us, apiKey: "new-api-key" },
            eu: {
              baseUrl: next.baseUrl,
              apiKey: "eu-api-key",
              otherBaseUrls: [eu.baseUrl],
            },
          }),
        );
        const preview = await pulumi(["preview"]);
        await up();

        expect(preview.output).toMatch(/base_abc123: dbwebhooks:baseUrl\b/);
        expect(service.counts).toMatchObject({ posts: 1, deletes: 0 });
        expect([eu.webhooks.length, next.webhooks.length]).toEqual([0, 1]);
        const state = await stateText();
        for (const token of ["eu-api-key", "new-api-key", "whsec_"]) {
          expect(state).not.toContain(token);
        }
      },
      { service, config: {} },
    );
    expect([eu.webhooks, next.webhooks]).toEqual([[], []]);
  });

  it("deletes what moves to another provider where it was, without a setting", async () => {
    await using eu = await startLocalService({ apiKeys: ["eu-api-key"] });
    const service = await startLocalService({ apiKeys: ["us-api-key"] });
    await withStack(
      async ({ up, declareText }) => {
        const programOf = (name: "us" | "eu") => `
          const { Provider, Webhook } = require("pulumi-dbwebhooks");
          const us = new Provider("us", ${JSON.stringify({ baseUrl: service.baseUrl, apiKey: "us-api-key" })});
          const eu = new Provider("eu", ${JSON.stringify({ baseUrl: eu.baseUrl, apiKey: "eu-api-key" })});
          new Webhook("orders", ${JSON.stringify(webhookArgs())}, { provider: ${name} });
        `;
        await declareText(programOf("us"));
        await up();
        await declareText(programOf("eu"));

        await up();

        expect([service.webhooks.length, eu.webhooks.length]).toEqual([0, 1]);
        expect(service.counts).toMatchObject({ posts: 1, deletes: 1 });
        const keys = service.requests.map(({ headers }) => headers.authorization);
        expect(new Set(keys)).toEqual(new Set(["Bearer us-api-key"]));
      },
      { service, config: {} },
    );
    expect(eu.webhooks).toEqual([]);
  });
});
