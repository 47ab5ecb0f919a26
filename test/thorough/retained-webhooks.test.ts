import { describe, expect, it } from "vitest";
import { javascriptProgram, reference, yamlProgram } from "../helpers/programs.ts";
import { noPromptFlags } from "../helpers/stack.ts";
import { keys, unchanged, withTwoServices } from "../helpers/two-services.ts";

// The tests follow what docs/troubleshooting.md says of webhooks on which other resources depend.

const retained = { opts: { retainOnDelete: true } };

describe.each([javascriptProgram, yamlProgram])("Through $name", (program) => {
  it("a webhook of a service that is gone leaves the state, although another resource depends on it", async () => {
    await withTwoServices(
      program,
      async ({ stack, oldService, newService, run, up, configure }) => {
        const next = { baseUrl: newService.baseUrl, apiKey: keys.new };
        const dependent = { provider: "next", opts: { dependsOn: [reference("orders")] } };
        const declare = (orders: object) => stack.declare({ orders, dependent }, { next });
        await declare({});
        await up();
        oldService.webhooks = [];
        const urn = (await stack.storedWebhooks()).orders?.urn ?? "";
        await configure(newService, keys.new);
        const refused = [await run(["state", "delete", urn, "--yes"]), await up()];

        await configure(oldService, keys.old);
        await declare(retained);
        const stored = await up();
        await declare({ provider: "next" });
        const ended = await up();

        expect(refused.map(({ isSuccess }) => isSuccess)).toEqual([false, false]);
        expect(stored).toMatchObject(unchanged);
        expect(ended).toMatchObject({
          isSuccess: true,
          sentToOld: [],
          sentToNew: [`POST Bearer ${keys.new}`],
        });
        // The end of the test destroys the stack, and expects that nothing is left at either
        // service.
      },
    );
  });

  it("a webhook that is let go with retainOnDelete stays, and a later destroy deletes its successor", async () => {
    await withTwoServices(program, async ({ stack, oldService, run, up }) => {
      const dependent = (name: string) => ({ opts: { dependsOn: [reference(name)] } });
      await stack.declare({ orders: {}, dependent: dependent("orders") });
      await up();
      const [released] = oldService.webhooks;

      await stack.declare({ orders: retained, dependent: dependent("orders") });
      await up();
      await stack.declare({ renamed: {}, dependent: dependent("renamed") });
      const ended = await up();
      await run(["destroy", ...noPromptFlags]);

      expect(ended).toMatchObject({ isSuccess: true, sentToOld: [`POST Bearer ${keys.old}`] });
      expect(oldService.webhooks).toEqual([released]);
      oldService.webhooks = [];
    });
  });
});
