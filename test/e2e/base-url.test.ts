import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { javascriptProgram, yamlProgram } from "../helpers/programs.js";
import { shareService, shareStack, unasked, withStack } from "../helpers/stack.js";

const providerAt = ({ baseUrl }: LocalService, apiKey = "local-api-key") => ({ baseUrl, apiKey });
const requestsOf = ({ requests }: LocalService) =>
  requests.map(({ method, headers }) => `${method} ${headers.authorization}`);

describe("Another base URL in the dynamic adapter", () => {
  const next = shareService({ apiKeys: ["local-api-key"] });
  const stack = shareStack({ program: javascriptProgram });
  const old = () => stack().service;
  const webhooksOfBoth = () => ({
    old: old().webhooks.length,
    next: next().webhooks.length,
  });

  it("is refused for the default provider: the error names both and nothing is sent", async () => {
    await stack().declare({ orders: {} });
    await stack().up();
    old().clearRequests();
    await stack().configure({ "dbwebhooks:baseUrl": next().baseUrl });

    const { exitCode, output } = await stack().pulumi(["preview"]);

    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/\[unchanged\]/);
    expect(output).toContain(old().baseUrl);
    expect(output).toContain(next().baseUrl);
    expect([...old().requests, ...next().requests]).toEqual([]);
  });

  it("is possible with an explicit Provider: the default one deletes what it created", async () => {
    await stack().configure({ "dbwebhooks:baseUrl": old().baseUrl });
    await stack().declare({ orders: { provider: "account" } }, { account: providerAt(next()) });

    await stack().up();

    expect(webhooksOfBoth()).toEqual({ old: 0, next: 1 });
    expect(old().requests.map(({ method }) => method)).toEqual(["DELETE"]);
  });

  it("leaves the old webhook behind when an explicit Provider changes in place, and says what helps", async () => {
    await stack().declare({ orders: { provider: "account" } }, { account: providerAt(old()) });

    const { exitCode, output } = await stack().pulumi(["up", ...unasked]);

    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/Provider with another name.*\[notDeleted\]/);
    expect(webhooksOfBoth()).toEqual({ old: 1, next: 1 });
  });

  it("lets the old webhook go when a Provider with another name takes over the new one", async () => {
    const [created] = old().webhooks;
    await stack().declare(
      { orders: { provider: "second" } },
      { account: providerAt(next()), second: providerAt(old()) },
    );

    await stack().up();

    expect(next().webhooks).toEqual([]);
    expect(old().webhooks).toEqual([created]);
  });
});

describe("Another base URL in the native plugin", () => {
  const next = shareService({ apiKeys: ["next-key"] });
  const stack = shareStack({ program: yamlProgram });
  const old = () => stack().service;
  const declare = (account: object) =>
    stack().declare(
      {
        explicit: { args: { databaseId: "base_explicit" }, provider: "account" },
        implicit: { args: { databaseId: "base_implicit" } },
      },
      { account },
    );

  it("is refused when only the environment changes it, and nothing is sent", async () => {
    await declare(providerAt(old()));
    await stack().up();
    old().clearRequests();

    const { exitCode, output } = await stack().pulumi(["up", ...unasked], {
      DBWEBHOOKS_BASE_URL: next().baseUrl,
    });

    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/set by DBWEBHOOKS_BASE_URL.*\[unchanged\]/);
    expect([...old().requests, ...next().requests]).toEqual([]);
  });

  describe("that changes in the configuration of a default and of an explicit provider", () => {
    let output: string;

    beforeAll(async () => {
      await stack().configure({
        "dbwebhooks:baseUrl": next().baseUrl,
        "dbwebhooks:apiKey": "next-key",
      });
      await declare(providerAt(next(), "next-key"));
      ({ output } = await stack().pulumi(["up", "--yes"]));
    });

    it("warns once of each provider, in the preview and in the update", () => {
      // Pulumi shows a warning while it runs, and repeats it below "Diagnostics:".
      const [preview = "", update = ""] = output.split("\nUpdating ");
      const warningsOf = (text: string) =>
        text.split("\nDiagnostics:\n")[1]?.match(/warning: Webhooks of the provider /g);

      expect(warningsOf(preview)).toHaveLength(2);
      expect(warningsOf(update)).toHaveLength(2);
    });

    it("creates the webhooks at the new address with the new key", () => {
      expect(requestsOf(next())).toEqual(["POST Bearer next-key", "POST Bearer next-key"]);
    });

    it("deletes the webhooks at the old address with the old key", () => {
      expect(requestsOf(old())).toEqual([
        "DELETE Bearer local-api-key",
        "DELETE Bearer local-api-key",
      ]);
    });

    it("shows and stores neither keys nor secrets in clear text", async () => {
      expect(output + (await stack().stateText())).not.toMatch(/(next|local-api)-key|whsec_/);
    });

    it("leaves nothing to change", async () => {
      const { exitCode, output } = await stack().pulumi(["preview", "--expect-no-changes"]);

      expect(exitCode, output).toBe(0);
    });
  });

  it("is refused while adopt names the webhook, which the replaced provider would delete", async () => {
    await withStack(
      async ({ service, configure, createByHand, declare, pulumi, up }) => {
        await declare({ orders: { args: { adopt: await createByHand() } } });
        await up();
        const sameService = service.baseUrl.replace("127.0.0.1", "localhost");
        await configure({ "dbwebhooks:baseUrl": sameService });

        const { exitCode, output } = await pulumi(["up", ...unasked]);

        expect(exitCode).not.toBe(0);
        expect(output).toMatch(/Remove adopt/);
        expect(service.webhooks).toHaveLength(1);
        await configure({ "dbwebhooks:baseUrl": service.baseUrl });
      },
      { program: yamlProgram },
    );
  });
});
