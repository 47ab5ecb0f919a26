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
  it("reaches a service of its own with a key of its own", async () => {
    await using eu = await startLocalService({ apiKeys: ["eu-api-key"] });
    await withStack(
      async ({ service: us, up, declareText, stateText }) => {
        await declareText(
          programFor({
            us: { baseUrl: us.baseUrl, apiKey: us.apiKey, timeoutSeconds: 20 },
            eu: { baseUrl: eu.baseUrl, apiKey: "eu-api-key" },
          }),
        );

        await up();

        expect([us.webhooks.length, eu.webhooks.length]).toEqual([1, 1]);
        const state = await stateText();
        for (const token of ["eu-api-key", us.apiKey, "whsec_"]) {
          expect(state).not.toContain(token);
        }
      },
      { config: {} },
    );
    expect(eu.webhooks).toEqual([]);
  });

  it("replaces nothing when its key changes, and its webhooks when its base URL does", async () => {
    const service = await startLocalService({ apiKeys: ["old-api-key", "new-api-key"] });
    await using next = await startLocalService({ apiKeys: ["new-api-key"] });
    await withStack(
      async ({ up, pulumi, declareText }) => {
        await declareText(
          programFor({ main: { baseUrl: service.baseUrl, apiKey: "old-api-key" } }),
        );
        await up();

        await declareText(
          programFor({ main: { baseUrl: service.baseUrl, apiKey: "new-api-key" } }),
        );
        await up();
        const { posts } = service.counts;
        await declareText(programFor({ main: { baseUrl: next.baseUrl, apiKey: "new-api-key" } }));
        const preview = await pulumi(["preview"]);
        await up();

        expect(posts).toBe(1);
        expect(preview.output).toContain(": dbwebhooks:baseUrl changes");
        expect([service.webhooks.length, next.webhooks.length]).toEqual([0, 1]);
      },
      { service, config: {} },
    );
    expect(next.webhooks).toEqual([]);
  });

  it("takes what it is not given from the environment, and else says what to write", async () => {
    await withStack(
      async ({ service, pulumi, declareText }) => {
        await declareText(programFor({ main: { baseUrl: service.baseUrl } }));

        const without = await pulumi(["preview"]);
        const withKey = await pulumi(["preview"], { DBWEBHOOKS_API_KEY: service.apiKey });

        expect(without.output).toContain(
          "dbwebhooks:apiKey: is not set; give apiKey to the Provider or set DBWEBHOOKS_API_KEY",
        );
        expect([without.exitCode === 0, withKey.exitCode]).toEqual([false, 0]);
      },
      { config: {} },
    );
  });
});

describe("Stack configuration", () => {
  it("is warned about once when a key is unknown or the API key is not a secret", async () => {
    await withStack(async ({ service, pulumi, declare }) => {
      await pulumi(["config", "set", "--plaintext", "dbwebhooks:apiKey", service.apiKey]);
      await pulumi(["config", "set", "dbwebhooks:timeoutSecond", "5"]);
      await declare({ one: { args: webhookArgs() }, two: { args: webhookArgs() } });

      const { stdout } = await pulumi(["preview", "--suppress-progress"]);

      const diagnostics = stdout.slice(stdout.indexOf("Diagnostics:"));
      expect(diagnostics.match(/dbwebhooks:apiKey is stored in plain text/g)).toHaveLength(1);
      expect(
        diagnostics.match(/dbwebhooks:timeoutSecond: is not known; did you mean timeoutSeconds\?/g),
      ).toHaveLength(1);
    });
  });
});
