import { describe, expect, it } from "vitest";
import { webhookArgs, withStack } from "../helpers/stack.js";

describe("A webhook with bad arguments or configuration", () => {
  it("fails in preview with all problems named, sends nothing and leaves the state", async () => {
    await withStack(async ({ service, up, declare, pulumi, stateText }) => {
      await declare({ orders: { args: webhookArgs() } });
      await up();
      const stateBefore = withoutManifest(await stateText());
      service.clearRequests();
      await declare({
        orders: {
          args: {
            databaseId: 5,
            url: "hooks/orders-path-token",
            events: [],
            tableld: "tbl_orders",
          },
        },
      });

      const { exitCode, output } = await pulumi(["preview"]);

      expect(exitCode).not.toBe(0);
      for (const problem of [
        "databaseId: must be the identifier of the database",
        "url: must be an absolute URL",
        "events: must name at least one event",
        "tableld: is not known; did you mean tableId?",
      ]) {
        expect(output).toContain(problem);
      }
      expect(output).not.toContain("orders-path-token");
      expect(service.requests).toEqual([]);
      expect(withoutManifest(await stateText())).toBe(stateBefore);
    });
  });

  it("fails in preview for an unknown event, with the nearest known one", async () => {
    await withStack(async ({ service, declare, pulumi }) => {
      await declare({ orders: { args: webhookArgs({ events: ["record.create"] }) } });

      const { exitCode, output } = await pulumi(["preview"]);

      expect(exitCode).not.toBe(0);
      expect(output).toContain('events[0]: is not a known event; the nearest is "record.created"');
      expect(output).toContain("allowUnknownEvents: true");
      expect(service.requests).toEqual([]);
    });
  });

  it("fails in preview without a base URL and a key, with the commands to run", async () => {
    await withStack(
      async ({ service, declare, pulumi }) => {
        await declare({ orders: { args: webhookArgs() } });

        const { exitCode, output } = await pulumi(["preview"]);

        expect(exitCode).not.toBe(0);
        expect(output).toContain("pulumi config set dbwebhooks:baseUrl");
        expect(output).toContain("pulumi config set --secret dbwebhooks:apiKey");
        expect(output).toContain("DBWEBHOOKS_BASE_URL");
        expect(output).toContain("DBWEBHOOKS_API_KEY");
        expect(service.requests).toEqual([]);
      },
      { config: {} },
    );
  });

  it("works with both from the environment alone", async () => {
    await withStack(
      async ({ service, declare, pulumi, stateText }) => {
        const environment = {
          DBWEBHOOKS_BASE_URL: service.baseUrl,
          DBWEBHOOKS_API_KEY: service.apiKey,
        };
        await declare({ orders: { args: webhookArgs() } });

        const creation = await pulumi(["up", "--yes"], environment);
        const exported = await stateText();
        const destroy = await pulumi(["destroy", "--yes"], environment);

        expect([creation.exitCode, destroy.exitCode]).toEqual([0, 0]);
        expect(exported).not.toContain(service.apiKey);
        expect(service.counts).toMatchObject({ posts: 1, deletes: 1 });
      },
      { config: {} },
    );
  });
});

function withoutManifest(state: string): string {
  return JSON.stringify(JSON.parse(state).deployment.resources);
}
