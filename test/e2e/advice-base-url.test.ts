import { expect, it } from "vitest";
import { yamlProgram } from "../helpers/programs.ts";
import { noPromptFlags } from "../helpers/stack.ts";
import {
  accountOf,
  keys,
  moved,
  refused,
  unchanged,
  webhooks,
  webhooksOf,
  withTwoServices,
} from "../helpers/two-services.ts";

// It follows the heading "The base URL has changed" in docs/troubleshooting.md; test/thorough has
// the other ways, and does the same through the dynamic provider.
it("Another base URL is refused, three steps move webhooks to a Provider, and its address cannot change", async () => {
  await withTwoServices(yamlProgram, async (services) => {
    const { stack, oldService, newService, run, up, configure } = services;
    const next = accountOf(newService, keys.new);
    await stack.declare(webhooks);
    await up();
    await configure(newService, keys.new);
    expect(await run(["preview"])).toMatchObject(refused);
    const update = await up();
    expect(update).toMatchObject(refused);
    expect(update.output).toMatch(/"The base URL has changed" in .*\[unchanged\]/);

    await configure(oldService, keys.old);
    expect(await up()).toMatchObject(unchanged);
    await stack.declare(webhooksOf("next"), { next });
    // It would store the new provider for the old webhooks.
    const refresh = await run(["refresh", ...noPromptFlags, "--run-program"]);
    expect(refresh).toMatchObject(refused);
    expect(await up()).toMatchObject(moved);

    await stack.declare(webhooksOf("next"), { next: accountOf(oldService, keys.old) });
    expect(await run(["preview"])).toMatchObject(refused);
    await stack.declare(webhooksOf("next"), { next });
    expect(await up()).toMatchObject(unchanged);
  });
});
