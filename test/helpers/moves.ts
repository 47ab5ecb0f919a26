import { beforeAll, describe, expect, it } from "vitest";
import { someArgs } from "./builders.ts";
import { isDelete, respondWith, times } from "./faults/faults.mts";
import { javascriptPluginProgram } from "./programs.ts";
import { methodsOf } from "./recorder.mts";
import { noPromptFlags, shareStack, type TestStack } from "./stack.ts";

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
 * Declares the tests of a move: a stack moves from one provider to the other by a changed import
 * line, and back for its `destroy`.
 */
export function describeMove(title: string, from: Side, to: Side): void {
  describe(title, () => {
    const stack = shareStack({ program: javascriptPluginProgram });
    let move: Awaited<ReturnType<typeof playMove>>;

    beforeAll(async () => {
      move = await playMove(stack(), from, to);
    });

    it("sends nothing in a preview and in a refresh, and announces no replacement", () => {
      expect(move.preview).toMatchObject({ exitCode: 0, methods: [] });
      expect(move.preview.output).not.toMatch(/Webhook\b.*\breplace/);
      expect(move.refreshed).toMatchObject({ exitCode: 0, methods: [] });
    });

    it("deletes what was pending, and replaces only the webhook that the program changes", () => {
      expect(move.failed.exitCode).not.toBe(0);
      expect(move.moved).toMatchObject({ exitCode: 0, methods: ["DELETE", "DELETE", "POST"] });
    });

    it("keeps the numbers and the secrets of the others, and gives all of them the new type", () => {
      expect(move.after).toEqual(move.before);
      expect(move.types).toEqual(new Set([`${to.type}:Webhook`]));
    });

    it("shows and stores no secret in clear text", () => {
      expect(move.texts).not.toMatch(/whsec_|path-token|local-api-key/);
    });

    it("leaves webhooks that the former provider can delete", () => {
      expect(move.destroyed).toMatchObject({ exitCode: 0, methods: Array(7).fill("DELETE") });
      expect(stack().service.webhooks).toEqual([]);
    });
  });
}

async function playMove(stack: TestStack, from: Side, to: Side) {
  const up = () => run(stack, "up", ...noPromptFlags);
  await writeWith(stack, from.entry);
  await up();
  // The deletion of an old webhook stays pending.
  stack.service.use(times(1, respondWith(400), isDelete));
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
  return { failed, before, preview, refreshed, moved, after, types, texts, destroyed };
}
