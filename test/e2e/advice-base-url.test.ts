import { describe, expect, it } from "vitest";
import { javascriptProgram, yamlProgram } from "../helpers/programs.ts";
import { removeFromState } from "../helpers/stack.ts";
import {
  keys,
  moved,
  refused,
  unchanged,
  webhooks,
  webhooksOf,
  withTwoServices,
} from "../helpers/two-services.ts";

// The tests follow the heading "Another base URL" in docs/troubleshooting.md.

describe("Another base URL of the dynamic provider", () => {
  it("needs three steps for the default provider, and a webhook that lost its Provider gets it back", async () => {
    await withTwoServices(javascriptProgram, async (services) => {
      const { stack, oldService, newService, run, up, configure } = services;
      const next = { baseUrl: newService.baseUrl, apiKey: keys.new };
      await stack.declare(webhooks);
      await up();
      await configure(newService, keys.new);
      expect(await run(["preview"])).toMatchObject(refused);
      expect(await up()).toMatchObject(refused);

      await configure(oldService, keys.old);
      expect(await up()).toMatchObject(unchanged);
      await stack.declare(webhooksOf("next"), { next });
      expect(await up()).toMatchObject(moved);

      await stack.declare({ ...webhooksOf("next"), orders: {} }, { next });
      expect(await up()).toMatchObject(refused);
      await stack.declare(webhooksOf("next"), { next });
      expect(await up()).toMatchObject(unchanged);
      const stored = Object.values(await stack.storedWebhooks());
      expect(stored.map(({ outputs }) => outputs.baseUrl)).toEqual(Array(2).fill(next.baseUrl));
    });
  });
});

describe("Another base URL of the native plugin", () => {
  it("moves the webhooks of the default provider once the new key is right too", async () => {
    await withTwoServices(yamlProgram, async ({ stack, newService, up, configure }) => {
      await stack.declare(webhooks);
      await up();

      await configure(newService, "wrong-key");
      const failed = await up();
      await configure(newService, keys.new);

      expect(failed.isSuccess).toBe(false);
      expect(failed.sentToOld).toEqual([]);
      expect(await up()).toMatchObject(moved);
      expect(await up()).toMatchObject(unchanged);
    });
  });

  it("is refused while the environment has the key, and works once the configuration has the old one", async () => {
    await withTwoServices(yamlProgram, async (services) => {
      const { stack, oldService, newService, up, configure } = services;
      await stack.declare(webhooks);
      await configure(oldService, undefined);
      await up({ DBWEBHOOKS_API_KEY: keys.old });
      await configure(newService, undefined);
      expect(await up({ DBWEBHOOKS_API_KEY: keys.new })).toMatchObject(refused);

      await configure(oldService, keys.old);
      expect(await up()).toMatchObject(unchanged);
      await configure(newService, keys.new);

      expect(await up()).toMatchObject(moved);
    });
  });

  it("of an explicit provider works once its arguments, not the environment, have the old key", async () => {
    await withTwoServices(yamlProgram, async ({ stack, oldService, newService, up }) => {
      const account = ({ baseUrl }: { baseUrl: string }, apiKey?: string) =>
        stack.declare(webhooksOf("account"), { account: { baseUrl, ...(apiKey && { apiKey }) } });
      await account(oldService);
      await up({ DBWEBHOOKS_API_KEY: keys.old });
      await account(newService);
      expect(await up({ DBWEBHOOKS_API_KEY: keys.new })).toMatchObject(refused);

      await account(oldService, keys.old);
      expect(await up()).toMatchObject(unchanged);
      await account(newService, keys.new);

      expect(await up()).toMatchObject(moved);
    });
  });
});

describe.each([javascriptProgram, yamlProgram])(
  "A service that moved, through $name,",
  (program) => {
    it("keeps its webhooks if formerBaseUrls names its old address", async () => {
      await withTwoServices(program, async ({ stack, oldService, up }) => {
        await stack.declare(webhooks);
        await up();
        const before = await stack.outputs();
        const newAddress = new URL(oldService.baseUrl);
        newAddress.hostname = "localhost";

        await stack.configure({
          "dbwebhooks:baseUrl": newAddress.origin,
          "dbwebhooks:formerBaseUrls": oldService.baseUrl,
        });

        expect(await up()).toMatchObject(unchanged);
        expect(await stack.outputs()).toEqual(before);
      });
    });
  },
);

describe.each([javascriptProgram, yamlProgram])(
  "An old service that is gone, through $name,",
  (program) => {
    it("leaves webhooks to remove from the state, and the next update creates them at the new service", async () => {
      await withTwoServices(program, async (services) => {
        const { stack, oldService, newService, up, configure } = services;
        await stack.declare(webhooks);
        await up();
        for (const { id } of oldService.webhooks) oldService.removeWebhook(id);

        await configure(newService, keys.new);
        for (const name of Object.keys(webhooks)) await removeFromState(stack, name);

        expect(await up()).toMatchObject({ ...moved, sentToOld: [] });
      });
    });
  },
);
