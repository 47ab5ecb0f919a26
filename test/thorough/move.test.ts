import { expect, it } from "vitest";
import { someArgs } from "../helpers/builders.ts";
import { dynamicProvider, plugin, run, testMove, typesIn } from "../helpers/moves.ts";
import { javascriptPluginProgram } from "../helpers/programs.ts";
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
