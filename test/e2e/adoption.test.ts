import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { createWebhook } from "../helpers/local-service.js";
import { javascriptProgram, javascriptProgramOfPlugin } from "../helpers/programs.js";
import { shareStack, unasked, webhookArgs, withStack } from "../helpers/stack.js";

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

type ByName = Readonly<Record<string, ByHand | undefined>>;

/** Webhooks that adopt what `adopted` names, with these changes of their arguments. */
function adopting(adopted: ByName, changes = {}) {
  const webhooks = Object.entries(adopted).map(([name, adopt]) => [
    name,
    {
      args: webhookArgs({ adopt, ...changes }),
      opts: { deleteBeforeReplace: name === "deletedFirst" },
    },
  ]);
  return Object.fromEntries(webhooks);
}

function secretsOf(adopted: ByName) {
  return Object.fromEntries(
    Object.entries(adopted).map(([name, one]) => [`${name}Secret`, one?.secret]),
  );
}

describe("adopt on the real CLI", () => {
  const stack = shareStack({ program: javascriptProgram });
  const managed = { args: webhookArgs({ url: "https://example.com/managed" }) };
  /** Webhooks that were created by hand, by the name of the resource that adopts them first. */
  const byHand: Record<string, ByHand> = {};
  /** What the resources adopt after the second update. */
  let adopted: ByName;
  let managedWebhook: ByHand;
  const urnOf = (name: string) => `urn:pulumi:test::webhooks::${javascriptProgram.type}::${name}`;
  const targets = (...names: string[]) => names.flatMap((name) => ["--target", urnOf(name)]);

  describe("in the first up", () => {
    const names = ["orders", "replaced", "deletedFirst", "renamed", "exchanged"];
    let output: string;

    beforeAll(async () => {
      const { service, declare, up } = stack();
      for (const name of [...names, "second"]) byHand[name] = await createByHand(service);
      service.clearRequests();
      const { second: _, ...first } = byHand;
      await declare(adopting(first));
      ({ output } = await up());
    });

    it("sends nothing", () => {
      expect(stack().service.requests).toEqual([]);
    });

    it("stores the given secrets, encrypted", async () => {
      const { second: _, ...first } = byHand;

      expect(await stack().outputs()).toEqual(secretsOf(first));
      expect(output + (await stack().stateText())).not.toContain("whsec_");
    });
  });

  describe("when adopted webhooks are replaced by order, renamed and exchanged", () => {
    beforeAll(async () => {
      const { service, declare, pulumi, stateText, up } = stack();
      const { orders, replaced, deletedFirst, renamed, second } = byHand;
      adopted = { orders, replaced, deletedFirst, newName: renamed, exchanged: second };
      // Because a creation fails, the next run is the one that deletes what was replaced.
      service.inject({ on: "POST", fault: { kind: "respond", statusCode: 400 }, times: 1 });
      await declare({ ...adopting(adopted), managed });
      const replacements = ["--replace", urnOf("replaced"), "--replace", urnOf("deletedFirst")];
      const failed = await pulumi(["up", ...unasked, "--continue-on-error", ...replacements]);
      expect(failed.exitCode).not.toBe(0);
      expect(await stateText()).toMatch(/"delete": ?true/);
      await up();
    });

    it("deletes only the webhook that adopt does not name any more", () => {
      expect(new Set(requestsOf(stack().service))).toEqual(
        new Set([`DELETE ${byHand.exchanged?.id}`, "POST webhooks"]),
      );
    });

    it("keeps the secrets of all others", async () => {
      const { managedSecret, ...adoptedSecrets } = await stack().outputs();
      const webhook = stack().service.webhooks.find(({ secret }) => secret === managedSecret);
      managedWebhook = { id: webhook?.id ?? 0, secret: String(managedSecret) };

      expect(adoptedSecrets).toEqual(secretsOf(adopted));
    });
  });

  describe("when adopt names a webhook that a resource has", () => {
    const url = "https://example.com/managed";

    beforeAll(async () => {
      stack().service.clearRequests();
      await stack().declare({
        ...adopting(adopted),
        ...adopting({ orders: byHand.orders }, { url: "https://example.com/other" }),
        managed,
        ...adopting({ early: managedWebhook, late: byHand.replaced }, { url }),
      });
    });

    it("refuses to replace it, and names the argument that differs", async () => {
      const { exitCode, output } = await stack().pulumi(["preview", ...targets("orders")]);

      expect(exitCode).not.toBe(0);
      expect(output).toMatch(new RegExp(`\\b${byHand.orders?.id} .*\\burl\\b.*\\[unchanged\\]`));
      expect(output).not.toContain("whsec_");
    });

    it("adopts it a second time when this run has not seen the other resource", async () => {
      const { exitCode, output } = await stack().pulumi(["up", ...unasked, ...targets("early")]);

      expect(exitCode, output).toBe(0);
      expect(await stack().resources()).toHaveProperty("early");
    });

    it("refuses the second adoption when this run has seen the other resource", async () => {
      const command = ["up", ...unasked, ...targets("replaced", "late")];

      const { exitCode, output } = await stack().pulumi(command);

      expect(exitCode).not.toBe(0);
      expect(output).toMatch(
        new RegExp(`\\b${byHand.replaced?.id} .*\\bRemove adopt\\b.*\\[unchanged\\]`),
      );
      expect(output).not.toContain("whsec_");
    });

    it("sends nothing", () => {
      expect(stack().service.requests).toEqual([]);
    });
  });

  describe("when adopt is removed and one of two resources with a webhook leaves the program", () => {
    let output: string;

    beforeAll(async () => {
      const withoutAdopt = Object.keys(adopted).map((name) => [name, undefined]);
      const fresh = { args: webhookArgs({ url: "https://example.com/fresh" }) };
      await stack().declare({ ...adopting(Object.fromEntries(withoutAdopt)), managed, fresh });
      ({ output } = await stack().up());
    });

    it("keeps the webhook of the other resource, and says so", async () => {
      expect(output).toContain(`Did not delete webhook ${managedWebhook.id} of database`);
      expect(await stack().outputs()).toMatchObject({ managedSecret: managedWebhook.secret });
    });

    it("changes no adopted webhook", async () => {
      expect(requestsOf(stack().service)).toEqual(["POST webhooks"]);
      expect(await stack().outputs()).toMatchObject(secretsOf(adopted));
    });
  });

  it("deletes each webhook once in destroy", async () => {
    const { service, pulumi } = stack();
    const deletions = service.webhooks.map(({ id }) => `DELETE ${id}`);
    service.clearRequests();

    const { exitCode, output } = await pulumi(["destroy", ...unasked]);

    expect(exitCode, output).toBe(0);
    expect(requestsOf(service).toSorted()).toEqual(deletions.toSorted());
  });
});

describe("adopt in the first update after an upgrade of the plugin", () => {
  it("loses the webhook to the provider process of the old version, as the line before it says", async () => {
    const orders = { args: webhookArgs() };
    await withStack(
      async ({ service, declare, up, pulumi, editState }) => {
        await declare({ before: orders });
        await up();
        const [{ id = 0, secret = "" } = {}] = service.webhooks;
        await editState((text) => text.replaceAll("default_0_1_0", "default_0_0_9"));
        await declare({ after: { args: webhookArgs({ adopt: { id, secret } }) } });

        const preview = await pulumi(["preview"]);
        await up();

        expect(preview.output).toMatch(/do not adopt in the first "pulumi up" after an upgrade/);
        expect(service.webhooks).toEqual([]);
      },
      { program: javascriptProgramOfPlugin },
    );
  });
});
