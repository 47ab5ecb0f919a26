import { expect } from "vitest";
import { someArgs } from "./builders.ts";
import { isDelete, respondWith, times } from "./faults/faults.mts";
import { javascriptPluginProgram } from "./programs.ts";
import { methodsOf } from "./recorder.mts";
import { noPromptFlags, type TestStack, withStack } from "./stack.ts";

export const dynamicProvider = {
  entry: "pulumi-dbwebhooks",
  type: "pulumi-nodejs:dynamic/dbwebhooks",
};
export const plugin = { entry: "pulumi-dbwebhooks/native", type: "dbwebhooks:index" };

/** The urls of webhooks of the default provider, an explicit one and a component, by name. */
const urls = {
  orders: "https://example.com/path-token",
  explicit: "https://example.com/explicit",
  child: "https://example.com/child",
  renamed: "https://example.com/renamed",
  reparented: "https://example.com/reparented",
  changed: "https://example.com/changed",
  pending: "https://example.com/pending",
};

/** The webhooks that no test changes. */
const kept = ["orders", "explicit", "child"];

/**
 * Writes a program that differs from that of the other provider in one line, and in the name of one
 * webhook and the parent of another if `isRenamed`.
 */
const writeWith = (
  { service, writeProgram }: TestStack,
  entry: string,
  changes: object = {},
  isRenamed = false,
) =>
  writeProgram(`
    const { Provider, Webhook } = require("${entry}");
    const { ComponentResource, secret } = require("@pulumi/pulumi");
    const args = ${JSON.stringify(someArgs())};
    const urls = ${JSON.stringify({ ...urls, ...changes })};
    const { baseUrl, apiKey } = ${JSON.stringify({ baseUrl: service.baseUrl, apiKey: service.apiKey })};
    const provider = new Provider("account", { baseUrl, apiKey });
    const parent = new ComponentResource("my:index:Group", "group");
    const options = { explicit: { provider }, child: { parent } };
    const names = {};
    if (${isRenamed}) {
      names.renamed = "otherName";
      options.renamed = { aliases: [{ name: "renamed" }] };
      options.reparented = { parent, aliases: [{ parent: undefined }] };
    }
    for (const [name, url] of Object.entries(urls)) {
      const webhookArgs = { ...args, url: secret(url) };
      exports[name + "Secret"] = new Webhook(names[name] ?? name, webhookArgs, options[name]).secret;
    }
  `);

/** Runs a command, and returns the methods of its requests too. */
export async function run({ pulumi }: TestStack, ...command: string[]) {
  const { exitCode, output, requests } = await pulumi(command);
  return { exitCode, output, methods: methodsOf(requests).toSorted() };
}

/** What a move must not change: the numbers in the state, and the secrets among the outputs. */
export async function identitiesIn(stack: TestStack, names: readonly string[]) {
  const [stored, outputs] = [await stack.storedWebhooks(), await stack.outputs()];
  return names.map((name) => [name, stored[name]?.id, outputs[`${name}Secret`]]);
}

export const typesIn = async (stack: TestStack) =>
  new Set(Object.values(await stack.storedWebhooks()).map(({ urn }) => urn.split(/::|\$/).at(-2)));

type Side = typeof plugin;

/**
 * Moves a stack from one provider to the other by a changed import line, and back for its
 * `destroy`, and asserts that nothing happens to the webhooks that the program does not change.
 */
export async function expectMove(from: Side, to: Side): Promise<void> {
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
      await writeWith(stack, to.entry, { pending, changed: "https://example.com/changed-2" }, true);
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
      expect(destroyed).toMatchObject({ exitCode: 0, methods: Array(7).fill("DELETE") });
      expect(service.webhooks).toEqual([]);
    },
    { program: javascriptPluginProgram },
  );
}
