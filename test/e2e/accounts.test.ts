import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { interpolated, javascriptProgram, yamlProgram } from "../helpers/programs.js";
import { unasked, webhookArgs, withStack } from "../helpers/stack.js";

/** A provider of each of these arguments, and a webhook of each of these providers. */
const declared = (
  providers: Readonly<Record<string, object>>,
  webhooks: Readonly<Record<string, string>>,
) => ({
  ...Object.fromEntries(
    Object.entries(providers).map(([name, args]) => [name, { type: "provider" as const, args }]),
  ),
  ...Object.fromEntries(
    Object.entries(webhooks).map(([name, provider]) => [
      name,
      {
        args: webhookArgs({ databaseId: `base_${name}` }),
        opts: { provider: interpolated(provider) },
      },
    ]),
  ),
});
const databasesOf = ({ webhooks }: LocalService) =>
  webhooks.map(({ databaseId }) => databaseId).toSorted();

const requestsOf = ({ requests }: LocalService) =>
  requests.map(({ method, headers }) => `${method} ${headers.authorization}`);

const bad = { databaseId: "..", url: "hooks/path-token", events: ["record.create"] };

describe.each([javascriptProgram, yamlProgram])(
  "Configuration and accounts of $name",
  (program) => {
    it("fail in preview without values; each provider has its own service and key, which its webhooks keep", async () => {
      await using eu = await startLocalService({ apiKeys: ["eu-key", "eu-next-key"] });
      const service = await startLocalService({ apiKeys: ["us-key"] });
      await withStack(
        async ({ declare, pulumi, up, stateText }) => {
          const adopt = { id: "1", secret: "whsec_\n" };
          const us = { baseUrl: service.baseUrl, timeoutSeconds: 20 };
          await declare({ orders: { args: webhookArgs({ ...bad, adopt }) } });
          const wrong = await pulumi(["preview"], { DBWEBHOOKS_TIMEOUT_SECONDS: "soon" });

          expect(wrong.exitCode).not.toBe(0);
          for (const problem of [
            /dbwebhooks:baseUrl: .*\bpulumi config set dbwebhooks:baseUrl\b/,
            /dbwebhooks:apiKey: .*\bpulumi config set --secret dbwebhooks:apiKey\b/,
            /dbwebhooks:timeoutSeconds: /,
            /\bdatabaseId: /,
            /\burl: /,
            /\bevents\[0\]: .*record\.created.*allowUnknownEvents/,
            /\badopt\.secret: /,
          ]) {
            expect(wrong.output).toMatch(problem);
          }
          expect(wrong.output).not.toMatch(/path-token|whsec_|\n\s+at /);
          await declare(declared({ us }, { one: "us" }));
          const keyless = await pulumi(["preview"]);
          expect(keyless.exitCode).not.toBe(0);
          expect(keyless.output).toMatch(
            /dbwebhooks:apiKey: .*\bProvider\b.*\bDBWEBHOOKS_API_KEY\b/,
          );
          expect(service.requests).toEqual([]);

          // The default provider has only the environment; the other takes its missing values from there.
          const account = { DBWEBHOOKS_BASE_URL: service.baseUrl, DBWEBHOOKS_API_KEY: "us-key" };
          const ofEu = { baseUrl: eu.baseUrl, apiKey: "eu-key" };
          const orders = { orders: { args: webhookArgs({ databaseId: "base_orders" }) } };
          const webhooks = { one: "us", two: "eu", moves: "us" };
          await declare({ ...declared({ us, eu: ofEu }, webhooks), ...orders });
          const { output } = await up(account);
          expect([databasesOf(service), databasesOf(eu)]).toEqual([
            ["base_moves", "base_one", "base_orders"],
            ["base_two"],
          ]);

          // Another key changes nothing. The old provider deletes a webhook that moves to another one.
          const known = { us: { ...us, apiKey: "us-key" }, eu: { ...ofEu, apiKey: "eu-next-key" } };
          await declare({ ...declared(known, { ...webhooks, moves: "eu" }), ...orders });
          const moved = await up(account);
          expect([databasesOf(service), databasesOf(eu)]).toEqual([
            ["base_one", "base_orders"],
            ["base_moves", "base_two"],
          ]);
          expect(eu.requests.at(-1)?.headers.authorization).toBe("Bearer eu-next-key");

          for (const text of [await stateText(), output, moved.output]) {
            expect(text).not.toMatch(/(us|eu|next)-key|whsec_/);
          }
          const { exitCode } = await pulumi(["destroy", ...unasked], account);
          const keys = service.requests.map(({ headers }) => headers.authorization);
          expect([exitCode, ...new Set(keys)]).toEqual([0, "Bearer us-key"]);
          expect(service.counts.posts).toBe(3);
        },
        { service, program, isConfigured: false },
      );
      expect(eu.webhooks).toEqual([]);
    });
  },
);

describe("Another base URL in the configuration of the native plugin", () => {
  it("creates with the new account and deletes with the old one, for default and explicit providers", async () => {
    await using next = await startLocalService({ apiKeys: ["next-key"] });
    const service = await startLocalService();
    await withStack(
      async ({ configure, declare, pulumi, up, stateText }) => {
        const declareWith = ({ baseUrl }: LocalService, apiKey: string) =>
          declare({
            ...declared({ account: { baseUrl, apiKey } }, { explicit: "account" }),
            default: { args: webhookArgs({ databaseId: "base_default" }) },
          });
        await declareWith(service, "local-api-key");
        await up();
        service.clearRequests();

        await configure({ "dbwebhooks:baseUrl": next.baseUrl, "dbwebhooks:apiKey": "next-key" });
        await declareWith(next, "next-key");
        const preview = await pulumi(["preview"]);
        const sentByPreview = [...service.requests, ...next.requests];
        const { output } = await up();
        const again = await pulumi(["preview", "--expect-no-changes"]);

        expect(sentByPreview).toEqual([]);
        for (const text of [preview.output, output]) {
          // One for each provider. Pulumi repeats its diagnostics at the end.
          const [, diagnostics] = text.split("\nDiagnostics:\n");
          expect(diagnostics?.match(/warning: Webhooks of the provider /g)).toHaveLength(2);
        }
        expect(requestsOf(next)).toEqual(Array(2).fill("POST Bearer next-key"));
        expect(requestsOf(service)).toEqual(Array(2).fill("DELETE Bearer local-api-key"));
        expect([databasesOf(service), databasesOf(next)]).toEqual([
          [],
          ["base_default", "base_explicit"],
        ]);
        expect(again.exitCode, again.output).toBe(0);
        expect([await stateText(), output].join()).not.toMatch(/(next|local-api)-key|whsec_/);
      },
      { service, program: yamlProgram },
    );
    expect(next.webhooks).toEqual([]);
  });
});
