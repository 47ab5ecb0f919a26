import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { javascriptProgram, yamlProgram } from "../helpers/programs.js";
import { methodsAndKeysOf, noPromptFlags, shareService, shareStack } from "../helpers/stack.js";

const inDatabase = (databaseId: string, provider?: string) => ({
  args: { databaseId },
  ...(provider && { provider }),
});
const databasesOf = ({ webhooks }: LocalService) =>
  webhooks.map(({ databaseId }) => databaseId).toSorted();

describe.each([javascriptProgram, yamlProgram])("Without a configured stack, $name", (program) => {
  const eu = shareService({ apiKeys: ["eu-key", "eu-next-key"] });
  const us = () => stack().service;
  const stack = shareStack({ program, service: { apiKeys: ["us-key"] }, isConfigured: false });
  const outputs: string[] = [];

  /** Settings of the default provider, and of explicit ones whose arguments leave them out. */
  const environment = () => ({ DBWEBHOOKS_BASE_URL: us().baseUrl, DBWEBHOOKS_API_KEY: "us-key" });

  it("names every wrong setting and argument in one preview, without values that may be secret", async () => {
    await stack().declare({
      orders: {
        args: {
          databaseId: "..",
          url: "hooks/path-token",
          events: ["record.create"],
          adopt: { id: "1", secret: "whsec_\n" },
        },
      },
    });

    const { exitCode, output } = await stack().pulumi(["preview"], {
      DBWEBHOOKS_TIMEOUT_SECONDS: "soon",
    });

    expect(exitCode).not.toBe(0);
    for (const name of [
      ...["dbwebhooks:baseUrl", "dbwebhooks:apiKey", "dbwebhooks:timeoutSeconds"],
      ...["databaseId", "url", "events[0]", "adopt.secret"],
    ]) {
      expect(output).toContain(` ${name}: `);
    }
    expect(output).not.toMatch(/path-token|whsec_|\n\s+at /);
  });

  it("creates each webhook at the service of its provider", async () => {
    await stack().declare(
      {
        american: inDatabase("base_us", "us"),
        european: inDatabase("base_eu", "eu"),
        moves: inDatabase("base_moves", "us"),
        orders: inDatabase("base_orders"),
      },
      {
        us: { baseUrl: us().baseUrl },
        eu: { baseUrl: eu().baseUrl, apiKey: "eu-key" },
      },
    );

    outputs.push((await stack().up(environment())).output);

    expect(databasesOf(us())).toEqual(["base_moves", "base_orders", "base_us"]);
    expect(databasesOf(eu())).toEqual(["base_eu"]);
  });

  describe("when the keys of the providers are set in another way and a webhook moves from one to the other", () => {
    beforeAll(async () => {
      us().clearRequests();
      await stack().declare(
        {
          american: inDatabase("base_us", "us"),
          european: inDatabase("base_eu", "eu"),
          moves: inDatabase("base_moves", "eu"),
          orders: inDatabase("base_orders"),
        },
        {
          // The same key, now as an argument and not from the environment.
          us: { baseUrl: us().baseUrl, apiKey: "us-key" },
          eu: { baseUrl: eu().baseUrl, apiKey: "eu-next-key" },
        },
      );
      outputs.push((await stack().up(environment())).output);
    });

    it("creates it with the new provider and deletes it with the old one", () => {
      expect(methodsAndKeysOf(eu()).at(-1)).toBe("POST Bearer eu-next-key");
      expect(methodsAndKeysOf(us())).toEqual(["DELETE Bearer us-key"]);
    });

    it("changes no other webhook", () => {
      expect(databasesOf(us())).toEqual(["base_orders", "base_us"]);
      expect(databasesOf(eu())).toEqual(["base_eu", "base_moves"]);
    });

    it("shows and stores neither keys nor secrets in clear text", async () => {
      const stateText = await stack().stateText();

      expect(outputs.join("\n") + stateText).not.toMatch(/(us|eu|next)-key|whsec_/);
    });
  });

  it("destroys each webhook with the key of its provider", async () => {
    us().clearRequests();
    eu().clearRequests();

    const { exitCode, output } = await stack().pulumi(["destroy", ...noPromptFlags], environment());

    expect(exitCode, output).toBe(0);
    expect(methodsAndKeysOf(us())).toEqual(["DELETE Bearer us-key", "DELETE Bearer us-key"]);
    expect(methodsAndKeysOf(eu())).toEqual([
      "DELETE Bearer eu-next-key",
      "DELETE Bearer eu-next-key",
    ]);
  });
});
