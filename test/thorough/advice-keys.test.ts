import { describe, expect, it } from "vitest";
import { javascriptProgram, yamlProgram } from "../helpers/programs.ts";
import { accountOf, keys, withTwoServices } from "../helpers/two-services.ts";

// It follows the heading "A wrong key" in docs/troubleshooting.md.
describe.each([javascriptProgram, yamlProgram])("A wrong key of $name", (program) => {
  it("ends with the variable for the default provider, and with a Provider that is declared alone", async () => {
    await withTwoServices(program, async ({ stack, oldService, up, configure }) => {
      const webhooks = {
        orders: {},
        invoices: { args: { databaseId: "base_invoices" }, provider: "account" },
      };
      await stack.declare(webhooks, { account: accountOf(oldService, keys.old) });
      await up();
      await configure(oldService, "wrong-key");
      await stack.declare(webhooks, { account: accountOf(oldService, "wrong-key") });
      const stored = await up();
      await stack.declare({});
      const failed = await up({}, ["--continue-on-error"]);
      await configure(oldService, keys.old);
      const corrected = await up({}, ["--continue-on-error"]);

      await stack.declare({}, { account: accountOf(oldService, keys.old) });
      const ended = await up({ DBWEBHOOKS_API_KEY: keys.old });

      expect(stored).toMatchObject({ isSuccess: true, sentToOld: [] });
      const wrong = Array(2).fill("DELETE Bearer wrong-key");
      expect(failed).toMatchObject({ isSuccess: false, sentToOld: wrong });
      expect(failed.output).toMatch(/"A wrong key" in .* \[notDeleted\]/);
      // The configuration of the stack reaches neither.
      expect(corrected).toMatchObject({ isSuccess: false, sentToOld: wrong });
      const right = Array(2).fill(`DELETE Bearer ${keys.old}`);
      expect(ended).toMatchObject({ isSuccess: true, sentToOld: right });
      expect(await stack.storedWebhooks()).toEqual({});
    });
  });
});
