import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { aroundAll, beforeAll, describe, expect, it } from "vitest";
import {
  javascriptProgram,
  type Program,
  type Webhooks,
  yamlProgram,
} from "../helpers/programs.ts";
import { recordRequests } from "../helpers/recorder.mts";
import { methodsAndKeysOf, noPromptFlags, shareStack } from "../helpers/stack.ts";

/**
 * Declares a webhook in each database, with the explicit provider of this name or the default one.
 */
function webhooksIn(providersByDatabase: Readonly<Record<string, string | undefined>>): Webhooks {
  const webhooks = Object.entries(providersByDatabase).map(([databaseId, provider]) => {
    return [databaseId, { args: { databaseId }, provider }];
  });
  return Object.fromEntries(webhooks);
}

function databasesOf({ webhooks }: LocalService): string[] {
  return webhooks.map(({ databaseId }) => databaseId).toSorted();
}

type Providers = Readonly<Record<string, { readonly baseUrl: string; readonly apiKey: unknown }>>;

/** Two services, and a stack whose default provider has the settings of the first one. */
function shareAccounts(program: Program) {
  let eu: LocalService;
  // Around the stack, so that the service outlives the webhooks that the stack has there.
  aroundAll(async (runTests) => {
    await using service = await startLocalService({ apiKeys: ["eu-key", "eu-next-key"] });
    eu = service;
    await runTests();
    expect(service.webhooks).toEqual([]);
  });
  const stack = shareStack({ program, service: { apiKeys: ["us-key", "local-api-key"] } });
  const us = () => stack().service;
  let printed = "";
  /** Returns what each service got, with which keys, and the databases of its webhooks. */
  const run = async (...command: string[]) => {
    const recorder = recordRequests(eu);
    // Variables of the default provider, which no explicit one takes.
    const environment = { DBWEBHOOKS_BASE_URL: us().baseUrl, DBWEBHOOKS_API_KEY: "us-key" };
    const { exitCode, output, requests } = await stack().pulumi(
      [...command, ...noPromptFlags],
      environment,
    );
    recorder.stop();
    printed += output;
    return {
      isSuccess: exitCode === 0,
      output,
      sentToUs: methodsAndKeysOf(requests).toSorted(),
      sentToEu: methodsAndKeysOf(recorder.requests).toSorted(),
      us: databasesOf(us()),
      eu: databasesOf(eu),
    };
  };
  return {
    stack,
    printed: () => printed,
    /** The arguments of a `Provider` of each service. */
    atUs: (apiKey: unknown) => ({ baseUrl: us().baseUrl, apiKey }),
    atEu: (apiKey: unknown) => ({ baseUrl: eu.baseUrl, apiKey }),
    up: async (
      providersByDatabase: Parameters<typeof webhooksIn>[0],
      providers: Providers,
      ...flags: string[]
    ) => {
      await stack().declare(webhooksIn(providersByDatabase), providers);
      return run("up", ...flags);
    },
    destroy: () => run("destroy"),
  };
}

type Outcome = Awaited<ReturnType<ReturnType<typeof shareAccounts>["up"]>>;

describe("Accounts of the dynamic provider", () => {
  const { stack, printed, atUs, atEu, up, destroy } = shareAccounts(javascriptProgram);
  let created: Outcome;
  let changed: Outcome;
  let corrected: Outcome;
  let destroyed: Outcome;

  beforeAll(async () => {
    const databases = { european: "eu", rebased: "account", moved: undefined, unmoved: undefined };
    created = await up(databases, { eu: atEu("eu-key"), account: atUs("us-key") });
    const eu = atEu("eu-next-key");
    const moved = { ...databases, moved: "eu" };
    changed = await up(moved, { eu, account: atEu("eu-key") }, "--continue-on-error");
    const back = { european: "eu", rebased: "eu", moved: "eu", unmoved: "account" };
    corrected = await up(back, { eu, account: atUs("us-key") });
    destroyed = await destroy();
  });

  it("create each webhook at the service of its provider", () => {
    expect(created, created.output).toMatchObject({
      isSuccess: true,
      us: ["moved", "rebased", "unmoved"],
      eu: ["european"],
    });
  });

  it("replace a webhook of a changed provider, but cannot delete the old one where the base URL changes", () => {
    expect(changed, changed.output).toMatchObject({
      isSuccess: false,
      sentToUs: ["DELETE Bearer us-key"],
      sentToEu: ["POST Bearer eu-key", "POST Bearer eu-next-key"],
      us: ["rebased", "unmoved"],
      eu: ["european", "moved", "rebased"],
    });
    expect(changed.output).toMatch(/"The base URL has changed" in .* \[notDeleted\]/);
  });

  it("keep a webhook whose new provider has its address, and delete an old one when its base URL is back", () => {
    expect(corrected, corrected.output).toMatchObject({
      isSuccess: true,
      sentToUs: ["DELETE Bearer us-key"],
      sentToEu: [],
      us: ["unmoved"],
    });
  });

  it("delete each webhook with the key of its provider in destroy", () => {
    expect(destroyed, destroyed.output).toMatchObject({
      isSuccess: true,
      sentToUs: ["DELETE Bearer us-key"],
      sentToEu: Array(3).fill("DELETE Bearer eu-next-key"),
    });
  });

  it("neither show nor store keys and secrets in clear text", async () => {
    expect(printed() + (await stack().storedText())).not.toMatch(/(us|eu|next)-key|whsec_/);
  });
});

describe("Accounts of the plugin", () => {
  const { stack, printed, atUs, atEu, up, destroy } = shareAccounts(yamlProgram);
  let created: Outcome;
  let changed: Outcome;
  let destroyed: Outcome;
  let refused: Outcome;

  beforeAll(async () => {
    const before = { european: "eu", moved: undefined, toDefault: "us", toExplicit: undefined };
    created = await up(before, { eu: atEu("eu-key"), us: atUs("us-key") });
    // The last two move to another provider at the same address, which takes no request.
    const after = { european: "eu", moved: "eu", toDefault: undefined, toExplicit: "us" };
    changed = await up(after, { eu: atEu("eu-next-key"), us: atUs("us-key") });
    destroyed = await destroy();
    refused = await up(
      { one: "empty", two: "number" },
      { empty: atUs(""), number: atUs(1_234_567_890) },
    );
  });

  it("create, replace and delete each webhook with the key of its provider", () => {
    expect(created, created.output).toMatchObject({
      isSuccess: true,
      sentToUs: Array(3).fill("POST Bearer us-key"),
      sentToEu: ["POST Bearer eu-key"],
    });
    expect(changed, changed.output).toMatchObject({
      isSuccess: true,
      sentToUs: ["DELETE Bearer us-key"],
      sentToEu: ["POST Bearer eu-next-key"],
      us: ["toDefault", "toExplicit"],
    });
    expect(destroyed, destroyed.output).toMatchObject({
      isSuccess: true,
      sentToEu: Array(2).fill("DELETE Bearer eu-next-key"),
    });
  });

  it("have keys of their own: an empty one, or a number as YAML makes of digits, is refused", async () => {
    expect(refused, refused.output).toMatchObject({ isSuccess: false, sentToUs: [], sentToEu: [] });
    expect(await stack().storedWebhooks()).toEqual({});
  });

  it("neither show nor store keys and secrets in clear text", async () => {
    // Not the history, which holds the configuration.
    expect(printed() + (await stack().stateText())).not.toMatch(/(us|eu|next)-key|whsec_/);
  });
});
