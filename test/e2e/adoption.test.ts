import { type LocalService, respondWith, times } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { succeed } from "../helpers/commands.ts";
import { isPost } from "../helpers/faults/faults.mts";
import { commandBlocks } from "../helpers/guide.ts";
import { readPage, sectionOf } from "../helpers/markdown.ts";
import {
  javascriptPluginProgram,
  javascriptProgram,
  type Webhooks,
  webhookArgs,
} from "../helpers/programs.ts";
import { type ExistingWebhook, noPromptFlags, shareStack, withStack } from "../helpers/stack.ts";

/** Returns each request as its method and the last segment of its path. */
function methodsAndTargetsOf({ requests }: LocalService): string[] {
  return requests.map(({ method, path }) => `${method} ${path.split("/").at(-1)}`);
}

/** Returns resources that adopt these webhooks, by name. `deletedFirst` is deleted before it is replaced. */
function adopting(existing: Readonly<Record<string, ExistingWebhook | undefined>>): Webhooks {
  const webhooks = Object.entries(existing).map(([name, adopt]) => [
    name,
    { args: { adopt }, opts: { deleteBeforeReplace: name === "deletedFirst" } },
  ]);
  return Object.fromEntries(webhooks);
}

describe("Resources that adopt webhooks", () => {
  const stack = shareStack({ program: javascriptProgram });
  const adopted: Record<string, ExistingWebhook> = {};
  const urnOf = (name: string) => `urn:pulumi:test::webhooks::${javascriptProgram.type}::${name}`;

  it("are created without a request, and store the given secrets encrypted", async () => {
    const { service, createByHand, declare, stateText, storedWebhooks, up } = stack();
    const names = ["orders", "replaced", "deletedFirst", "renamed", "exchanged"];
    for (const name of names) adopted[name] = await createByHand();
    service.clearRequests();
    await declare(adopting(adopted));

    const { output } = await up();

    expect(service.requests).toEqual([]);
    expect(Object.keys(await storedWebhooks()).toSorted()).toEqual(names.toSorted());
    expect(output + (await stateText())).not.toContain("whsec_");
  });

  it("keep their webhooks when they are replaced or renamed, and delete the old one when `adopt` names another", async () => {
    const { service, createByHand, declare, outputs, pulumi, stateText, up } = stack();
    const { orders, replaced, deletedFirst, renamed } = adopted;
    const exchanged = await createByHand();
    const kept = { orders, replaced, deletedFirst, newName: renamed, exchanged };
    service.clearRequests();
    // A creation fails, so Pulumi deletes old entries of the state only in the next run. That run creates no
    // adopting resource: nothing but `adopt` in the program tells it which webhooks to keep.
    service.use(times(1, respondWith(400), isPost));
    const created = { args: { url: "https://example.com/created" } };
    await declare({ ...adopting(kept), created });
    const replacements = ["--replace", urnOf("replaced"), "--replace", urnOf("deletedFirst")];

    const failed = await pulumi(["up", ...noPromptFlags, "--continue-on-error", ...replacements]);
    const stateAfterFailure = await stateText();
    await up();

    expect(failed.exitCode).not.toBe(0);
    expect(stateAfterFailure).toMatch(/"delete": ?true/);
    const requests = [`DELETE ${adopted.exchanged?.id}`, "POST webhooks", "POST webhooks"];
    expect(methodsAndTargetsOf(service).toSorted()).toEqual(requests);
    const secrets = Object.entries(kept).map(([name, one]) => [`${name}Secret`, one?.secret]);
    expect(await outputs()).toMatchObject(Object.fromEntries(secrets));
  });

  it("delete each webhook once in destroy", async () => {
    const { service, destroy } = stack();
    const deletions = service.webhooks.map(({ id }) => `DELETE ${id}`);
    service.clearRequests();

    await destroy();

    expect(methodsAndTargetsOf(service).toSorted()).toEqual(deletions.toSorted());
  });
});

/** A program with a webhook, whose secret in `adopt` is that of the stack's configuration. */
const programWith = (entry: string, id?: number) => `
  const pulumi = require("@pulumi/pulumi");
  const { Webhook } = require("${entry}");
  const secret = new pulumi.Config().getSecret("ordersWebhookSecret");
  const adopt = ${id === undefined ? "undefined" : `{ id: ${id}, secret }`};
  const args = { ...${JSON.stringify(webhookArgs())}, adopt };
  exports.ordersSecret = new Webhook("orders", args).secret;
`;

it("A webhook moves between the two providers and back as docs/existing-webhooks.md says, without a request", async () => {
  const page = readPage("docs/existing-webhooks.md");
  const blocks = commandBlocks(sectionOf(page, "Change between the two providers"));
  const [beforeChange = "", afterChange = ""] = blocks.map(({ commands }) => commands);
  await withStack(
    async ({ service, directory, environment, writeProgram, allResources, outputs, up }) => {
      const paste = async (commands: string) => {
        const resources = await allResources();
        const urn = resources.find((one) => one.urn.endsWith("Webhook::orders"))?.urn;
        const text = commands.replace(/'urn:[^']+'/, `'${urn}'`);
        const variables = { PULUMI_STACK: "test", PULUMI_SKIP_CONFIRMATIONS: "true" };
        const options = { directory, environment: { ...environment, ...variables } };
        await succeed("bash", ["-euo", "pipefail", "-c", text], options);
      };
      await writeProgram(programWith("pulumi-dbwebhooks"));
      await up();
      const [webhook] = service.webhooks;
      service.clearRequests();

      for (const entry of ["pulumi-dbwebhooks/native", "pulumi-dbwebhooks"]) {
        await paste(beforeChange);
        await writeProgram(programWith(entry, webhook?.id));
        await paste(afterChange);

        expect(await outputs()).toEqual({ ordersSecret: webhook?.secret });
        expect(service.requests).toEqual([]);
      }
    },
    { program: javascriptPluginProgram },
  );
});
