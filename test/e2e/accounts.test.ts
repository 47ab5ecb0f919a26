import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { javascriptProgram, type Webhooks, yamlProgram } from "../helpers/programs.ts";
import { methodsAndKeysOf, noPromptFlags, shareService, shareStack } from "../helpers/stack.ts";

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
    expect(output).toMatch(/"Another base URL" in docs\/troubleshooting\.md\. \[notDeleted\]/);
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

describe("Accounts of the native plugin", () => {
  const newService = shareService({ apiKeys: ["new-key", "eu-key", "eu-next-key"] });
  const stack = shareStack({ program: yamlProgram });
  const oldService = () => stack().service;
  const providers = { explicit: "account", european: "eu", implicit: undefined };
  let printed = "";

  const run = async (...command: string[]) => {
    for (const service of [oldService(), newService()]) service.clearRequests();
    const { exitCode, output } = await stack().pulumi(command);
    printed += output;
    return { exitCode, output };
  };

  it("refuse another base URL while adopt names a webhook, which the replaced provider would delete", async () => {
    const adopt = await stack().createByHand({ databaseId: "adopted" });
    const adopted = { args: { databaseId: "adopted", adopt } };
    const webhooks = { ...webhooksIn({ ...providers, moved: undefined }), adopted };
    await stack().declare(webhooks, {
      account: { baseUrl: oldService().baseUrl, apiKey: "local-api-key" },
      eu: { baseUrl: newService().baseUrl, apiKey: "eu-key" },
    });
    const creation = await run("up", "--yes");
    expect(creation.exitCode, creation.output).toBe(0);
    const baseUrl = newService().baseUrl;
    await stack().configure({ "dbwebhooks:baseUrl": baseUrl, "dbwebhooks:apiKey": "new-key" });

    const { exitCode, output } = await run("preview");

    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/Remove adopt/);
  });

  it("replace the webhooks of two accounts whose base URL changes, with warnings in the preview and the update", async () => {
    await stack().declare(webhooksIn({ ...providers, moved: "eu", adopted: undefined }), {
      account: { baseUrl: newService().baseUrl, apiKey: "new-key" },
      eu: { baseUrl: newService().baseUrl, apiKey: "eu-next-key" },
    });

    const { output } = await run("up", "--yes");

    // Pulumi shows a warning while it runs, and repeats it below "Diagnostics:".
    const [preview = "", update = ""] = output.split("\nUpdating ");
    const warning = /warning: .* provider (account|default) move from .* Pulumi replaces them/g;
    for (const text of [preview, update]) {
      expect(text.split("\nDiagnostics:\n")[1]?.match(warning)).toHaveLength(2);
    }
    // Provider eu had this base URL before: european stays, and only moved is created with its key.
    expect(methodsAndKeysOf(newService()).toSorted()).toEqual([
      "POST Bearer eu-next-key",
      ...Array(3).fill("POST Bearer new-key"),
    ]);
    expect(methodsAndKeysOf(oldService())).toEqual(Array(4).fill("DELETE Bearer local-api-key"));
  });

  it("leave nothing to change for the next preview", async () => {
    const { exitCode, output } = await run("preview", "--expect-no-changes");

    expect(exitCode, output).toBe(0);
  });

  it("neither print keys and secrets nor store them in clear text in the state, even a key that the configuration has in clear text", async () => {
    // Not the history, which holds the configuration.
    const texts = printed + (await stack().stateText());

    expect(texts).not.toMatch(/(new|eu|next|local-api)-key|whsec_/);
  });
});
