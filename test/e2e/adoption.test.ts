import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { createWebhook } from "../helpers/local-service.js";
import { javascriptProgramOfPlugin } from "../helpers/programs.js";
import { unasked, webhookArgs, withStack } from "../helpers/stack.js";

interface ByHand {
  readonly id: number;
  readonly secret: string;
}

async function createByHand(service: LocalService): Promise<ByHand> {
  const { databaseId, ...body } = webhookArgs() as { databaseId: string };
  return (await createWebhook(service, { databaseId, body })).json;
}

function requestsOf({ requests }: LocalService): string[] {
  return requests.map(({ method, path }) => `${method} ${path.split("/").at(-1)}`);
}

/** An adopted webhook by resource name, and what becomes of it while `adopt` names it. */
const names = ["orders", "replaced", "deletedFirst", "renamed", "exchanged"] as const;

describe("adopt on the real CLI", () => {
  it("takes webhooks over, and no replacement, failure or second resource deletes or duplicates one", async () => {
    await withStack(async ({ service, declare, up, pulumi, outputs, resources, stateText }) => {
      const byHand: Record<string, ByHand> = {};
      for (const name of [...names, "second"]) byHand[name] = await createByHand(service);
      const { renamed, second, ...rest } = byHand as Record<string, ByHand>;
      const { exchanged, ...kept } = rest;
      service.clearRequests();
      const adopting = (adopted: Readonly<Record<string, ByHand | undefined>>, changes = {}) =>
        Object.fromEntries(
          Object.entries(adopted).map(([name, adopt]) => [
            name,
            {
              args: webhookArgs({ adopt, ...changes }),
              opts: { deleteBeforeReplace: name === "deletedFirst" },
            },
          ]),
        );
      const secretsOf = (adopted: Readonly<Record<string, ByHand | undefined>>) =>
        Object.fromEntries(
          Object.entries(adopted).map(([name, one]) => [`${name}Secret`, one?.secret]),
        );
      const urnOf = (name: string) => urn.replace(/orders$/, name);
      const targets = (...all: string[]) => all.flatMap((name) => ["--target", urnOf(name)]);

      await declare(adopting({ ...rest, renamed }));
      const adoption = await up();

      const { urn = "" } = (await resources()).orders ?? {};
      expect(service.requests).toEqual([]);
      expect(await outputs()).toEqual(secretsOf({ ...rest, renamed }));
      for (const text of [adoption.output, await stateText()]) {
        for (const { secret } of Object.values(byHand)) expect(text).not.toContain(secret);
      }

      // Two are replaced by order, one gets another name, and one names another webhook. Because a
      // creation fails, the next run is the one that deletes what was replaced.
      const adopted = { ...kept, newName: renamed, exchanged: second };
      const managed = { args: webhookArgs({ url: "https://example.com/managed" }) };
      const fault = { kind: "respond", statusCode: 400 } as const;
      service.inject({ on: "POST", fault, times: 1 });
      await declare({ ...adopting(adopted), managed });
      const orders = ["replaced", "deletedFirst"].flatMap((name) => ["--replace", urnOf(name)]);
      const failed = await pulumi(["up", ...unasked, "--continue-on-error", ...orders]);
      expect(failed.exitCode).not.toBe(0);
      expect(await stateText()).toMatch(/"delete": ?true/);
      await up();

      const [request, ...others] = [...new Set(requestsOf(service))].toSorted();
      expect([request, others]).toEqual([`DELETE ${exchanged?.id}`, ["POST webhooks"]]);
      const { managedSecret, ...adoptedSecrets } = await outputs();
      expect(adoptedSecrets).toEqual(secretsOf(adopted));

      // What adopt names is not replaced, and what another resource manages is not adopted: "late"
      // comes after that resource, while nothing in this run tells "early" of it.
      service.clearRequests();
      const ofManaged = service.webhooks.find(({ secret }) => secret === managedSecret);
      const again = { id: ofManaged?.id ?? 0, secret: String(managedSecret) };
      const url = "https://example.com/managed";
      await declare({
        ...adopting(adopted),
        ...adopting({ orders: byHand.orders }, { url: "https://example.com/other" }),
        managed,
        ...adopting({ early: again, late: byHand.replaced }, { url }),
      });
      const refused = await pulumi(["preview", ...targets("orders")]);
      const early = await pulumi(["up", ...unasked, ...targets("early")]);
      const late = await pulumi(["up", ...unasked, ...targets("replaced", "late")]);
      expect([refused, early, late].map(({ exitCode }) => exitCode === 0)).toEqual([
        false,
        true,
        false,
      ]);
      expect(refused.output).toMatch(
        new RegExp(`\\b${byHand.orders?.id} .*\\burl\\b.*\\[unchanged\\]`),
      );
      expect(late.output).toMatch(
        new RegExp(`\\b${byHand.replaced?.id} .*\\bRemove adopt\\b.*\\[unchanged\\]`),
      );
      expect(refused.output + late.output).not.toContain("whsec_");
      expect(service.requests).toEqual([]);
      expect(Object.keys(await resources())).toContain("early");

      // A webhook that is created in the same run does not change what is known of these.
      const fresh = { args: webhookArgs({ url: "https://example.com/fresh" }) };
      const none = Object.fromEntries(Object.keys(adopted).map((name) => [name, undefined]));
      await declare({ ...adopting(none), managed, fresh });
      const removed = await up();
      expect(removed.output).toContain(`Kept webhook ${again.id} of database`);
      expect(requestsOf(service)).toEqual(["POST webhooks"]);
      expect(await outputs()).toMatchObject({ managedSecret, ...secretsOf(adopted) });

      service.clearRequests();
      const destroyed = await pulumi(["destroy", ...unasked]);
      expect(destroyed.exitCode, destroyed.output).toBe(0);
      expect(new Set(requestsOf(service)).size).toBe(names.length + 2);
      expect(service.requests).toHaveLength(names.length + 2);
    });
  });
});

describe("adopt in the first update after an upgrade of the plugin", () => {
  it("loses the webhook to the provider process of the old version, as the line before it says", async () => {
    const orders = { args: webhookArgs() };
    await withStack(
      async ({ service, declare, up, pulumi, editState }) => {
        await declare({ old: orders });
        await up();
        const [{ id = 0, secret = "" } = {}] = service.webhooks;
        await editState((text) => text.replaceAll("default_0_1_0", "default_0_0_9"));
        await declare({ new: { args: webhookArgs({ adopt: { id, secret } }) } });

        const preview = await pulumi(["preview"]);
        await up();

        expect(preview.output).toMatch(/do not adopt in the first "pulumi up" after an upgrade/);
        expect(service.webhooks).toEqual([]);
      },
      { program: javascriptProgramOfPlugin },
    );
  });
});
