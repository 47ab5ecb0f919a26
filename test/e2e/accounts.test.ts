import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import {
  javascriptProgram,
  type Program,
  type Webhooks,
  yamlProgram,
} from "../helpers/programs.ts";
import { recordRequests } from "../helpers/recorder.mts";
import { methodsAndKeysOf, noPromptFlags, shareService, shareStack } from "../helpers/stack.ts";

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

/** Two services, and a stack whose default provider has the settings of the first one. */
function shareAccounts(program: Program) {
  const eu = shareService({ apiKeys: ["eu-key", "eu-next-key"] });
  const stack = shareStack({ program, service: { apiKeys: ["us-key", "local-api-key"] } });
  const us = () => stack().service;
  let printed = "";
  return {
    eu,
    us,
    stack,
    printed: () => printed,
    /** Runs a command, and returns its exit code and what each service got, with which keys. */
    run: async (...command: string[]) => {
      const recorder = recordRequests(eu());
      // Variables of the default provider, which no explicit one takes.
      const environment = { DBWEBHOOKS_BASE_URL: us().baseUrl, DBWEBHOOKS_API_KEY: "us-key" };
      const { exitCode, output, requests } = await stack().pulumi(
        [...command, ...noPromptFlags],
        environment,
      );
      recorder.stop();
      printed += output;
      return {
        exitCode,
        sentToUs: methodsAndKeysOf(requests).toSorted(),
        sentToEu: methodsAndKeysOf(recorder.requests).toSorted(),
      };
    },
  };
}

describe("Accounts of the dynamic provider", () => {
  const { eu, us, stack, printed, run } = shareAccounts(javascriptProgram);

  it("are refused before Pulumi shows or stores a password in a base URL", async () => {
    const invalid = { baseUrl: "https://user:password-token@example.com", apiKey: "eu-key" };
    await stack().declare(webhooksIn({ european: "invalid" }), { invalid });

    expect(await run("up", "--diff")).not.toBe(0);

    expect(printed()).toContain("Provider invalid: baseUrl: ");
    expect(printed() + (await stack().storedText())).not.toContain("password-token");
  });

  it("create each webhook at the service of its provider", async () => {
    const providers = { european: "eu", rebased: "account", moved: undefined, unmoved: undefined };
    await stack().declare(webhooksIn(providers), {
      eu: { baseUrl: eu().baseUrl, apiKey: "eu-key" },
      account: { baseUrl: us().baseUrl, apiKey: "us-key" },
    });

    const { exitCode } = await run("up");

    expect(exitCode, printed()).toBe(0);
    expect(databasesOf(us())).toEqual(["moved", "rebased", "unmoved"]);
    expect(databasesOf(eu())).toEqual(["european"]);
  });

  it("replace a webhook of a changed provider, but cannot delete the old one where the base URL changes", async () => {
    const providers = { european: "eu", rebased: "account", moved: "eu", unmoved: undefined };
    await stack().declare(webhooksIn(providers), {
      eu: { baseUrl: eu().baseUrl, apiKey: "eu-next-key" },
      account: { baseUrl: eu().baseUrl, apiKey: "eu-key" },
    });

    const { exitCode, sentToUs, sentToEu } = await run("up", "--continue-on-error");

    expect(exitCode, printed()).not.toBe(0);
    expect(sentToEu).toEqual(["POST Bearer eu-key", "POST Bearer eu-next-key"]);
    expect(databasesOf(eu())).toEqual(["european", "moved", "rebased"]);
    expect(sentToUs).toEqual(["DELETE Bearer us-key"]);
    expect(databasesOf(us())).toEqual(["rebased", "unmoved"]);
    expect(printed()).toMatch(/"The base URL has changed" in .* \[notDeleted\]/);
  });

  it("keep a webhook whose new provider has its address, and delete an old one when its base URL is back", async () => {
    const providers = { european: "eu", rebased: "eu", moved: "eu", unmoved: "account" };
    await stack().declare(webhooksIn(providers), {
      eu: { baseUrl: eu().baseUrl, apiKey: "eu-next-key" },
      account: { baseUrl: us().baseUrl, apiKey: "us-key" },
    });

    const { exitCode, sentToUs, sentToEu } = await run("up");

    expect(exitCode, printed()).toBe(0);
    expect(sentToUs).toEqual(["DELETE Bearer us-key"]);
    expect(databasesOf(us())).toEqual(["unmoved"]);
    expect(sentToEu).toEqual([]);
  });

  it("delete each webhook with the key of its provider in destroy", async () => {
    const { exitCode, sentToUs, sentToEu } = await run("destroy");

    expect(exitCode, printed()).toBe(0);
    expect(sentToEu).toEqual(Array(3).fill("DELETE Bearer eu-next-key"));
    expect(sentToUs).toEqual(["DELETE Bearer us-key"]);
  });

  it("neither show nor store keys and secrets in clear text", async () => {
    expect(printed() + (await stack().storedText())).not.toMatch(/(us|eu|next)-key|whsec_/);
  });
});

describe("Accounts of the plugin", () => {
  const { eu, us, stack, printed, run } = shareAccounts(yamlProgram);
  const up = async (providers: Readonly<Record<string, string | undefined>>, apiKey: string) => {
    await stack().declare(webhooksIn(providers), {
      eu: { baseUrl: eu().baseUrl, apiKey },
      us: { baseUrl: us().baseUrl, apiKey: "us-key" },
    });
    const { exitCode, sentToUs, sentToEu } = await run("up");
    expect(exitCode, printed()).toBe(0);
    return [sentToUs, sentToEu];
  };

  it("create, replace and delete each webhook with the key of its provider", async () => {
    const before = { european: "eu", moved: undefined, toDefault: "us", toExplicit: undefined };
    expect(await up(before, "eu-key")).toEqual([
      Array(3).fill("POST Bearer us-key"),
      ["POST Bearer eu-key"],
    ]);
    // The last two move to another provider at the same address, which takes no request.
    const after = { european: "eu", moved: "eu", toDefault: undefined, toExplicit: "us" };
    expect(await up(after, "eu-next-key")).toEqual([
      ["DELETE Bearer us-key"],
      ["POST Bearer eu-next-key"],
    ]);
    expect(databasesOf(us())).toEqual(["toDefault", "toExplicit"]);
    const destroyed = await run("destroy");
    expect(destroyed.exitCode, printed()).toBe(0);
    expect(destroyed.sentToEu).toEqual(Array(2).fill("DELETE Bearer eu-next-key"));
  });

  it("have keys of their own: an empty one, or a number as YAML makes of digits, is refused", async () => {
    const { baseUrl } = us();
    const empty = { baseUrl, apiKey: "" };
    const number = { baseUrl, apiKey: 1_234_567_890 };
    await stack().declare(webhooksIn({ one: "empty", two: "number" }), { empty, number });

    const { exitCode, sentToUs, sentToEu } = await run("up");

    expect(exitCode, printed()).not.toBe(0);
    expect([...sentToUs, ...sentToEu]).toEqual([]);
    expect(await stack().storedWebhooks()).toEqual({});
  });

  it("neither show nor store keys and secrets in clear text", async () => {
    // Not the history, which holds the configuration.
    expect(printed() + (await stack().stateText())).not.toMatch(/(us|eu|next)-key|whsec_/);
  });
});
