import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { createWebhook } from "../helpers/local-service.js";
import { javascriptProgram, type Webhooks, webhookArgs, yamlProgram } from "../helpers/programs.js";
import { shareStack, unasked, withStack } from "../helpers/stack.js";

interface ExistingWebhook {
  readonly id: number;
  readonly secret: string;
}
type ByName = Readonly<Record<string, ExistingWebhook | undefined>>;

async function createByHand(service: LocalService): Promise<ExistingWebhook> {
  const { databaseId, ...body } = webhookArgs();
  return (await createWebhook(service, { databaseId, body })).json;
}

/** Returns each request as its method and the last segment of its path. */
function requestsOf({ requests }: LocalService): string[] {
  return requests.map(({ method, path }) => `${method} ${path.split("/").at(-1)}`);
}

/** Declares webhooks that adopt these existing ones. */
function adopting(adopted: ByName, changes: object = {}): Webhooks {
  const webhooks = Object.entries(adopted).map(([name, adopt]) => [
    name,
    {
      args: { adopt, ...changes },
      opts: { deleteBeforeReplace: name === "deletedFirst" },
    },
  ]);
  return Object.fromEntries(webhooks);
}

function outputsOf(adopted: ByName) {
  return Object.fromEntries(
    Object.entries(adopted).map(([name, webhook]) => [`${name}Secret`, webhook?.secret]),
  );
}

describe("adopt on the real CLI", () => {
  const stack = shareStack({ program: javascriptProgram });
  const names = ["orders", "replaced", "deletedFirst", "renamed", "exchanged"];
  const url = "https://example.com/managed";
  const managed = { args: { url } };
  /** What the resources adopt in the first update, and in those after it. */
  const adoptedFirst: Record<string, ExistingWebhook> = {};
  let adopted: ByName;
  let managedWebhook: ExistingWebhook;
  const urnOf = (name: string) => `urn:pulumi:test::webhooks::${javascriptProgram.type}::${name}`;
  const optionsFor = (option: string, ...resources: string[]) =>
    resources.flatMap((name) => [option, urnOf(name)]);

  it("sends nothing, and stores the given secrets encrypted", async () => {
    const { service, declare, stateText, up } = stack();
    for (const name of names) adoptedFirst[name] = await createByHand(service);
    service.clearRequests();
    await declare(adopting(adoptedFirst));

    const { output } = await up();

    expect(service.requests).toEqual([]);
    expect(Object.keys(await stack().resources()).toSorted()).toEqual(names.toSorted());
    expect(output + (await stateText())).not.toContain("whsec_");
  });

  describe("when adopted webhooks are replaced by order, renamed and exchanged", () => {
    beforeAll(async () => {
      const { service, declare, pulumi, stateText, up } = stack();
      const { orders, replaced, deletedFirst, renamed } = adoptedFirst;
      const exchanged = await createByHand(service);
      service.clearRequests();
      adopted = { orders, replaced, deletedFirst, newName: renamed, exchanged };
      // Because a creation fails, the next run is the one that deletes what was replaced.
      service.inject({ on: "POST", fault: { kind: "respond", statusCode: 400 }, times: 1 });
      await declare({ ...adopting(adopted), managed });
      const replacements = optionsFor("--replace", "replaced", "deletedFirst");
      const failed = await pulumi(["up", ...unasked, "--continue-on-error", ...replacements]);
      expect(failed.exitCode).not.toBe(0);
      expect(await stateText()).toMatch(/"delete": ?true/);
      await up();
    });

    it("deletes only the webhook that adopt does not name any more", () => {
      expect(new Set(requestsOf(stack().service))).toEqual(
        new Set([`DELETE ${adoptedFirst.exchanged?.id}`, "POST webhooks"]),
      );
    });

    it("keeps the secrets of all others", async () => {
      const { managedSecret, ...adoptedSecrets } = await stack().outputs();
      const created = stack().service.webhooks.find(({ secret }) => secret === managedSecret);
      managedWebhook = { id: created?.id ?? 0, secret: String(managedSecret) };

      expect(adoptedSecrets).toEqual(outputsOf(adopted));
    });
  });

  describe("when adopt names a webhook that a resource has", () => {
    let output: string;

    beforeAll(async () => {
      stack().service.clearRequests();
      await stack().declare({
        ...adopting(adopted),
        managed,
        ...adopting({ early: managedWebhook, late: adoptedFirst.replaced }, { url }),
      });
      const targets = optionsFor("--target", "early", "replaced", "late");
      ({ output } = await stack().pulumi(["up", ...unasked, "--continue-on-error", ...targets]));
    });

    it("adopts it a second time when this run has not seen the other resource", async () => {
      expect(await stack().resources()).toHaveProperty("early");
    });

    it("refuses the second adoption when this run has seen the other resource", async () => {
      const { id } = adoptedFirst.replaced ?? {};

      expect(output).toMatch(new RegExp(`\\b${id} .*\\bRemove adopt\\b.*\\[unchanged\\]`));
      expect(await stack().resources()).not.toHaveProperty("late");
    });

    it("sends nothing, and shows no secret", () => {
      expect(stack().service.requests).toEqual([]);
      expect(output).not.toContain("whsec_");
    });
  });

  describe("when adopt is removed and one of two resources with a webhook leaves the program", () => {
    let output: string;

    beforeAll(async () => {
      const withoutAdopt = Object.keys(adopted).map((name) => [name, {}]);
      const fresh = { args: { url: "https://example.com/fresh" } };
      await stack().declare({ ...Object.fromEntries(withoutAdopt), managed, fresh });
      ({ output } = await stack().up());
    });

    it("keeps the webhook of the other resource, and says so", () => {
      expect(output).toContain(`Kept webhook ${managedWebhook.id} of database`);
    });

    it("changes no adopted webhook", async () => {
      expect(requestsOf(stack().service)).toEqual(["POST webhooks"]);
      expect(await stack().outputs()).toMatchObject({
        ...outputsOf(adopted),
        managedSecret: managedWebhook.secret,
      });
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
    await withStack(
      async ({ service, declare, pulumi, editState }) => {
        const opts = { version: "0.1.0" };
        await declare({ before: { opts } });
        await pulumi(["up", ...unasked]);
        const [{ id = 0, secret = "" } = {}] = service.webhooks;
        await editState((text) => text.replaceAll("default_0_1_0", "default_0_0_9"));
        await declare({ after: { args: { adopt: { id, secret } }, opts } });

        const { output } = await pulumi(["up", "--yes"]);

        const [preview] = output.split("\nUpdating ");
        expect(preview).toMatch(/do not adopt in the first "pulumi up" after an upgrade/);
        expect(service.webhooks).toEqual([]);
      },
      { program: yamlProgram },
    );
  });
});
