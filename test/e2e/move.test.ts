import { expect, it } from "vitest";
import { dynamicProvider, identitiesIn, plugin, run, testMove, typesIn } from "../helpers/moves.ts";
import { yamlProgram } from "../helpers/programs.ts";
import { noPromptFlags, withStack } from "../helpers/stack.ts";

// The other direction is in the tier `thorough`.
testMove(
  "A move from the dynamic provider to the plugin by a changed import line",
  dynamicProvider,
  plugin,
);

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
