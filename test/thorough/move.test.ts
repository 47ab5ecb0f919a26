import { expect, it } from "vitest";
import { someArgs } from "../helpers/builders.ts";
import { dynamicProvider, identitiesIn, plugin, run, testMove, typesIn } from "../helpers/moves.ts";
import { javascriptPluginProgram, yamlProgram } from "../helpers/programs.ts";
import { expectAgreement, noPromptFlags, withStack } from "../helpers/stack.ts";

testMove(
  "A move from the plugin to the dynamic provider by a changed import line",
  plugin,
  dynamicProvider,
);

it("A program of the dynamic provider takes over what the plugin has imported", async () => {
  await withStack(
    async (stack) => {
      const { service } = stack;
      const { id, secret } = await stack.createByHand();
      const variables = { DBWEBHOOKS_IMPORT: JSON.stringify({ [id]: { ...someArgs(), secret } }) };
      const resource = ["dbwebhooks:index:Webhook", "orders", String(id)];
      const command = ["import", ...resource, "--generate-code=false", "--yes"];
      const imported = await stack.pulumi(command, variables);
      expect(imported.exitCode, imported.output).toBe(0);

      await stack.writeProgram(`
        const { Webhook } = require("${dynamicProvider.entry}");
        exports.ordersSecret = new Webhook("orders", ${JSON.stringify(someArgs())}).secret;
      `);
      const { exitCode, output, methods } = await run(stack, "up", ...noPromptFlags);

      expect(exitCode, output).toBe(0);
      expect(methods).toEqual([]);
      expect(await typesIn(stack)).toEqual(new Set([`${dynamicProvider.type}:Webhook`]));
      await expectAgreement(stack, service);
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
