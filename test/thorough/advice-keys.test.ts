import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { writeJson } from "../helpers/directory.ts";
import { notFound, respondWith } from "../helpers/faults/faults.mts";
import { javascriptProgram, type Webhooks, yamlProgram } from "../helpers/programs.ts";
import {
  methodsAndKeysOf,
  noPromptFlags,
  removeFromState,
  type TestStack,
  withStack,
} from "../helpers/stack.ts";
import {
  accountOf,
  keys,
  moved,
  unchanged,
  webhooks,
  webhooksOf,
  withTwoServices,
} from "../helpers/two-services.ts";

/** Sets the option `refresh` of a project, with which Pulumi refreshes before each update. */
async function setRefresh({ directory }: TestStack, refresh: "always" | undefined): Promise<void> {
  const file = join(directory, "Pulumi.yaml");
  const project = parse(await readFile(file, "utf8"));
  await writeJson(file, { ...project, options: { refresh } });
}

const unauthorized = respondWith(401, {
  body: { error: { code: "UNAUTHORIZED", message: "No." } },
});

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

  it("that is not set ends with the variable, or with --run-program after it is in the configuration", async () => {
    await withTwoServices(program, async (services) => {
      const { stack, oldService, newService, run, up, configure } = services;
      const refresh = ["refresh", ...noPromptFlags];
      const destroy = ["destroy", ...noPromptFlags];
      const withKey = { DBWEBHOOKS_API_KEY: keys.old };
      const withProgram = ["--run-program"];
      const notSet = {
        isSuccess: false,
        output: expect.stringContaining("is not set"),
        sentToOld: [],
      };
      await configure(oldService, undefined);
      await stack.declare(webhooks);
      expect(await up(withKey)).toMatchObject({ isSuccess: true });
      expect(await run(refresh)).toMatchObject(notSet);
      expect(await run(refresh, withKey)).toMatchObject(unchanged);

      await configure(oldService, keys.old);
      // They have the settings of the last update.
      expect([await run(refresh), await run(destroy)]).toMatchObject([notSet, notSet]);
      await setRefresh(stack, "always");
      expect(await up()).toMatchObject(notSet);
      expect(await up({}, ["--refresh=false"])).toMatchObject(unchanged);
      expect(await up()).toMatchObject(unchanged);
      await setRefresh(stack, undefined);
      await configure(oldService, undefined);
      expect(await up(withKey)).toMatchObject(unchanged);
      await configure(oldService, keys.old);

      expect(await run([...refresh, ...withProgram])).toMatchObject(unchanged);
      await configure(oldService, undefined);
      expect(await up(withKey)).toMatchObject(unchanged);
      await configure(oldService, keys.old);
      await stack.declare(webhooksOf("next"), { next: accountOf(newService, keys.new) });
      // Nothing of the program uses the default provider, which has the settings of the state.
      const half = await up();
      const ended = await up(withKey);

      expect(half).toMatchObject({ ...moved, ...notSet });
      expect(half.output).toMatch(/DBWEBHOOKS_API_KEY for this command.*\[notDeleted\]/);
      expect(ended).toMatchObject({ ...moved, sentToNew: [] });
    });
  });

  it("and a database that is gone keep webhooks in the state, and the page's steps end that", async () => {
    // Each webhook has a database of its name.
    const webhookIn = (databaseId: string, provider = {}) => ({
      args: { databaseId },
      ...provider,
    });
    const webhooks: Webhooks = {
      orders: webhookIn("orders"),
      lost: webhookIn("lost"),
      rotated: webhookIn("rotated", { provider: "account" }),
      lostOfProvider: webhookIn("lostOfProvider", { provider: "listing" }),
    };
    const apiKeys = ["local-api-key", "next-key", "key-of-another-account"];
    await withStack(
      async (stack) => {
        const { service, declare, up, pulumi, storedWebhooks } = stack;
        const declareWith = (apiKey: string, listing: boolean) => {
          const account = { baseUrl: service.baseUrl, apiKey };
          return declare(webhooks, { account, listing: { ...account, listing } });
        };
        const stored = async () => Object.keys(await storedWebhooks()).toSorted();
        await declareWith("local-api-key", true);
        await up();
        const isLost = (databaseId = "") => databaseId.startsWith("lost");
        service.webhooks = service.webhooks.filter(({ databaseId }) => !isLost(databaseId));
        // The database of "lost" is gone, that of "lostOfProvider" has no list, a key has no access to
        // any database, and the service no longer accepts the key of the Provider of "rotated".
        service.use((request, next) => {
          const { databaseId, headers } = request;
          if (isLost(databaseId) || headers.authorization === "Bearer key-of-another-account") {
            return notFound();
          }
          const isOld = headers.authorization === "Bearer local-api-key";
          return databaseId === "rotated" && isOld ? unauthorized(request, next) : next();
        });
        const destroy = ["destroy", ...noPromptFlags];

        const variables = { DBWEBHOOKS_API_KEY: "key-of-another-account" };
        const refused = await pulumi([...destroy, "--continue-on-error"], variables);
        expect(refused.exitCode).not.toBe(0);
        expect(refused.output).toMatch(/"A wrong key" in .* \[notDeleted\]/);
        expect(await stored()).toEqual(Object.keys(webhooks).toSorted());
        expect(service.webhooks).toHaveLength(2);

        await removeFromState(stack, "lost");
        await declareWith("next-key", false);
        const destroyed = await pulumi([...destroy, "--run-program"]);
        expect(destroyed.exitCode, destroyed.output).toBe(0);
        expect(methodsAndKeysOf(destroyed.requests).toSorted()).toEqual([
          "DELETE Bearer local-api-key",
          "DELETE Bearer next-key",
          "DELETE Bearer next-key",
        ]);
        expect([await stored(), service.webhooks]).toEqual([[], []]);
      },
      { program, service: { apiKeys } },
    );
  });
});
