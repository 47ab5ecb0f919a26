import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { javascriptProgram, type Webhooks, yamlProgram } from "../helpers/programs.js";
import { type ExistingWebhook, noPromptFlags, shareStack, withStack } from "../helpers/stack.js";

type ByName = Readonly<Record<string, ExistingWebhook | undefined>>;

/** Returns each request as its method and the last segment of its path. */
function requestsOf({ requests }: LocalService): string[] {
  return requests.map(({ method, path }) => `${method} ${path.split("/").at(-1)}`);
}

/** Declares webhooks that adopt these existing ones. */
function adopting(adopted: ByName): Webhooks {
  const webhooks = Object.entries(adopted).map(([name, adopt]) => [
    name,
    { args: { adopt }, opts: { deleteBeforeReplace: name === "deletedFirst" } },
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
  const managed = { args: { url: "https://example.com/managed" } };
  /** What the resources adopt in the first update, and in those after it. */
  const adoptedFirst: Record<string, ExistingWebhook> = {};
  let adopted: ByName;
  const urnOf = (name: string) => `urn:pulumi:test::webhooks::${javascriptProgram.type}::${name}`;

  it("sends nothing, and stores the given secrets encrypted", async () => {
    const { service, createByHand, declare, stateText, up } = stack();
    for (const name of names) adoptedFirst[name] = await createByHand();
    service.clearRequests();
    await declare(adopting(adoptedFirst));

    const { output } = await up();

    expect(service.requests).toEqual([]);
    expect(Object.keys(await stack().resources()).toSorted()).toEqual(names.toSorted());
    expect(output + (await stateText())).not.toContain("whsec_");
  });

  describe("when adopted webhooks are replaced by order, renamed and exchanged", () => {
    beforeAll(async () => {
      const { service, createByHand, declare, pulumi, stateText, up } = stack();
      const { orders, replaced, deletedFirst, renamed } = adoptedFirst;
      const exchanged = await createByHand();
      service.clearRequests();
      adopted = { orders, replaced, deletedFirst, newName: renamed, exchanged };
      // Because a creation fails, the next run is the one that deletes what was replaced.
      service.inject({ on: "POST", fault: { kind: "respond", statusCode: 400 }, times: 1 });
      await declare({ ...adopting(adopted), managed });
      const replacements = ["--replace", urnOf("replaced"), "--replace", urnOf("deletedFirst")];
      const failed = await pulumi(["up", ...noPromptFlags, "--continue-on-error", ...replacements]);
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
      expect(await stack().outputs()).toMatchObject(outputsOf(adopted));
    });
  });

  it("changes no adopted webhook when adopt is removed, while others are created", async () => {
    const { service, declare, outputs, up } = stack();
    service.clearRequests();
    const withoutAdopt = Object.keys(adopted).map((name) => [name, {}]);
    await declare({ ...Object.fromEntries(withoutAdopt), managed, fresh: {} });

    await up();

    expect(requestsOf(service)).toEqual(["POST webhooks"]);
    expect(await outputs()).toMatchObject(outputsOf(adopted));
  });

  it("deletes each webhook once in destroy", async () => {
    const { service, pulumi } = stack();
    const deletions = service.webhooks.map(({ id }) => `DELETE ${id}`);
    service.clearRequests();

    const { exitCode, output } = await pulumi(["destroy", ...noPromptFlags]);

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
        await pulumi(["up", ...noPromptFlags]);
        const [{ id = 0, secret = "" } = {}] = service.webhooks;
        await editState((text) => text.replaceAll("default_0_1_0", "default_0_0_9"));
        await declare({ after: { args: { adopt: { id, secret } }, opts } });

        const { output } = await pulumi(["up", "--yes"]);

        const [preview] = output.split("\nUpdating ");
        expect(preview).toMatch(/\bAdopting webhook\b[^\n]*\bupgrade\b/);
        expect(service.webhooks).toEqual([]);
      },
      { program: yamlProgram },
    );
  });
});
