import { describe, expect, it } from "vitest";
import { javascriptProgram, yamlProgram } from "../helpers/programs.ts";
import { noPromptFlags, withStack } from "../helpers/stack.ts";
import {
  keys,
  removeLeftWebhooks,
  type TwoServices,
  unchanged,
  withTwoServices,
} from "../helpers/two-services.ts";

// The tests follow the heading "A wrong key" in docs/troubleshooting.md.

const orders = {};
const invoices = { args: { databaseId: "base_invoices" }, provider: "account" };

describe.each([javascriptProgram, yamlProgram])("A wrong key of $name", (program) => {
  it("ends with the variable for the default provider, and with a Provider that is declared alone", async () => {
    await withTwoServices(program, async ({ stack, oldService, up, configure }) => {
      const { baseUrl } = oldService;
      await stack.declare({ orders, invoices }, { account: { baseUrl, apiKey: keys.old } });
      await up();
      await configure(oldService, "wrong-key");
      await stack.declare({ orders, invoices }, { account: { baseUrl, apiKey: "wrong-key" } });
      const stored = await up();
      await stack.declare({});
      const failed = await up({}, ["--continue-on-error"]);
      await configure(oldService, keys.old);
      const corrected = await up({}, ["--continue-on-error"]);

      await stack.declare({}, { account: { baseUrl, apiKey: keys.old } });
      const ended = await up({ DBWEBHOOKS_API_KEY: keys.old });

      expect(stored).toMatchObject({ isSuccess: true, sentToOld: [] });
      const wrong = Array(2).fill("DELETE Bearer wrong-key");
      expect(failed).toMatchObject({ isSuccess: false, sentToOld: wrong });
      expect(failed.output).toMatch(/DBWEBHOOKS_API_KEY .* "A wrong key" in .* \[notDeleted\]/);
      expect(failed.output).toMatch(/declare the Provider .* "A wrong key" in .* \[notDeleted\]/);
      // The configuration of the stack reaches neither.
      expect(corrected).toMatchObject({ isSuccess: false, sentToOld: wrong });
      const right = Array(2).fill(`DELETE Bearer ${keys.old}`);
      expect(ended).toMatchObject({ isSuccess: true, sentToOld: right });
      expect(await stack.storedWebhooks()).toEqual({});
    });
  });
});

describe.each([javascriptProgram, yamlProgram])(
  "An old key of $name that is dead when its webhooks move to another service",
  (program) => {
    /** Moves a webhook of the default provider to a Provider, while the stored key of the old service is dead. */
    const moveWithDeadKey = async (services: TwoServices) => {
      const { stack, oldService, newService, up, configure } = services;
      await stack.declare({ orders });
      await up();
      await configure(oldService, "dead-key");
      await up();
      const next = { baseUrl: newService.baseUrl, apiKey: keys.new };
      await stack.declare({ orders: { provider: "next" } }, { next });
      expect(await up()).toMatchObject({
        isSuccess: false,
        sentToOld: ["DELETE Bearer dead-key"],
        sentToNew: [`POST Bearer ${keys.new}`],
      });
    };

    it("is replaced by DBWEBHOOKS_API_KEY", async () => {
      await withTwoServices(program, async (services) => {
        const { up } = services;
        await moveWithDeadKey(services);

        const ended = await up({ DBWEBHOOKS_API_KEY: keys.oldNext });

        const sentToOld = [`DELETE Bearer ${keys.oldNext}`];
        expect(ended).toMatchObject({ isSuccess: true, sentToOld, sentToNew: [] });
        expect(await up()).toMatchObject(unchanged);
      });
    });

    it("leaves a webhook to delete at the service and in an exported state if there is no other key", async () => {
      await withTwoServices(program, async (services) => {
        const { oldService, up } = services;
        await moveWithDeadKey(services);

        for (const { id } of oldService.webhooks) oldService.removeWebhook(id);
        await removeLeftWebhooks(services);

        expect(await up()).toMatchObject(unchanged);
      });
    });
  },
);

describe.each([javascriptProgram, yamlProgram])(
  "A key of another account, through $name,",
  (program) => {
    it("removes no webhook from the state while listing is on, and destroy with the right key deletes all of them", async () => {
      const apiKeys = { "local-api-key": "*" as const, "key-of-another-account": ["base_other"] };
      await withStack(
        async ({ service, declare, up, pulumi, storedWebhooks }) => {
          await declare({ orders, invoices: { args: { databaseId: "base_invoices" } } });
          await up();
          const listing = { DBWEBHOOKS_LISTING: "true" };
          const otherKey = { ...listing, DBWEBHOOKS_API_KEY: "key-of-another-account" };

          const failed = await pulumi(
            ["destroy", ...noPromptFlags, "--continue-on-error"],
            otherKey,
          );
          const stored = Object.keys(await storedWebhooks());
          const ended = await pulumi(["destroy", ...noPromptFlags], listing);

          expect(failed.exitCode).not.toBe(0);
          expect(failed.output).toMatch(/"A wrong key" in .*\[notDeleted\]/);
          expect(stored.toSorted()).toEqual(["invoices", "orders"]);
          expect(ended.exitCode, ended.output).toBe(0);
          expect(service.webhooks).toEqual([]);
        },
        { program, service: { apiKeys, listing: true } },
      );
    });
  },
);
