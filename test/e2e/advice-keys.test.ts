import { describe, expect, it } from "vitest";
import { javascriptProgram, yamlProgram } from "../helpers/programs.ts";
import { keys, removeLeftWebhooks, withTwoServices } from "../helpers/two-services.ts";

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

describe("An old key that is dead after a move of the native plugin", () => {
  it("is replaced by DBWEBHOOKS_API_KEY with --target for the default provider", async () => {
    await withTwoServices(yamlProgram, async (services) => {
      const { stack, oldService, newService, up, configure } = services;
      await stack.declare({ orders, kept: { args: { databaseId: "base_kept" } } });
      await up();
      await configure(oldService, "dead-key");
      await up();
      await configure(newService, keys.new);
      const failed = await up({}, ["--continue-on-error"]);
      const { orders: first, kept: second } = await stack.storedWebhooks();

      const ended = [];
      for (const { urn } of [first, second].filter((one) => one !== undefined)) {
        ended.push(await up({ DBWEBHOOKS_API_KEY: keys.oldNext }, ["--target", urn]));
      }

      expect(failed).toMatchObject({
        isSuccess: false,
        sentToOld: Array(2).fill("DELETE Bearer dead-key"),
        sentToNew: Array(2).fill(`POST Bearer ${keys.new}`),
      });
      const deletion = [`DELETE Bearer ${keys.oldNext}`];
      expect(ended).toMatchObject(
        Array(2).fill({ isSuccess: true, sentToOld: deletion, sentToNew: [] }),
      );
      expect(await up()).toMatchObject({ isSuccess: true, sentToOld: [], sentToNew: [] });
    });
  });

  it("of an explicit provider leaves webhooks to delete at the service and in an exported state", async () => {
    await withTwoServices(yamlProgram, async (services) => {
      const { stack, oldService, newService, up } = services;
      const account = ({ baseUrl }: { baseUrl: string }, apiKey: string) =>
        stack.declare({ invoices }, { account: { baseUrl, apiKey } });
      await account(oldService, keys.old);
      await up();
      await account(oldService, "dead-key");
      await up();
      await account(newService, keys.new);
      const failed = await up();

      for (const { id } of oldService.webhooks) oldService.removeWebhook(id);
      await removeLeftWebhooks(services);
      const ended = await up();

      expect(failed.sentToOld).toEqual(["DELETE Bearer dead-key"]);
      expect(ended, ended.output).toMatchObject({ isSuccess: true, sentToOld: [], sentToNew: [] });
      const names = (await stack.allResources()).map(({ urn }) => urn.split("::").at(-1));
      expect(names.toSorted()).toEqual(["account", "invoices", "webhooks-test"]);
    });
  });
});
