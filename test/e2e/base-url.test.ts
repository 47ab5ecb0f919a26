import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { javascriptProgram, yamlProgram } from "../helpers/programs.js";
import { methodsAndKeysOf, noPromptFlags, shareService, shareStack } from "../helpers/stack.js";

const providerArgs = ({ baseUrl }: LocalService, apiKey = "local-api-key") => ({ baseUrl, apiKey });

describe("Another base URL in the dynamic provider", () => {
  const otherService = shareService({ apiKeys: ["local-api-key"] });
  const stack = shareStack({ program: javascriptProgram });
  const ownService = () => stack().service;
  const webhookCounts = () => ({
    own: ownService().webhooks.length,
    other: otherService().webhooks.length,
  });

  it("is possible with an explicit Provider: the default one deletes what it created", async () => {
    await stack().declare({ orders: {} });
    await stack().up();
    ownService().clearRequests();
    const account = providerArgs(otherService());
    await stack().declare({ orders: { provider: "account" } }, { account });

    await stack().up();

    expect(webhookCounts()).toEqual({ own: 0, other: 1 });
    expect(ownService().requests.map(({ method }) => method)).toEqual(["DELETE"]);
  });

  it("leaves the webhook behind when an explicit Provider changes in place, and the error names the remedy", async () => {
    const account = providerArgs(ownService());
    await stack().declare({ orders: { provider: "account" } }, { account });

    const { exitCode, output } = await stack().pulumi(["up", ...noPromptFlags]);

    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/Provider with another name.*\[notDeleted\]/);
    expect(webhookCounts()).toEqual({ own: 1, other: 1 });
  });

  it("deletes that webhook when a Provider with another name takes over its replacement", async () => {
    const [replacement] = ownService().webhooks;
    await stack().declare(
      { orders: { provider: "second" } },
      { account: providerArgs(otherService()), second: providerArgs(ownService()) },
    );

    await stack().up();

    expect(otherService().webhooks).toEqual([]);
    expect(ownService().webhooks).toEqual([replacement]);
  });
});

describe("Another base URL in the configuration of a default and of an explicit provider of the plugin", () => {
  const newService = shareService({ apiKeys: ["new-key"] });
  const stack = shareStack({ program: yamlProgram });
  const oldService = () => stack().service;
  const declare = (account: object, adopt?: object) =>
    stack().declare(
      {
        explicit: { args: { databaseId: "base_explicit" }, provider: "account" },
        implicit: { args: { databaseId: "base_implicit" } },
        adopted: { args: { adopt } },
      },
      { account },
    );

  it("is refused while adopt names a webhook, which the replaced provider would delete", async () => {
    const adopt = await stack().createByHand();
    await declare(providerArgs(oldService()), adopt);
    await stack().up();
    await stack().configure({
      "dbwebhooks:baseUrl": newService().baseUrl,
      "dbwebhooks:apiKey": "new-key",
    });

    const { exitCode, output } = await stack().pulumi(["preview"]);

    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/Remove adopt/);
  });

  describe("without adopt", () => {
    let output: string;

    beforeAll(async () => {
      oldService().clearRequests();
      await declare(providerArgs(newService(), "new-key"));
      ({ output } = await stack().pulumi(["up", "--yes"]));
    });

    it("leads to a warning for each provider, in the preview and in the update", () => {
      // Pulumi shows a warning while it runs, and repeats it below "Diagnostics:".
      const [preview = "", update = ""] = output.split("\nUpdating ");
      const warningsOf = (text: string) =>
        text.split("\nDiagnostics:\n")[1]?.match(/warning: .* Pulumi replaces its webhooks/g);

      expect(warningsOf(preview)).toHaveLength(2);
      expect(warningsOf(update)).toHaveLength(2);
    });

    it("creates the webhooks at the new address with the new key", () => {
      expect(methodsAndKeysOf(newService())).toEqual(Array(3).fill("POST Bearer new-key"));
    });

    it("deletes the webhooks at the old address with the old key", () => {
      expect(methodsAndKeysOf(oldService())).toEqual(Array(3).fill("DELETE Bearer local-api-key"));
    });

    it("shows and stores neither keys nor secrets in clear text", async () => {
      expect(output + (await stack().stateText())).not.toMatch(/(new|local-api)-key|whsec_/);
    });

    it("leaves nothing to change", async () => {
      const result = await stack().pulumi(["preview", "--expect-no-changes"]);

      expect(result.exitCode, result.output).toBe(0);
    });
  });
});
