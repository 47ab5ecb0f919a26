import { describe, expect, it } from "vitest";
import { notFound } from "../helpers/faults/faults.mts";
import { javascriptProgram, type Webhooks, yamlProgram } from "../helpers/programs.ts";
import { methodsAndKeysOf, noPromptFlags, shareStack } from "../helpers/stack.ts";

// The tests follow the heading "A wrong key" in docs/troubleshooting.md. Each webhook has a
// database of its name.

const webhookIn = (databaseId: string, provider = {}) => ({ args: { databaseId }, ...provider });
const webhooks: Webhooks = {
  orders: webhookIn("orders"),
  lost: webhookIn("lost"),
  rotated: webhookIn("rotated", { provider: "account" }),
  lostOfProvider: webhookIn("lostOfProvider", { provider: "listing" }),
};

describe.each([javascriptProgram, yamlProgram])("Keys of $name", (program) => {
  const apiKeys = ["local-api-key", "next-key", "key-of-another-account"];
  const stack = shareStack({ program, service: { apiKeys, listing: true } });
  const declare = (apiKey: string, listing: boolean) => {
    const { baseUrl } = stack().service;
    const account = { baseUrl, apiKey };
    return stack().declare(webhooks, { account, listing: { ...account, listing } });
  };
  const run = async (args: readonly string[], variables = {}) => {
    const { exitCode, output, requests } = await stack().pulumi(args, variables);
    return { exitCode, output, requests: methodsAndKeysOf(requests) };
  };
  const storedNames = async () => Object.keys(await stack().storedWebhooks()).toSorted();

  it("of another account, rotated keys and databases that are gone remove no webhook from the state", async () => {
    const { service, up } = stack();
    await declare("local-api-key", true);
    await up();
    service.webhooks = service.webhooks.filter(({ databaseId }) => !databaseId.startsWith("lost"));
    // The databases of the two are gone, a key has no access to any database, and the service no
    // longer accepts the key of the Provider of "rotated".
    service.use(({ databaseId = "", headers: { authorization } }, next) => {
      if (databaseId.startsWith("lost") || authorization === "Bearer key-of-another-account") {
        return notFound();
      }
      const isOld = databaseId === "rotated" && authorization === "Bearer local-api-key";
      return isOld ? unauthorized() : next();
    });

    const destroy = ["destroy", ...noPromptFlags, "--continue-on-error"];
    const { exitCode, output } = await run(destroy, {
      DBWEBHOOKS_API_KEY: "key-of-another-account",
    });

    expect(exitCode).not.toBe(0);
    expect(await storedNames()).toEqual(Object.keys(webhooks).toSorted());
    expect(service.webhooks).toHaveLength(2);
    expect(output).toMatch(/"A wrong key" in .* \[notDeleted\]/);
  });

  it("end with `pulumi destroy --run-program` for a Provider, and lost databases with listing set to false", async () => {
    await declare("next-key", false);

    const destroy = ["destroy", ...noPromptFlags, "--run-program"];
    const { exitCode, output, requests } = await run(destroy, { DBWEBHOOKS_LISTING: "false" });

    expect(exitCode, output).toBe(0);
    expect(await storedNames()).toEqual([]);
    expect(requests.toSorted()).toEqual([
      ...Array(2).fill("DELETE Bearer local-api-key"),
      ...Array(2).fill("DELETE Bearer next-key"),
    ]);
    expect(stack().service.webhooks).toEqual([]);
  });
});

const unauthorized = () =>
  Response.json({ error: { code: "UNAUTHORIZED", message: "No." } }, { status: 401 });
