import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { expect, it } from "vitest";
import { secretOr } from "../helpers/leaks.ts";
import { javascriptProgram, type Program, yamlProgram } from "../helpers/programs.ts";
import { noPromptFlags, type TestStack } from "../helpers/stack.ts";
import { accountOf, keys, type TwoServices, withTwoServices } from "../helpers/two-services.ts";

/** The databases of webhooks, each with its explicit provider or the default one. */
type Databases = Readonly<Record<string, string | undefined>>;

const databasesOf = ({ webhooks }: LocalService) =>
  webhooks.map(({ databaseId }) => databaseId).toSorted();

const deletions = (count: number, key: string) => Array(count).fill(`DELETE Bearer ${key}`);
const creations = (count: number, key: string) => Array(count).fill(`POST Bearer ${key}`);
const anyKeyOrSecret = secretOr(/local-api-key|next-key|new-key/);

type Outcome = ReturnType<TwoServices["run"]>;

interface Accounts extends TwoServices {
  /** Declares a webhook in each database, and updates the stack. */
  update(
    databases: Databases,
    providers: Parameters<TestStack["declare"]>[1],
    ...flags: string[]
  ): Outcome;
  destroy(): Outcome;
}

/**
 * Runs a test with accounts of two services. Variables, which no explicit provider takes, give the
 * default provider an account of the new one.
 */
function withAccounts(program: Program, use: (accounts: Accounts) => Promise<void>): Promise<void> {
  return withTwoServices(program, (services) => {
    const { stack, newService, run, up } = services;
    const variables = {
      DBWEBHOOKS_BASE_URL: newService.baseUrl,
      DBWEBHOOKS_API_KEY: keys.new,
    };
    return use({
      ...services,
      update: async (databases, providers, ...flags) => {
        const webhooks = Object.entries(databases).map(([databaseId, provider]) => {
          return [databaseId, { args: { databaseId }, provider }];
        });
        await stack.declare(Object.fromEntries(webhooks), providers);
        return up(variables, flags);
      },
      destroy: () => run(["destroy", ...noPromptFlags], variables),
    });
  });
}

it("Each account of the dynamic provider has its own webhooks and its own key", async () => {
  await withAccounts(javascriptProgram, async (accounts) => {
    const { stack, oldService, newService, update, destroy } = accounts;
    const databases = { european: "eu", rebased: "account", moved: undefined, unmoved: undefined };
    const account = accountOf(newService, keys.new);
    const created = await update(databases, { eu: accountOf(oldService, keys.old), account });
    expect(created, created.output).toMatchObject({ isSuccess: true });
    expect(databasesOf(oldService)).toEqual(["european"]);
    expect(databasesOf(newService)).toEqual(["moved", "rebased", "unmoved"]);

    // The base URL of a Provider changes, so that it cannot delete its old webhook.
    const eu = accountOf(oldService, keys.oldNext);
    const rebased = { eu, account: accountOf(oldService, keys.old) };
    const changed = await update({ ...databases, moved: "eu" }, rebased, "--continue-on-error");
    expect(changed, changed.output).toMatchObject({
      isSuccess: false,
      sentToOld: [...creations(1, keys.old), ...creations(1, keys.oldNext)],
      sentToNew: deletions(1, keys.new),
    });
    expect(changed.output).toMatch(/"The base URL has changed" in .* \[notDeleted\]/);
    expect(databasesOf(newService)).toEqual(["rebased", "unmoved"]);

    // A webhook whose new provider has its address stays, and the old one of another goes.
    const back = { european: "eu", rebased: "eu", moved: "eu", unmoved: "account" };
    const corrected = await update(back, { eu, account });
    expect(corrected, corrected.output).toMatchObject({
      isSuccess: true,
      sentToOld: [],
      sentToNew: deletions(1, keys.new),
    });

    const destroyed = await destroy();
    expect(destroyed, destroyed.output).toMatchObject({
      isSuccess: true,
      sentToOld: deletions(3, keys.oldNext),
      sentToNew: deletions(1, keys.new),
    });
    const printed = [created, changed, corrected, destroyed].map(({ output }) => output).join();
    expect(printed + (await stack.storedText())).not.toMatch(anyKeyOrSecret);
  });
});

it("Each account of the plugin has its own webhooks and its own key, which it must have", async () => {
  await withAccounts(yamlProgram, async ({ stack, oldService, newService, update, destroy }) => {
    const before = { european: "eu", moved: undefined, toDefault: "us", toExplicit: undefined };
    const us = accountOf(newService, keys.new);
    const created = await update(before, { eu: accountOf(oldService, keys.old), us });
    expect(created, created.output).toMatchObject({
      isSuccess: true,
      sentToOld: creations(1, keys.old),
      sentToNew: creations(3, keys.new),
    });

    // The last two move to another provider at the same address, which takes no request.
    const after = { european: "eu", moved: "eu", toDefault: undefined, toExplicit: "us" };
    const changed = await update(after, { eu: accountOf(oldService, keys.oldNext), us });
    expect(changed, changed.output).toMatchObject({
      isSuccess: true,
      sentToOld: creations(1, keys.oldNext),
      sentToNew: deletions(1, keys.new),
    });

    const destroyed = await destroy();
    expect(destroyed, destroyed.output).toMatchObject({
      isSuccess: true,
      sentToOld: deletions(2, keys.oldNext),
      sentToNew: deletions(2, keys.new),
    });

    // YAML makes a number of digits.
    const keyless = {
      empty: accountOf(newService, ""),
      number: { ...us, apiKey: 1_234_567_890 },
    };
    const refused = await update({ one: "empty", two: "number" }, keyless);
    expect(refused).toMatchObject({ isSuccess: false, sentToOld: [], sentToNew: [] });
    expect(await stack.storedWebhooks()).toEqual({});
    const printed = [created, changed, destroyed, refused].map(({ output }) => output).join();
    // Not the history, which holds the configuration.
    expect(printed + (await stack.stateText())).not.toMatch(anyKeyOrSecret);
  });
});
