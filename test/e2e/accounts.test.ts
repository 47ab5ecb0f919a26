import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { javascriptProgram, type Webhooks, yamlProgram } from "../helpers/programs.ts";
import {
  methodsAndKeysOf,
  noPromptFlags,
  shareService,
  shareStack,
  withStack,
} from "../helpers/stack.ts";

/** Declares a webhook in each database, with the explicit provider of this name or the default one. */
function webhooksIn(providersByDatabase: Readonly<Record<string, string | undefined>>): Webhooks {
  const webhooks = Object.entries(providersByDatabase).map(([databaseId, provider]) => {
    return [databaseId, { args: { databaseId }, provider }];
  });
  return Object.fromEntries(webhooks);
}

function databasesOf({ webhooks }: LocalService): string[] {
  return webhooks.map(({ databaseId }) => databaseId).toSorted();
}

describe("Accounts of the dynamic provider, with settings in the environment,", () => {
  const eu = shareService({ apiKeys: ["eu-key", "eu-next-key"] });
  const us = () => stack().service;
  const stack = shareStack({
    program: javascriptProgram,
    service: { apiKeys: ["us-key"] },
    isConfigured: false,
  });
  let output = "";

  const run = async (...command: string[]) => {
    for (const service of [us(), eu()]) service.clearRequests();
    const environment = { DBWEBHOOKS_BASE_URL: us().baseUrl, DBWEBHOOKS_API_KEY: "us-key" };
    const result = await stack().pulumi([...command, ...noPromptFlags], environment);
    output += result.output;
    return result.exitCode;
  };

  it("create each webhook at the service of its provider", async () => {
    const providers = { european: "eu", rebased: "account", moved: undefined, unmoved: undefined };
    await stack().declare(webhooksIn(providers), {
      eu: { baseUrl: eu().baseUrl, apiKey: "eu-key" },
      // Its key comes from the environment.
      account: { baseUrl: us().baseUrl },
    });

    expect(await run("up"), output).toBe(0);

    expect(databasesOf(us())).toEqual(["moved", "rebased", "unmoved"]);
    expect(databasesOf(eu())).toEqual(["european"]);
  });

  it("replace a webhook whose provider changes, but cannot delete the old one of a provider whose base URL changes", async () => {
    const providers = { european: "eu", rebased: "account", moved: "eu", unmoved: undefined };
    await stack().declare(webhooksIn(providers), {
      eu: { baseUrl: eu().baseUrl, apiKey: "eu-next-key" },
      account: { baseUrl: eu().baseUrl, apiKey: "eu-key" },
    });

    expect(await run("up", "--continue-on-error"), output).not.toBe(0);

    const creations = ["POST Bearer eu-key", "POST Bearer eu-next-key"];
    expect(methodsAndKeysOf(eu()).toSorted()).toEqual(creations);
    expect(databasesOf(eu())).toEqual(["european", "moved", "rebased"]);
    expect(methodsAndKeysOf(us())).toEqual(["DELETE Bearer us-key"]);
    expect(databasesOf(us())).toEqual(["rebased", "unmoved"]);
    expect(output).toMatch(/"The base URL has changed" in .* \[notDeleted\]/);
  });

  it("delete the old webhook once its provider has the old base URL again, and keep the new one, which moves to another provider", async () => {
    const providers = { european: "eu", rebased: "eu", moved: "eu", unmoved: undefined };
    await stack().declare(webhooksIn(providers), {
      eu: { baseUrl: eu().baseUrl, apiKey: "eu-next-key" },
      account: { baseUrl: us().baseUrl },
    });

    expect(await run("up"), output).toBe(0);

    expect(methodsAndKeysOf(us())).toEqual(["DELETE Bearer us-key"]);
    expect(databasesOf(us())).toEqual(["unmoved"]);
    expect(methodsAndKeysOf(eu())).toEqual([]);
  });

  it("delete each webhook with the key of its provider in destroy", async () => {
    expect(await run("destroy"), output).toBe(0);

    expect(methodsAndKeysOf(eu())).toEqual(Array(3).fill("DELETE Bearer eu-next-key"));
    expect(methodsAndKeysOf(us())).toEqual(["DELETE Bearer us-key"]);
  });

  it("neither show nor store keys and secrets in clear text", async () => {
    expect(output + (await stack().storedText())).not.toMatch(/(us|eu|next)-key|whsec_/);
  });
});

it("Accounts of the native plugin create, move and delete each webhook with the key of its provider, and no key or secret is printed or stored in clear text", async () => {
  const printed: string[] = [];
  await withStack(
    async (stack) => {
      await using eu = await startLocalService({ apiKeys: ["eu-key", "eu-next-key"] });
      const { service: us } = stack;
      const up = async (
        providers: Readonly<Record<string, string | undefined>>,
        apiKey: string,
      ) => {
        for (const service of [us, eu]) service.clearRequests();
        await stack.declare(webhooksIn(providers), { eu: { baseUrl: eu.baseUrl, apiKey } });
        printed.push((await stack.up()).output);
        return [us, eu].map((service) => methodsAndKeysOf(service).toSorted());
      };

      expect(await up({ european: "eu", moved: undefined }, "eu-key")).toEqual([
        ["POST Bearer local-api-key"],
        ["POST Bearer eu-key"],
      ]);
      expect(await up({ european: "eu", moved: "eu" }, "eu-next-key")).toEqual([
        ["DELETE Bearer local-api-key"],
        ["POST Bearer eu-next-key"],
      ]);
      // Not the history, which holds the configuration.
      printed.push(await stack.stateText());
      await stack.destroy();
      expect(methodsAndKeysOf(eu).slice(-2)).toEqual(Array(2).fill("DELETE Bearer eu-next-key"));
    },
    { program: yamlProgram },
  );

  expect(printed.join("\n")).not.toMatch(/(eu|next|local-api)-key|whsec_/);
});
