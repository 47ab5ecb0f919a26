import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { createWebhook } from "../helpers/local-service.js";
import { type TestStack, webhookArgs, withStack } from "../helpers/stack.js";

const databaseId = "base_abc123";

/** A webhook that somebody has created by hand, and its secret. */
async function createByHand(service: LocalService): Promise<{ id: number; secret: string }> {
  const { json } = await createWebhook(service, { databaseId, body: sentArgs() });
  service.clearRequests();
  return json;
}

/** What a program declares, without what is in the path. */
function sentArgs(): Record<string, unknown> {
  const { databaseId: _, ...body } = webhookArgs() as Record<string, unknown>;
  return body;
}

/** Requests since the webhook was created by hand. */
function methods({ requests }: LocalService): string[] {
  return requests.map(({ method }) => method);
}

const isNoop = ["up", "--yes", "--skip-preview", "--expect-no-changes"];

describe("adopt on the real CLI", () => {
  it("takes a webhook over without a request, keeps its secret, and deletes it once", async () => {
    await withStack(async ({ service, declare, up, pulumi, outputs, resources, stateText }) => {
      const { id, secret } = await createByHand(service);
      await declare({ orders: { args: webhookArgs({ adopt: { id, secret } }) } });

      const { output } = await up();
      const again = await pulumi(isNoop);

      expect(methods(service)).toEqual([]);
      expect([again.exitCode, again.output]).toEqual([0, expect.not.stringContaining("adopt")]);
      expect(await outputs()).toEqual({ ordersSecret: secret });
      expect(await resources()).toMatchObject({ orders: { id: String(id) } });
      expect(output).toContain("This stack manages webhook");
      for (const text of [output, again.output, await stateText()]) {
        expect(text).not.toContain(secret);
      }

      await declare({ orders: { args: webhookArgs() } });
      const without = await pulumi(isNoop);
      const destroyed = await pulumi(["destroy", "--yes", "--skip-preview"]);

      expect([without.exitCode, destroyed.exitCode]).toEqual([0, 0]);
      expect(methods(service)).toEqual(["DELETE"]);
    });
  });

  it("stores the secret encrypted even when a transformation takes its mark away", async () => {
    await withStack(async ({ service, declareText, up, stateText }) => {
      const { id, secret } = await createByHand(service);
      await declareText(`
        const pulumi = require("@pulumi/pulumi");
        const { Webhook } = require("pulumi-dbwebhooks");
        const adopt = ${JSON.stringify({ id, secret })};
        pulumi.runtime.registerStackTransformation(({ props, opts }) => ({
          props: { ...props, adopt },
          opts: { ...opts, additionalSecretOutputs: [] },
        }));
        new Webhook("orders", ${JSON.stringify(webhookArgs())});
      `);

      await up();

      expect(await stateText()).not.toContain(secret);
      expect(methods(service)).toEqual([]);
    });
  });

  it("refuses to replace the webhook that it names, and replaces it once it is removed", async () => {
    await withStack(async ({ service, declare, up, pulumi }) => {
      const adopt = await createByHand(service);
      await declare({ orders: { args: webhookArgs({ adopt }) } });
      await up();
      const url = "https://example.com/hooks/other";
      await declare({ orders: { args: webhookArgs({ adopt, url }) } });

      const refused = await pulumi(["up", "--yes", "--skip-preview"]);

      expect(refused.exitCode).not.toBe(0);
      expect(refused.output).toContain(
        `Replace webhook ${adopt.id} of database base_abc123 failed: its argument adopt names the same webhook (url changes).`,
      );
      expect(refused.output).not.toContain(adopt.secret);
      expect(methods(service)).toEqual([]);

      await declare({ orders: { args: webhookArgs({ url }) } });
      await up();

      expect(methods(service)).toEqual(["POST", "DELETE"]);
      expect(service.webhooks).toMatchObject([{ url }]);
    });
  });

  it("adopts another webhook and deletes the one before when its id changes", async () => {
    await withStack(async ({ service, declare, up, outputs }) => {
      const first = await createByHand(service);
      const second = await createByHand(service);
      await declare({ orders: { args: webhookArgs({ adopt: first }) } });
      await up();

      await declare({ orders: { args: webhookArgs({ adopt: second }) } });
      await up();

      expect(methods(service)).toEqual(["DELETE"]);
      expect(service.webhooks).toMatchObject([{ id: second.id }]);
      expect(await outputs()).toEqual({ ordersSecret: second.secret });
    });
  });

  it.each<[string, (stack: TestStack) => Promise<void>]>([
    [
      "is replaced by order",
      async ({ pulumi, resources }) => {
        const { urn = "" } = (await resources()).orders ?? {};
        const result = await pulumi(["up", "--yes", "--skip-preview", "--target-replace", urn]);
        expect(result.exitCode, result.output).toBe(0);
      },
    ],
    [
      "gets another name",
      async ({ declareText, service, up, outputs }) => {
        const { ordersSecret: secret } = await outputs();
        const args = webhookArgs({ adopt: { id: service.webhooks[0]?.id, secret } });
        await declareText(
          `const { Webhook } = require("pulumi-dbwebhooks");
          exports.ordersSecret = new Webhook("sales", ${JSON.stringify(args)}).secret;`,
        );
        await up();
      },
    ],
  ])("keeps the webhook when it %s while adopt names it", async (_case, replace) => {
    await withStack(async (stack) => {
      const { service, declare, up, outputs } = stack;
      const adopt = await createByHand(service);
      await declare({ orders: { args: webhookArgs({ adopt }) } });
      await up();

      await replace(stack);

      expect(methods(service)).toEqual([]);
      expect(service.webhooks).toMatchObject([{ id: adopt.id }]);
      expect(await outputs()).toEqual({ ordersSecret: adopt.secret });
    });
  });

  it("refuses a webhook that another resource of the program manages, whichever comes first", async () => {
    await withStack(async ({ service, declare, up, pulumi, resources }) => {
      const orders = { args: webhookArgs() };
      await declare({ orders });
      await up();
      const { id } = (await resources()).orders as { id: string };
      const other = { args: webhookArgs({ adopt: { id, secret: "whsec_5tGq8LrN3cVbYx0K" } }) };
      service.clearRequests();

      for (const resources of [
        { other, orders },
        { orders, other },
      ]) {
        await declare(resources);
        const { exitCode, output } = await pulumi(["up", "--yes", "--skip-preview"]);

        expect(exitCode).not.toBe(0);
        expect(output).toMatch(/two resources of this program manage it|manages it already/);
      }
      expect(Object.keys(await resources())).toContain("orders");
      expect(methods(service)).toEqual([]);
    });
  });

  it("keeps the webhook when it is to be deleted before its replacement", async () => {
    await withStack(async ({ service, declare, up, pulumi, resources, outputs }) => {
      const adopt = await createByHand(service);
      const opts = { deleteBeforeReplace: true };
      await declare({ orders: { args: webhookArgs({ adopt }), opts } });
      await up();
      const { urn = "" } = (await resources()).orders ?? {};

      const replaced = await pulumi(["up", "--yes", "--skip-preview", "--target-replace", urn]);
      await declare({ orders: { args: webhookArgs(), opts } });
      const without = await pulumi(isNoop);

      expect([replaced.exitCode, without.exitCode], replaced.output).toEqual([0, 0]);
      expect(replaced.output).toContain(": the program adopts the same webhook that it replaces.");
      expect(methods(service)).toEqual([]);
      expect(await outputs()).toEqual({ ordersSecret: adopt.secret });
    });
  });

  it("keeps the webhook when a later run ends the replacement of one that failed", async () => {
    await withStack(async ({ service, declare, up, pulumi, resources, outputs }) => {
      const adopt = await createByHand(service);
      const orders = { args: webhookArgs({ adopt }) };
      await declare({ orders });
      await up();
      const { urn = "" } = (await resources()).orders ?? {};
      await pulumi(["state", "taint", urn, "--yes"]);
      service.inject({ on: "POST", fault: { kind: "respond", statusCode: 400 }, times: 1 });
      await declare({ orders, other: { args: webhookArgs({ url: "https://example.com/other" }) } });

      const failed = await pulumi(["up", "--yes", "--skip-preview", "--continue-on-error"]);
      await up();

      expect(failed.exitCode).not.toBe(0);
      expect(methods(service)).toEqual(["POST", "POST"]);
      expect(service.webhooks).toContainEqual(expect.objectContaining({ id: adopt.id }));
      expect(await outputs()).toMatchObject({ ordersSecret: adopt.secret });
    });
  });

  it("fails at preview when its arguments are not all right, and repeats none of them", async () => {
    await withStack(async ({ declare, pulumi }) => {
      const adopt = { id: "whsec_wrong_place", secrets: "whsec_x" };
      await declare({ orders: { args: webhookArgs({ adopt }) } });

      const { exitCode, output } = await pulumi(["preview"]);

      expect(exitCode).not.toBe(0);
      expect(output).toContain('adopt.id: must be the number of the webhook, such as 42 or "42"');
      expect(output).toContain("adopt.secret: must be the webhook's secret, a non-empty string");
      expect(output).toContain("adopt.secrets: is not known; did you mean secret?");
      expect(output).not.toContain("whsec_");
    });
  });
});

describe("adopt with listing", () => {
  const listing = { "dbwebhooks:listing": "true" };

  async function withListing(use: (stack: TestStack) => Promise<void>): Promise<void> {
    const service = await startLocalService({ listing: true });
    await withStack(
      async (stack) => {
        await stack.configure(listing);
        await use(stack);
      },
      { service },
    );
  }

  it("looks the webhook up, and refreshes without a difference", async () => {
    await withListing(async ({ service, declare, up, pulumi }) => {
      const adopt = await createByHand(service);
      await declare({ orders: { args: webhookArgs({ adopt }) } });

      await up();
      const refreshed = await pulumi(["refresh", "--yes", "--skip-preview", "--expect-no-changes"]);

      expect([refreshed.exitCode, methods(service)]).toEqual([0, ["GET", "GET"]]);
    });
  });

  it("refuses a webhook that is not there, or is not as it is declared", async () => {
    await withListing(async ({ service, declare, pulumi }) => {
      const adopt = await createByHand(service);
      await declare({
        gone: { args: webhookArgs({ adopt: { ...adopt, id: 4711 } }) },
        other: { args: webhookArgs({ adopt, tableId: "tbl_orders" }) },
      });

      const { exitCode, output } = await pulumi(["up", "--yes", "--continue-on-error"]);

      expect(exitCode).not.toBe(0);
      expect(output).toContain("failed: the service does not list it.");
      expect(output).toContain("failed: the service has it with another tableId.");
      service.removeWebhook(adopt.id);
    });
  });
});
