import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { javascriptProgram, type Webhooks, yamlProgram } from "../helpers/programs.js";
import { type ExistingWebhook, noPromptFlags, shareStack, withStack } from "../helpers/stack.js";

/** Existing webhooks by the name of the resource that adopts them. */
type Adopted = Readonly<Record<string, ExistingWebhook | undefined>>;

/** Returns each request as its method and the last segment of its path. */
function methodsAndTargetsOf({ requests }: LocalService): string[] {
  return requests.map(({ method, path }) => `${method} ${path.split("/").at(-1)}`);
}

function declarationsOf(adopted: Adopted): Webhooks {
  const webhooks = Object.entries(adopted).map(([name, adopt]) => [
    name,
    { args: { adopt }, opts: { deleteBeforeReplace: name === "deletedFirst" } },
  ]);
  return Object.fromEntries(webhooks);
}

describe("Resources that adopt webhooks", () => {
  const stack = shareStack({ program: javascriptProgram });
  const managed = { args: { url: "https://example.com/managed" } };
  const adoptedAtFirst: Record<string, ExistingWebhook> = {};
  let adopted: Adopted;
  const urnOf = (name: string) => `urn:pulumi:test::webhooks::${javascriptProgram.type}::${name}`;

  it("are created without a request, and store the given secrets encrypted", async () => {
    const { service, createByHand, declare, stateText, storedWebhooks, up } = stack();
    const names = ["orders", "replaced", "deletedFirst", "renamed", "exchanged"];
    for (const name of names) adoptedAtFirst[name] = await createByHand();
    service.clearRequests();
    await declare(declarationsOf(adoptedAtFirst));

    const { output } = await up();

    expect(service.requests).toEqual([]);
    expect(Object.keys(await storedWebhooks()).toSorted()).toEqual(names.toSorted());
    expect(output + (await stateText())).not.toContain("whsec_");
  });

  it("delete only the webhook that adopt no longer names when they are replaced, renamed and exchanged", async () => {
    const { service, createByHand, declare, pulumi, stateText, up } = stack();
    const { orders, replaced, deletedFirst, renamed } = adoptedAtFirst;
    const exchanged = await createByHand();
    service.clearRequests();
    adopted = { orders, replaced, deletedFirst, newName: renamed, exchanged };
    // Because a creation fails, the next run is the one that deletes the replaced resources.
    service.inject({ on: "POST", fault: { kind: "respond", statusCode: 400 }, times: 1 });
    await declare({ ...declarationsOf(adopted), managed });
    const replacements = ["--replace", urnOf("replaced"), "--replace", urnOf("deletedFirst")];

    const failed = await pulumi(["up", ...noPromptFlags, "--continue-on-error", ...replacements]);
    const stateAfterFailure = await stateText();
    await up();

    expect(failed.exitCode).not.toBe(0);
    expect(stateAfterFailure).toMatch(/"delete": ?true/);
    expect(new Set(methodsAndTargetsOf(service))).toEqual(
      new Set([`DELETE ${adoptedAtFirst.exchanged?.id}`, "POST webhooks"]),
    );
  });

  it("keep their webhooks and secrets when adopt is removed, while another webhook is created", async () => {
    const { service, declare, outputs, up } = stack();
    service.clearRequests();
    const withoutAdopt = Object.keys(adopted).map((name) => [name, {}]);
    await declare({ ...Object.fromEntries(withoutAdopt), managed, created: {} });

    await up();

    expect(methodsAndTargetsOf(service)).toEqual(["POST webhooks"]);
    const secrets = Object.entries(adopted).map(([name, webhook]) => [
      `${name}Secret`,
      webhook?.secret,
    ]);
    expect(await outputs()).toMatchObject(Object.fromEntries(secrets));
  });

  it("delete each webhook once in destroy", async () => {
    const { service, pulumi } = stack();
    const deletions = service.webhooks.map(({ id }) => `DELETE ${id}`);
    service.clearRequests();

    const { exitCode, output } = await pulumi(["destroy", ...noPromptFlags]);

    expect(exitCode, output).toBe(0);
    expect(methodsAndTargetsOf(service).toSorted()).toEqual(deletions.toSorted());
  });
});

describe("The first update after an upgrade of the plugin", () => {
  it("deletes a webhook that another resource adopts in it, as the preview warns", async () => {
    await withStack(
      async ({ service, declare, pulumi, editState }) => {
        const opts = { version };
        await declare({ before: { opts } });
        await pulumi(["up", ...noPromptFlags]);
        const [{ id, secret } = { id: 0, secret: "" }] = service.webhooks;
        // The provider process of the old version does not know what the new one adopts.
        const provider = `default_${version.replaceAll(/\W/g, "_")}`;
        await editState((text) => {
          expect(text).toContain(provider);
          return text.replaceAll(provider, "default_0_0_9");
        });
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
