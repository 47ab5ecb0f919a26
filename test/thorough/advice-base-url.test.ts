import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { notFound } from "../helpers/faults/faults.mts";
import { javascriptProgram, yamlProgram } from "../helpers/programs.ts";
import { noPromptFlags, removeFromState, type TestStack } from "../helpers/stack.ts";
import {
  accountOf,
  editState,
  keys,
  moved,
  refused,
  removeLeftWebhooks,
  unchanged,
  webhooks,
  webhooksOf,
  withTwoServices,
} from "../helpers/two-services.ts";

// The tests follow the headings "The base URL has changed" and "A wrong key" in
// docs/troubleshooting.md.

const movedBack = {
  isSuccess: true,
  sentToOld: Array(2).fill(`POST Bearer ${keys.old}`),
  sentToNew: Array(2).fill(`DELETE Bearer ${keys.new}`),
};
const oneDeletion = { isSuccess: true, sentToOld: [`DELETE Bearer ${keys.old}`], sentToNew: [] };

/** The variables of an account. */
const variablesOf = ({ baseUrl }: LocalService, apiKey: string) => {
  return { DBWEBHOOKS_BASE_URL: baseUrl, DBWEBHOOKS_API_KEY: apiKey };
};

async function baseUrlsOf(stack: TestStack): Promise<readonly unknown[]> {
  return Object.values(await stack.storedWebhooks()).map(({ outputs }) => outputs.baseUrl);
}

async function targetOf(stack: TestStack, name: string): Promise<readonly string[]> {
  return ["--target", (await stack.storedWebhooks())[name]?.urn ?? ""];
}

describe.each([javascriptProgram, yamlProgram])(
  "Another account at one base URL of $name",
  (program) => {
    it("gets a webhook whose provider and database change at once, also after the provider alone did", async () => {
      await withTwoServices(program, async ({ stack, oldService, up }) => {
        const providers = {
          first: accountOf(oldService, keys.old),
          second: accountOf(oldService, keys.oldNext),
        };
        // Each account has one database.
        const databases = { [keys.old]: "base_first", [keys.oldNext]: "base_second" };
        oldService.use(({ databaseId, headers: { authorization = "" } }, next) =>
          databases[authorization.replace("Bearer ", "")] === databaseId ? next() : notFound(),
        );
        const declare = (databaseId: string, provider: string) =>
          stack.declare({ orders: { args: { databaseId }, provider } }, providers);
        await declare("base_first", "first");
        await up();
        await declare("base_first", "second");
        expect(await up()).toMatchObject(unchanged);
        await declare("base_first", "first");
        expect(await up()).toMatchObject(unchanged);

        await declare("base_second", "second");
        const movedAtOnce = await up();

        expect(movedAtOnce).toMatchObject({
          isSuccess: true,
          sentToOld: [`DELETE Bearer ${keys.old}`, `POST Bearer ${keys.oldNext}`],
        });
        expect(await up()).toMatchObject(unchanged);
      });
    });
  },
);

it("The base URL of a Provider of the plugin cannot change", async () => {
  await withTwoServices(yamlProgram, async ({ stack, oldService, newService, run, up }) => {
    await stack.declare(webhooksOf("eu"), { eu: accountOf(oldService, keys.old) });
    expect(await up()).toMatchObject({ isSuccess: true });

    await stack.declare(webhooksOf("eu"), { eu: accountOf(newService, keys.new) });

    expect(await run(["preview"])).toMatchObject(refused);
  });
});

describe.each([javascriptProgram, yamlProgram])("Another base URL, through $name,", (program) => {
  it("is refused after an update with variables, and three steps move the webhooks to a Provider", async () => {
    await withTwoServices(program, async (services) => {
      const { stack, oldService, newService, run, up, configure } = services;
      const next = accountOf(newService, keys.new);
      await configure(newService, keys.new);
      await stack.declare(webhooks);
      const variables = variablesOf(oldService, keys.old);
      expect(await up(variables)).toMatchObject({ isSuccess: true, sentToNew: [] });
      expect(await up()).toMatchObject(refused);

      expect(await up(variables)).toMatchObject(unchanged);
      await stack.declare(webhooksOf("next"), { next });
      const refreshes = [
        await run(["refresh", ...noPromptFlags, "--run-program"], variables),
        await up(variables, ["--refresh", "--run-program"]),
      ];
      expect(refreshes).toMatchObject([refused, refused]);
      expect(await up(variables)).toMatchObject(moved);
      expect(await baseUrlsOf(stack)).toEqual(Array(2).fill(next.baseUrl));
      expect(await up()).toMatchObject(unchanged);
    });
  });

  it("of a Provider that loses its webhooks takes two steps, and a webhook can get its lost Provider back", async () => {
    await withTwoServices(program, async ({ stack, oldService, newService, up }) => {
      const eu = accountOf(newService, keys.new);
      const main = accountOf(oldService, keys.old);
      await stack.declare(webhooksOf("eu"), { eu });
      await up();
      await stack.declare(webhooks);
      expect(await up()).toMatchObject(refused);
      await stack.declare(webhooksOf("eu"), { eu });
      expect(await up()).toMatchObject(unchanged);

      await stack.declare(webhooksOf("main"), { eu, main });
      expect(await up()).toMatchObject(movedBack);
      await stack.declare(webhooks);

      expect(await up()).toMatchObject(unchanged);
      expect(await baseUrlsOf(stack)).toEqual(Array(2).fill(oldService.baseUrl));
    });
  });

  it("of the same service keeps webhooks after a change of the state, and lost ones are removed from it", async () => {
    await withTwoServices(program, async (services) => {
      const { stack, oldService, newService, up, configure } = services;
      const { orders = {}, invoices } = webhooks;
      const withProvider = { orders, invoices: { ...invoices, provider: "eu" } };
      await stack.declare(withProvider, { eu: accountOf(oldService, keys.old) });
      await up();
      const before = await stack.outputs();

      const baseUrl = oldService.baseUrl.replace("127.0.0.1", "localhost");
      await editState(stack, (text) => text.replaceAll(`"${oldService.baseUrl}"`, `"${baseUrl}"`));
      await stack.configure({ "dbwebhooks:baseUrl": baseUrl });
      await stack.declare(withProvider, { eu: { baseUrl, apiKey: keys.old } });
      expect(await up()).toMatchObject(unchanged);
      expect(await stack.outputs()).toEqual(before);
      expect(await baseUrlsOf(stack)).toEqual([baseUrl, baseUrl]);

      oldService.webhooks = [];
      for (const name of Object.keys(webhooks)) {
        await removeFromState(stack, name);
      }
      await configure(newService, keys.new);
      await stack.declare(webhooks);
      expect(await up()).toMatchObject({ ...moved, sentToOld: [] });
    });
  });

  it("leaves deletions after a forced replacement, which end with both variables, or in an exported state", async () => {
    await withTwoServices(program, async (services) => {
      const { stack, oldService, newService, up } = services;
      await stack.declare(webhooks);
      await up();
      const stored = Object.values(await stack.storedWebhooks());
      const flags = stored.flatMap(({ urn }) => ["--replace", urn]);
      const left = await up(variablesOf(newService, keys.new), flags);
      expect(left).toMatchObject({ ...moved, isSuccess: false, sentToOld: [] });
      const next = accountOf(newService, keys.new);
      await stack.declare({ ...webhooks, orders: { provider: "next" } }, { next });

      const target = await targetOf(stack, "orders");
      expect(await up(variablesOf(oldService, keys.old), target)).toMatchObject(oneDeletion);
      oldService.webhooks = [];
      await removeLeftWebhooks(stack);
      expect(await up(variablesOf(newService, keys.new))).toMatchObject(unchanged);
    });
  });

  it("fails the deletions of webhooks that left the program, and a destroy, which end with both variables", async () => {
    await withTwoServices(program, async (services) => {
      const { stack, oldService, newService, run, up, configure } = services;
      const variables = variablesOf(oldService, keys.old);
      const destroy = ["destroy", ...noPromptFlags];
      await stack.declare(webhooks);
      await up();
      await configure(newService, keys.new);
      expect(await up()).toMatchObject(refused);
      // The refused update has stored the new settings, so this reaches neither of the next two.
      await configure(oldService, keys.old);
      const destroyed = await run(destroy);
      expect(destroyed).toMatchObject(refused);
      expect(destroyed.output).toMatch(/DBWEBHOOKS_BASE_URL .*DBWEBHOOKS_API_KEY .*\[notDeleted\]/);
      await stack.declare({});
      expect(await up()).toMatchObject(refused);

      const targeted = await up(variables, await targetOf(stack, "orders"));
      const ended = await run(destroy, variables);

      expect([targeted, ended]).toMatchObject([oneDeletion, oneDeletion]);
    });
  });

  it("of a Provider fails a destroy with the program, and an update with the former provider mends the stack", async () => {
    await withTwoServices(program, async ({ stack, oldService, newService, run, up }) => {
      const next = accountOf(newService, keys.new);
      await stack.declare(webhooks);
      await up();
      await stack.declare(webhooksOf("next"), { next });
      const destroyed = await run(["destroy", ...noPromptFlags, "--run-program"]);
      expect(destroyed).toMatchObject(refused);
      expect(destroyed.output).toMatch(
        /let the webhook use the provider that it had.*\[notDeleted\]/,
      );

      await stack.declare(webhooks);
      expect(await up()).toMatchObject(unchanged);
      expect(await baseUrlsOf(stack)).toEqual(Array(2).fill(oldService.baseUrl));
      await stack.declare(webhooksOf("next"), { next });
      expect(await up()).toMatchObject(moved);
    });
  });

  it("with a password is refused before Pulumi shows or stores it", async () => {
    await withTwoServices(program, async ({ stack, up }) => {
      const next = { baseUrl: "https://user:password-token@example.com", apiKey: keys.new };
      await stack.declare(webhooksOf("next"), { next });

      const update = await up({}, ["--diff"]);

      expect(update).toMatchObject(refused);
      expect(update.output).toContain("baseUrl: must hold no user name");
      expect(update.output + (await stack.storedText())).not.toContain("password-token");
    });
  });

  it("with an invalid key is not stored by a refresh, which also fails without any key", async () => {
    await withTwoServices(program, async (services) => {
      const { stack, oldService, newService, run, up, configure } = services;
      await configure(oldService, undefined);
      await stack.declare(webhooks);
      await up({ DBWEBHOOKS_API_KEY: keys.old });
      await stack.declare(webhooksOf("next"), { next: accountOf(newService, "no key") });

      const refreshes = [
        await run(["refresh", ...noPromptFlags]),
        await run(["refresh", ...noPromptFlags, "--run-program"], { DBWEBHOOKS_API_KEY: keys.old }),
      ];

      expect(refreshes).toMatchObject([refused, refused]);
      await stack.declare(webhooks);
      expect(await up({ DBWEBHOOKS_API_KEY: keys.old })).toMatchObject(unchanged);
    });
  });

  it("of a Provider needs an old key that works: DBWEBHOOKS_API_KEY, or else an exported state", async () => {
    await withTwoServices(program, async (services) => {
      const { stack, oldService, newService, up, configure } = services;
      await stack.declare(webhooks);
      await up();
      await configure(oldService, "dead-key");
      expect(await up()).toMatchObject(unchanged);
      await stack.declare(webhooksOf("next"), { next: accountOf(newService, keys.new) });
      const sentToOld = Array(2).fill("DELETE Bearer dead-key");
      const half = await up({}, ["--continue-on-error"]);
      expect(half).toMatchObject({ ...moved, isSuccess: false, sentToOld });

      const variables = { DBWEBHOOKS_API_KEY: keys.oldNext };
      const ended = await up(variables, await targetOf(stack, "orders"));
      expect(ended).toMatchObject({ ...oneDeletion, sentToOld: [`DELETE Bearer ${keys.oldNext}`] });
      oldService.webhooks = [];
      await removeLeftWebhooks(stack);
      expect(await up()).toMatchObject(unchanged);
    });
  });
});
