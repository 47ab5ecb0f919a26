import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { createWebhook } from "../helpers/local-service.js";
import { webhookArgs, withStack } from "../helpers/stack.js";

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

/** An adopted webhook by resource name, and what becomes of it while `adopt` names it. */
const names = ["orders", "replaced", "deletedFirst", "renamed", "exchanged"] as const;

describe("adopt on the real CLI", () => {
  it("takes webhooks over without a request, keeps them through replacements by themselves, and deletes each once", async () => {
    await withStack(async ({ service, declare, up, pulumi, outputs, resources, stateText }) => {
      const adopted = new Map<string, { id: number; secret: string }>();
      for (const name of names) {
        adopted.set(name, await createByHand(service));
      }
      const second = await createByHand(service);
      const secretsOf = (entries: Iterable<[string, { secret: string }]>) =>
        Object.fromEntries([...entries].map(([name, { secret }]) => [`${name}Secret`, secret]));
      const declareAll = (entries: Iterable<[string, object | undefined]>) =>
        declare(
          Object.fromEntries(
            [...entries].map(([name, adopt]) => [
              name,
              {
                args: webhookArgs({ adopt }),
                opts: { deleteBeforeReplace: name === "deletedFirst" },
              },
            ]),
          ),
        );
      await declareAll(adopted);

      const adoption = await up();

      expect(methods(service)).toEqual([]);
      expect(await outputs()).toEqual(secretsOf(adopted));
      const before = await resources();
      for (const [name, { id, secret }] of adopted) {
        expect(before[name]?.id).toBe(String(id));
        for (const text of [adoption.output, await stateText()]) {
          expect(text).not.toContain(secret);
        }
      }

      // Two are replaced by order, one gets another name, and one names another webhook.
      const { renamed, exchanged, ...same } = Object.fromEntries(adopted);
      const after = Object.entries({ ...same, newName: renamed, exchanged: second });
      await declareAll(after as [string, { id: number; secret: string }][]);
      const orders = ["replaced", "deletedFirst"].flatMap((name) => [
        "--replace",
        before[name]?.urn ?? "",
      ]);
      const replaced = await pulumi(["up", "--yes", "--skip-preview", ...orders]);

      expect(replaced.exitCode, replaced.output).toBe(0);
      expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
        `DELETE /api/v1/bases/${databaseId}/webhooks/${exchanged?.id}`,
      ]);
      expect(await outputs()).toEqual(secretsOf(after as [string, { secret: string }][]));

      await declareAll(after.map(([name]) => [name, undefined]));
      const without = await pulumi(isNoop);
      const destroyed = await pulumi(["destroy", "--yes", "--skip-preview"]);

      expect([without.exitCode, destroyed.exitCode], without.output).toEqual([0, 0]);
      expect(methods(service)).toEqual(Array(names.length + 1).fill("DELETE"));
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

  it("refuses to replace what it names, and what another resource manages, whichever comes first", async () => {
    await withStack(async ({ service, declare, up, pulumi, resources }) => {
      const adopt = await createByHand(service);
      const managed = { args: webhookArgs() };
      await declare({ orders: { args: webhookArgs({ adopt }) }, managed });
      await up();
      const { id } = (await resources()).managed as { id: string };
      service.clearRequests();
      const url = "https://example.com/hooks/other";
      await declare({ orders: { args: webhookArgs({ adopt, url }) }, managed });

      const refused = await pulumi(["up", "--yes", "--skip-preview"]);

      expect(refused.exitCode).not.toBe(0);
      expect(refused.output).toMatch(new RegExp(`\\b${adopt.id}\\b.*\\badopt\\b.*\\burl\\b`));
      expect(refused.output).not.toContain(adopt.secret);
      expect(methods(service)).toEqual([]);

      const orders = { args: webhookArgs({ url }) };
      await declare({ orders, managed });
      await up();

      expect(methods(service)).toEqual(["POST", "DELETE"]);
      expect(service.webhooks).toMatchObject([{ id: Number(id) }, { url }]);

      service.clearRequests();
      const other = { args: webhookArgs({ adopt: { id, secret: "whsec_5tGq8LrN3cVbYx0K" } }) };
      for (const webhooks of [
        { other, managed, orders },
        { orders, managed, other },
      ]) {
        await declare(webhooks);
        const { exitCode, output } = await pulumi(["up", "--yes", "--skip-preview"]);

        expect(exitCode).not.toBe(0);
        expect(output).toMatch(new RegExp(`\\b${id} .*\\bRemove adopt\\b`));
      }
      expect(Object.keys(await resources())).toEqual(expect.arrayContaining(["orders", "managed"]));
      expect(methods(service)).toEqual([]);
    });
  });

  it("leaves the webhook to its first resource when the one that adopted it is removed", async () => {
    await withStack(async ({ service, declare, up, pulumi, resources, outputs }) => {
      const managed = { args: webhookArgs() };
      await declare({ managed });
      await up();
      const { id, secret } = service.webhooks[0] as { id: number; secret: string };
      const { urn = "" } = (await resources()).managed ?? {};
      await declare({ managed, other: { args: webhookArgs({ adopt: { id, secret } }) } });
      // An update that fails comes to the same when the adoption is its first step.
      const target = ["--target", urn.replace(/managed$/, "other")];
      await pulumi(["up", "--yes", "--skip-preview", ...target]);
      expect(Object.keys(await resources())).toEqual(["managed", "other"]);
      service.clearRequests();

      // A webhook that is created in the same run does not change what is known of these.
      await declare({ managed, fresh: { args: webhookArgs({ url: "https://example.com/x" }) } });
      const removed = await up();

      expect(removed.output).toContain("- 1 deleted");
      expect(removed.output).toContain(`Kept webhook ${id} of database ${databaseId}`);
      expect(methods(service)).toEqual(["POST"]);
      expect(await outputs()).toMatchObject({ managedSecret: secret });
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
});

describe("adopt with listing", () => {
  it("looks each webhook up, refuses what is not as it is declared, and refreshes without a difference", async () => {
    const service = await startLocalService({ listing: true });
    await withStack(
      async ({ declare, configure, pulumi, resources }) => {
        await configure({ "dbwebhooks:listing": "true" });
        const orders = { args: webhookArgs({ adopt: await createByHand(service) }) };
        const adopt = await createByHand(service);
        await declare({
          orders,
          gone: { args: webhookArgs({ adopt: { ...adopt, id: 4711 } }) },
          other: { args: webhookArgs({ adopt, tableId: "tbl_orders" }) },
        });

        const refused = await pulumi(["up", "--yes", "--skip-preview", "--continue-on-error"]);
        const refreshed = await pulumi([
          ...["refresh", "--yes", "--skip-preview", "--expect-no-changes"],
        ]);

        expect(refused.exitCode).not.toBe(0);
        expect(refused.output).toMatch(/\b4711 .*\badopt\.id\b/);
        expect(refused.output).toMatch(new RegExp(`\\b${adopt.id} .*\\btableId\\b`));
        expect(Object.keys(await resources())).toEqual(["orders"]);
        expect(refreshed.exitCode, refreshed.output).toBe(0);
        expect(methods(service)).toEqual(Array(4).fill("GET"));
        service.removeWebhook(adopt.id);
      },
      { service },
    );
  });
});
