import { respondWith, times } from "pulumi-dbwebhooks/local-service";
import { expect, it } from "vitest";
import { someArgs } from "../helpers/builders.ts";
import { isDelete } from "../helpers/faults/faults.mts";
import { javascriptPluginProgram, yamlProgram } from "../helpers/programs.ts";
import { noPromptFlags, type TestStack, withStack } from "../helpers/stack.ts";

const dynamicProvider = { entry: "pulumi-dbwebhooks", type: "pulumi-nodejs:dynamic/dbwebhooks" };
const plugin = { entry: "pulumi-dbwebhooks/native", type: "dbwebhooks:index" };

/** The urls of webhooks of the default provider, an explicit one and a component, by their names. */
const urls = {
  orders: "https://example.com/path-token",
  explicit: "https://example.com/explicit",
  child: "https://example.com/child",
  changed: "https://example.com/changed",
  pending: "https://example.com/pending",
};

/** The webhooks that no test changes. */
const kept = ["orders", "explicit", "child"];

/** Writes a program that differs from that of the other provider in one line. */
const writeWith = ({ service, writeProgram }: TestStack, entry: string, changes: object = {}) =>
  writeProgram(`
    const { Provider, Webhook } = require("${entry}");
    const { ComponentResource, secret } = require("@pulumi/pulumi");
    const args = ${JSON.stringify(someArgs())};
    const urls = ${JSON.stringify({ ...urls, ...changes })};
    const { baseUrl, apiKey } = ${JSON.stringify({ baseUrl: service.baseUrl, apiKey: service.apiKey })};
    const provider = new Provider("account", { baseUrl, apiKey });
    const parent = new ComponentResource("my:index:Group", "group");
    const options = { explicit: { provider }, child: { parent } };
    for (const [name, url] of Object.entries(urls)) {
      exports[name + "Secret"] = new Webhook(name, { ...args, url: secret(url) }, options[name]).secret;
    }
  `);

/** Runs a command, and returns the methods of its requests too. */
async function run({ pulumi, service }: TestStack, ...command: string[]) {
  service.clearRequests();
  const { exitCode, output } = await pulumi(command);
  return { exitCode, output, methods: service.requests.map(({ method }) => method).toSorted() };
}

/** What a move must not change: the numbers in the state, and the secrets among the outputs. */
async function identitiesIn(stack: TestStack, names: readonly string[]) {
  const [stored, outputs] = [await stack.storedWebhooks(), await stack.outputs()];
  return names.map((name) => [name, stored[name]?.id, outputs[`${name}Secret`]]);
}

const typesIn = async (stack: TestStack) =>
  new Set(Object.values(await stack.storedWebhooks()).map(({ urn }) => urn.split(/::|\$/).at(-2)));

it.each([
  { from: dynamicProvider, to: plugin },
  { from: plugin, to: dynamicProvider },
])("A changed import line moves webhooks from $from.entry to $to.entry", async ({ from, to }) => {
  await withStack(
    async (stack) => {
      const { service } = stack;
      const up = () => run(stack, "up", ...noPromptFlags);
      await writeWith(stack, from.entry);
      await up();
      // The deletion of an old webhook stays pending.
      service.use(times(1, respondWith(400), isDelete));
      const pending = "https://example.com/pending-2";
      await writeWith(stack, from.entry, { pending });
      const failed = await up();
      const before = await identitiesIn(stack, kept);

      await writeWith(stack, to.entry, { pending });
      const preview = await run(stack, "preview", "--diff");
      // A refresh with the program asks the new provider about the state of the old one.
      const refreshed = await run(stack, "refresh", "--run-program", ...noPromptFlags);
      await writeWith(stack, to.entry, { pending, changed: "https://example.com/changed-2" });
      const moved = await up();
      const after = await identitiesIn(stack, kept);
      const types = await typesIn(stack);
      const texts = preview.output + refreshed.output + moved.output + (await stack.storedText());
      await writeWith(stack, from.entry, { pending });
      const destroyed = await run(stack, "destroy", "--run-program", ...noPromptFlags);

      expect(failed.exitCode).not.toBe(0);
      expect(preview).toMatchObject({ exitCode: 0, methods: [] });
      expect(preview.output).not.toMatch(/Webhook\b.*\breplace/);
      expect(refreshed).toMatchObject({ exitCode: 0, methods: [] });
      // The pending deletion, and the replacement of the webhook that has changed.
      expect(moved).toMatchObject({ exitCode: 0, methods: ["DELETE", "DELETE", "POST"] });
      expect(after).toEqual(before);
      expect(types).toEqual(new Set([`${to.type}:Webhook`]));
      expect(texts).not.toMatch(/whsec_|path-token|local-api-key/);
      expect(destroyed).toMatchObject({ exitCode: 0, methods: Array(5).fill("DELETE") });
      expect(service.webhooks).toEqual([]);
    },
    { program: javascriptPluginProgram },
  );
});

it("A program in YAML takes over the webhooks of one in JavaScript, also with the option import", async () => {
  await withStack(async (stack) => {
    const { directory, service } = stack;
    const { baseUrl, apiKey } = service;
    const providers = { account: { baseUrl, apiKey } };
    const webhooks = { orders: {}, explicit: { provider: "account" } };
    await stack.declare(webhooks, providers);
    await stack.up();
    const names = Object.keys(webhooks);
    const before = await identitiesIn(stack, names);

    const orders = { opts: { import: before[0]?.[1] } };
    await yamlProgram.declare(directory, { ...webhooks, orders }, providers);
    const { exitCode, output, methods } = await run(stack, "up", ...noPromptFlags);
    const after = await identitiesIn(stack, names);

    expect(exitCode, output).toBe(0);
    expect(methods).toEqual([]);
    expect(after).toEqual(before);
    expect(await typesIn(stack)).toEqual(new Set(["dbwebhooks:index:Webhook"]));
  });
});
