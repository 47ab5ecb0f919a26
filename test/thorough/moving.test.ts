import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readPage } from "../helpers/markdown.js";
import { javascriptProgramOfPlugin, yamlProgram } from "../helpers/programs.js";
import { run } from "../helpers/pulumi.js";
import { codeBlocks, readmeBlocks, sectionOf } from "../helpers/readme.js";
import { type TestStack, webhookArgs, withStack } from "../helpers/stack.js";

const page = readPage("docs/moving.md");
const pluginType = "dbwebhooks:index:Webhook";
const ordersArgs = webhookArgs({ tableId: "tbl_orders" });

describe.each([true, false])("A stack that moves to the plugin, with listing %s", (listing) => {
  const section = sectionOf(page, listing ? "With listing" : "Without listing");
  const [lookUp, keepSecret, stateDelete, check, ...rest] = readmeBlocks(section);
  // The page leaves the declaration of an imported webhook to the other page.
  const declaration = listing
    ? blockOf("yaml", sectionOf(readPage("docs/native-plugin.md"), "Declare a webhook"))
    : blockOf("yaml", section);

  it("keeps its webhook and its secret, for the stacks that read it too", async () => {
    await withMovingStack(listing, async (stack) => {
      const { service, declare, up, beside, outputs, resources, declareProject } = stack;
      await declare({ orders: { args: ordersArgs } });
      await up();
      service.clearRequests();
      const before = await outputs();
      await beside("consumer", async (consumer) => {
        await consumer.declareText(`
          const pulumi = require("@pulumi/pulumi");
          const producer = new pulumi.StackReference("organization/webhooks/test");
          exports.ordersSecret = producer.requireOutput("ordersSecret");
        `);
        const texts: string[] = [];
        const pasteAll = async (...blocks: readonly (typeof lookUp)[]) => {
          for (const block of blocks) {
            texts.push(await paste(stack, block));
            expect(await outputs()).toEqual(before);
          }
          await consumer.up();
          expect(await consumer.outputs()).toEqual(before);
        };

        const [save] = readmeBlocks(sectionOf(page, "Before you begin"));
        await pasteAll(save, lookUp, keepSecret, stateDelete);
        await yamlProgram.write(stack.directory, "webhooks");
        const { name: _, ...project } = parse(declaration);
        await declareProject(project);
        await pasteAll(check);
        if (!listing) {
          await yamlProgram.write(stack.directory, "webhooks");
          await yamlProgram.declare(stack.directory, { orders: { args: ordersArgs } });
          await pasteAll(...rest);
        }

        await expectUntouched(stack, before, texts);
        expect((await resources()).orders?.urn).toContain(`::${pluginType}::`);
      });
    });
  });
});

describe("Many webhooks", () => {
  const [imports, secretsToConfig, stateDelete] = readmeBlocks(sectionOf(page, "Many webhooks"));
  const script = blockOf("js", sectionOf(page, "Many webhooks"));
  const declareMany = ({ declareText }: TestStack, create: string) =>
    declareText(`
      const pulumi = require("@pulumi/pulumi");
      const { Webhook } = require("pulumi-dbwebhooks");
      const secrets = new pulumi.Config().getSecretObject("webhookSecrets");
      const team = new pulumi.ComponentResource("my:index:Team", "team");
      const databaseId = pulumi.secret("base_abc123");
      const names = [["orders"], ["invoices", team], ["it's \\"two words\\"::here", team]];
      for (const [name, parent] of names) {
        const url = "https://example.com/" + encodeURIComponent(name);
        const args = { ...${JSON.stringify(ordersArgs)}, url, databaseId };
        const create = ${create};
        exports[name] = create(name, args, { parent }).secret;
      }
    `);
  const asDynamic = "(...all) => new Webhook(...all)";
  const asNative = `(name, args, opts) =>
    new pulumi.CustomResource("${pluginType}", name, { ...args, secret: undefined }, opts)`;

  it.each([true, false])("move together, with listing %s", async (listing) => {
    await withMovingStack(listing, async (stack) => {
      const { service, directory, up, outputs, pulumi } = stack;
      await declareMany(stack, asDynamic);
      await up();
      service.clearRequests();
      const before = await outputs();
      await writeFile(join(directory, "webhooks.mjs"), script);

      const texts = [await paste(stack, listing ? imports : secretsToConfig)];
      texts.push(await paste(stack, stateDelete));
      const numbers = Object.fromEntries(service.webhooks.map(({ url, id }) => [url, id]));
      const adopt = `(name, args, opts) => (${asNative})(name, {
        ...args,
        adopt: secrets.apply((all) => {
          const id = ${JSON.stringify(numbers)}[args.url];
          return { id, secret: all["base_abc123/" + id] };
        }),
      }, opts)`;
      await declareMany(stack, listing ? asNative : adopt);
      const taken = await pulumi(["up", "--yes", ...(listing ? ["--expect-no-changes"] : [])]);
      await declareMany(stack, asNative);
      const again = await pulumi(["up", "--yes", "--expect-no-changes"]);

      expect([taken.exitCode, again.exitCode], taken.output).toEqual([0, 0]);
      await expectUntouched(stack, before, [...texts, taken.output, again.output]);
    });
  });
});

describe("A webhook that others depend on", () => {
  it("moves with retainOnDelete, after state delete has refused it", async () => {
    await withMovingStack(false, async (stack) => {
      const { service, declareText, up, outputs, pulumi, resources } = stack;
      const declareBoth = (orders: string) =>
        declareText(`
          const pulumi = require("@pulumi/pulumi");
          const { Webhook } = require("pulumi-dbwebhooks");
          const orders = ${orders};
          const args = { ...${JSON.stringify(ordersArgs)}, tableId: "tbl_other" };
          exports.ordersSecret = orders.secret;
          exports.otherSecret = new Webhook("other", args, { dependsOn: orders }).secret;
        `);
      const args = JSON.stringify(ordersArgs);
      await declareBoth(`new Webhook("orders", ${args})`);
      await up();
      service.clearRequests();
      const before = await outputs();
      const { urn = "", id = "" } = (await resources()).orders ?? {};
      const secret = String(before.ordersSecret);
      await pulumi(["config", "set", "--secret", "ordersWebhookSecret", secret]);

      const refused = await pulumi(["state", "delete", urn, "--yes"]);
      await declareBoth(`new Webhook("orders", ${args}, { retainOnDelete: true })`);
      await up();
      await declareBoth(`new pulumi.CustomResource("${pluginType}", "orders", {
        ...${args},
        adopt: { id: "${id}", secret: new pulumi.Config().requireSecret("ordersWebhookSecret") },
        secret: undefined,
      })`);
      const { output } = await up();

      expect(refused.output).toContain("the following resources depend on it");
      expect(output).toContain("[retain]");
      await expectUntouched(stack, before, [output]);
    });
  });
});

/** Runs a test with a stack of the npm package, in a project that knows the plugin. */
async function withMovingStack(
  listing: boolean,
  use: (stack: TestStack) => Promise<void>,
): Promise<void> {
  const service = await startLocalService({ listing });
  await withStack(use, { service, program: javascriptProgramOfPlugin });
}

/** Runs commands of a page in the stack's directory, and returns what they printed. */
async function paste(
  { directory, environment }: TestStack,
  block: { readonly commands: string; readonly output: string | undefined } | undefined,
): Promise<string> {
  expect(block).toBeDefined();
  const commands = block?.commands.replaceAll(
    "urn:pulumi:try::orders::",
    "urn:pulumi:test::webhooks::",
  );
  const { exitCode, output } = await run("bash", ["-eu", "-o", "pipefail", "-c", commands ?? ""], {
    directory,
    environment: { ...environment, PULUMI_STACK: "test", PULUMI_SKIP_CONFIRMATIONS: "true" },
  });
  expect(exitCode, output).toBe(0);
  expect(output).toContain(block?.output ?? "");
  return output;
}

/** Asserts that a move has changed nothing at the service, and has shown and stored no secret. */
async function expectUntouched(
  { service, directory, outputs, stateText }: TestStack,
  before: Readonly<Record<string, unknown>>,
  texts: readonly string[],
): Promise<void> {
  expect(methodsOf(service).filter((method) => method !== "GET")).toEqual([]);
  expect(await outputs()).toEqual(before);
  const config = await readFile(join(directory, "Pulumi.test.yaml"), "utf8");
  const everything = [...texts, await stateText(), config].join("\n");
  for (const secret of Object.values(before)) {
    expect(everything).not.toContain(secret);
  }
}

function methodsOf({ requests }: LocalService): string[] {
  return requests.map(({ method }) => method);
}

function blockOf(language: string, text: string): string {
  return codeBlocks(text).find((block) => block.language === language)?.text ?? "";
}
