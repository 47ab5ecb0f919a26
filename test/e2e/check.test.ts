import { describe, expect, it } from "vitest";
import { webhookArgs, withStack } from "../helpers/stack.js";

describe("A webhook with bad arguments or configuration", () => {
  it("fails in preview with all problems named, sends nothing and leaves the state", async () => {
    await withStack(async ({ service, up, declare, pulumi, resources }) => {
      await declare({ orders: { args: webhookArgs() } });
      await up();
      const before = await resources();
      service.clearRequests();
      await declare({
        orders: {
          args: {
            databaseId: 5,
            url: "hooks/orders-path-token",
            events: ["record.create"],
            tableld: "tbl_orders",
            adopt: { id: "whsec_wrong_place", secrets: "whsec_x" },
          },
        },
      });

      const { exitCode, output } = await pulumi(["preview"]);

      expect(exitCode).not.toBe(0);
      for (const problem of [
        /\bdatabaseId: /,
        /\burl: /,
        /\bevents\[0\]: .*record\.created.*allowUnknownEvents/,
        /\btableld: .*\btableId\b/,
        /\badopt\.id: /,
        /\badopt\.secret: /,
        /\badopt\.secrets: /,
      ]) {
        expect(output).toMatch(problem);
      }
      expect(output).not.toMatch(/orders-path-token|whsec_/);
      expect(service.requests).toEqual([]);
      expect(await resources()).toEqual(before);
    });
  });

  it("fails in preview without a base URL and a key, and works with both from the environment", async () => {
    await withStack(
      async ({ service, declare, pulumi, stateText }) => {
        const environment = {
          DBWEBHOOKS_BASE_URL: service.baseUrl,
          DBWEBHOOKS_API_KEY: service.apiKey,
        };
        await declare({ orders: { args: webhookArgs() } });

        const without = await pulumi(["preview"]);
        const requestsWithout = service.requests.length;
        const creation = await pulumi(["up", "--yes", "--skip-preview"], environment);
        const state = await stateText();
        const destroy = await pulumi(["destroy", "--yes", "--skip-preview"], environment);

        expect([without.exitCode === 0, requestsWithout]).toEqual([false, 0]);
        for (const remedy of [
          "pulumi config set dbwebhooks:baseUrl",
          "pulumi config set --secret dbwebhooks:apiKey",
          ...Object.keys(environment),
        ]) {
          expect(without.output).toContain(remedy);
        }
        expect([creation.exitCode, destroy.exitCode]).toEqual([0, 0]);
        expect(state).not.toContain(service.apiKey);
        expect(service.counts).toMatchObject({ posts: 1, deletes: 1 });
      },
      { config: {} },
    );
  });
});
