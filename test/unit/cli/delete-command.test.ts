import { describe, expect, it } from "vitest";
import { listed, secretSignature } from "../../helpers/builders.ts";
import { startWithWebhook } from "../../helpers/command-with-service.ts";
import { respondWith, times } from "../../helpers/faults/faults.mts";
import { refusedUrl } from "../../helpers/http-server.ts";
import {
  databaseId,
  inDatabase,
  ofStack,
  ofStacks,
  pendingIn,
  printing,
  printingOnce,
  resourceOf,
  stateWith,
} from "../../helpers/pulumi-stand-in.ts";

describe("The command delete", () => {
  it("deletes a webhook that no given stack has, and says if one has none of the database", async () => {
    const { service, id, baseUrl, runCommand } = await startWithWebhook();
    const pulumi = ofStacks({
      dev: printing(stateWith(resourceOf(baseUrl, "7"))),
      // Its id in another database is another webhook.
      wrong: printing(
        stateWith(resourceOf(baseUrl, id, { outputs: { databaseId: "base_2", baseUrl } })),
      ),
    });

    const result = await runCommand(["delete", ...ofStack, "--stack", "wrong", id], { pulumi });

    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Deleted") });
    expect(result.stderr).toMatch(
      /^warning: .* stack wrong has no Webhook of database base_1\.\n$/,
    );
    expect(service.webhooks).toEqual([]);
  });

  it.each([
    ["a resource", {}, /stack other, .* belongs to urn:\d+\.\n$/],
    ["a pending deletion", { delete: true }, /to urn:\d+, whose deletion is pending\.\n$/],
    [
      "a resource at another base URL",
      { outputs: { databaseId, baseUrl: "https://a.test" } },
      /to urn:\d+ at https:\/\/a\.test, which .* service\.\n$/,
    ],
  ])(
    "sends nothing for a webhook that %s of one of several stacks has",
    async (_, changes, text) => {
      const { id, baseUrl, requests, runCommand } = await startWithWebhook();
      const pulumi = ofStacks({
        dev: printing(stateWith(resourceOf(baseUrl, "7"))),
        other: printing(stateWith(resourceOf(baseUrl, id, changes))),
      });

      const result = await runCommand(["delete", ...ofStack, "--stack", "other", id], { pulumi });

      expect(result).toMatchObject({ exitCode: 1, stdout: "" });
      expect(result.stderr).toMatch(text);
      // It would be wrong with `retainOnDelete`.
      expect(result.stderr).not.toMatch(/remove|pulumi up/i);
      expect(requests).toEqual([]);
    },
  );

  it("sends nothing for a webhook that only the second reading of a stack has", async () => {
    const { id, baseUrl, requests, runCommand } = await startWithWebhook();
    const pulumi = printingOnce(stateWith(), stateWith(resourceOf(baseUrl, id)));

    const result = await runCommand(["delete", ...ofStack, id], { pulumi });

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(requests).toEqual([]);
  });

  it.each([
    ["in both readings", (pending: string) => printing(pending)],
    ["before", (pending: string) => printingOnce(pending, stateWith())],
    ["after", (pending: string) => printingOnce(stateWith(), pending)],
  ])("sends nothing while a creation is in flight: %s", async (_, cliOf) => {
    const { id, requests, runCommand } = await startWithWebhook();
    for (const database of [databaseId, { ...secretSignature, ciphertext: "v1:abc" }]) {
      const pulumi = cliOf(pendingIn({ "urn:new": database }));

      const result = await runCommand(["delete", ...ofStack, id], { pulumi });

      expect(result).toMatchObject({ exitCode: 1, stdout: "" });
      expect(result.stderr).toMatch(
        /^Did not delete .*stack dev.*urn:new.*--clear-pending-creates/,
      );
      expect(requests).toEqual([]);
    }
  });

  it("deletes a webhook while a creation is in flight in another database", async () => {
    const { id, runCommand } = await startWithWebhook();
    const pulumi = printing(pendingIn({ "urn:new": "base_2" }));

    expect(await runCommand(["delete", ...ofStack, id], { pulumi })).toMatchObject({ exitCode: 0 });
  });

  it("fails if the service cannot be reached", async () => {
    const { id, runCommand } = await startWithWebhook();
    const variables = { DBWEBHOOKS_BASE_URL: refusedUrl, DBWEBHOOKS_RETRY_SECONDS: "1" };

    const result = await runCommand(["delete", ...inDatabase, id], { variables });

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toMatch(
      /may still exist: .*could not connect \(ECONNREFUSED.* attempts .*DBWEBHOOKS_RETRY_SECONDS/,
    );
  });

  it("fails without a confirmation, and says that a retry may have deleted the webhook", async () => {
    const { service, id, runCommand } = await startWithWebhook();
    service.use(
      times(1, async (_, next) => {
        await next();
        return new Response(undefined, { status: 502 });
      }),
    );

    const result = await runCommand(["delete", ...inDatabase, id]);

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toMatch(/has no webhook \d+\. .* may have deleted it\.\n$/);
  });

  it.each([
    ["the service cannot list", { listing: false }, undefined, "no complete list"],
    ["the list is a part", {}, [{ webhooks: [], next: "page 2" }], "no complete list"],
    ["the list still has it", {}, [{ webhooks: [listed({ id: 7 })] }], "but lists it"],
    ["an odd list still has it", {}, [{ webhooks: [{ id: 7 }] }], "but lists it"],
    [
      "a cache has stored the list",
      {},
      [{ webhooks: [{ id: 7 }] }, { headers: { age: "55" } }],
      "no complete list",
    ],
  ] as const)("fails after a 404 if %s", async (_, options, list, text) => {
    const { service, runCommand } = await startWithWebhook(options);
    service.use(async ({ method }, next) =>
      method === "GET" && list !== undefined ? Response.json(list[0], list[1]) : next(),
    );

    // For Pulumi, the variable is the way without a list.
    const variables = { DBWEBHOOKS_LISTING: "false" };
    const result = await runCommand(["delete", ...inDatabase, "7"], { variables });

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toMatch(new RegExp(`returned 404 for webhook 7 .*${text}`));
  });

  it.each([
    [respondWith(202), "202"],
    [respondWith(200, { body: { success: false, message: "It is in use." } }), "It is in use."],
    [respondWith(401, { body: { error: { code: "UNAUTHORIZED" } } }), "401 UNAUTHORIZED"],
    [respondWith(410, { body: { error: { code: "GONE" } } }), "410"],
    [respondWith(302, { headers: { location: "https://login.test/" } }), "to login.test (https:)"],
  ])("fails with what the service said, and nothing that only Pulumi does", async (fault, text) => {
    const { service, id, runCommand } = await startWithWebhook();
    service.use(fault);

    const result = await runCommand(["delete", ...inDatabase, id]);

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain(text);
    expect(result.stderr).toMatch(/may still exist.*DBWEBHOOKS_API_KEY, DBWEBHOOKS_BASE_URL/);
    expect(result.stderr).not.toMatch(/pulumi|stack|listing|--parallel|Provider\b|dbwebhooks:/);
    expect(service.webhooks).toHaveLength(1);
  });
});
