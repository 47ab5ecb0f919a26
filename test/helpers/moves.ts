import { expect, it } from "vitest";
import { someArgs } from "./builders.ts";
import { isDelete, respondWith, times } from "./faults/faults.mts";
import { secretOr } from "./leaks.ts";
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
    const { ComponentResource, output, secret } = require("@pulumi/pulumi");
    const args = ${JSON.stringify(someArgs())};
    const urls = ${JSON.stringify({ ...urls, ...changes })};
    const { baseUrl, apiKey } = ${JSON.stringify({ baseUrl: service.baseUrl, apiKey: service.apiKey })};
    const provider = new Provider("account", { baseUrl, apiKey });
    const parent = new ComponentResource("my:index:Group", "group");
    const options = { explicit: { provider }, child: { parent } };
    const names = {};
    if (${isRenamed}) {
      names.renamed = "otherName";
      options.renamed = { aliases: [output({ name: "renamed" })] };
      options.child.aliases = [output({ type: "my:index:Type" })];
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

/** The ids in the state and the secrets among the outputs, which a move must not change. */
export async function identitiesIn(stack: TestStack, names: readonly string[]) {
  const [stored, outputs] = [await stack.storedWebhooks(), await stack.outputs()];
  return names.map((name) => [name, stored[name]?.id, outputs[`${name}Secret`]]);
}

export const typesIn = async (stack: TestStack) =>
  new Set(Object.values(await stack.storedWebhooks()).map(({ urn }) => urn.split(/::|\$/).at(-2)));

type Side = typeof plugin;

/**
 * Declares the test of a move: a stack moves from one provider to the other by a changed import
 * line, and back for its `destroy`.
 */
export function testMove(title: string, from: Side, to: Side): void {
  it(title, () =>
    withStack((stack) => playMove(stack, from, to), { program: javascriptPluginProgram }),
  );
}

async function playMove(stack: TestStack, from: Side, to: Side): Promise<void> {
  const { service } = stack;
  const up = () => run(stack, "up", ...noPromptFlags);
  await writeWith(stack, from.entry);
  await up();
  // The deletion of an old webhook stays pending.
  service.use(times(1, respondWith(400), isDelete));
  const pending = "https://example.com/pending-2";
  await writeWith(stack, from.entry, { pending });
  expect((await up()).exitCode).not.toBe(0);
  const before = await identitiesIn(stack, kept);

  await writeWith(stack, to.entry, { pending });
  const preview = await run(stack, "preview", "--diff");
  expect(preview).toMatchObject({ exitCode: 0, methods: [] });
  expect(preview.output).not.toMatch(/Webhook\b.*\breplace/);
  // A refresh with the program moves the webhooks, and asks the new provider about the state of the
  // old one.
  const refreshed = await run(stack, "refresh", "--run-program", ...noPromptFlags);
  expect(refreshed).toMatchObject({ exitCode: 0, methods: [] });

  const changed = "https://example.com/changed-2";
  await writeWith(stack, to.entry, { pending, changed });
  const moved = await up();
  // The pending webhook is deleted, and only the one that the program changes is replaced.
  expect(moved).toMatchObject({ exitCode: 0, methods: ["DELETE", "DELETE", "POST"] });
  expect(await identitiesIn(stack, kept)).toEqual(before);
  expect(await typesIn(stack)).toEqual(new Set([`${to.type}:Webhook`]));

  await writeWith(stack, from.entry, { pending, changed }, true);
  const renamed = await up();
  expect(renamed).toMatchObject({ exitCode: 0, methods: [] });
  expect(await typesIn(stack)).toEqual(new Set([`${from.type}:Webhook`]));
  const outputs = [preview, refreshed, moved, renamed].map(({ output }) => output);
  expect(outputs.join() + (await stack.storedText())).not.toMatch(
    secretOr(/path-token|local-api-key/),
  );

  await writeWith(stack, to.entry, { pending, changed }, true);
  const destroyed = await run(stack, "destroy", "--run-program", ...noPromptFlags);
  expect(destroyed).toMatchObject({ exitCode: 0, methods: Array(7).fill("DELETE") });
  expect(service.webhooks).toEqual([]);
}
