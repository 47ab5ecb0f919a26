import { beforeAll, describe, expect, it } from "vitest";
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
  type Outcome = Awaited<ReturnType<typeof destroyAs>>;
  const destroyAs = async (flag: string, variables: Readonly<Record<string, string>>) => {
    const args = ["destroy", ...noPromptFlags, flag];
    const { exitCode, output, requests } = await stack().pulumi(args, variables);
    return {
      exitCode,
      output,
      requests: methodsAndKeysOf(requests).toSorted(),
      stored: Object.keys(await stack().storedWebhooks()).toSorted(),
      existing: stack().service.webhooks.length,
    };
  };
  let refused: Outcome;
  let destroyed: Outcome;

  beforeAll(async () => {
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
    const ofAnother = { DBWEBHOOKS_API_KEY: "key-of-another-account" };
    refused = await destroyAs("--continue-on-error", ofAnother);

    await declare("next-key", false);
    destroyed = await destroyAs("--run-program", { DBWEBHOOKS_LISTING: "false" });
  });

  it("of another account, rotated keys and databases that are gone remove no webhook from the state", () => {
    const stored = Object.keys(webhooks).toSorted();

    expect(refused.exitCode).not.toBe(0);
    expect(refused).toMatchObject({ stored, existing: 2 });
    expect(refused.output).toMatch(/"A wrong key" in .* \[notDeleted\]/);
  });

  it("end with `pulumi destroy --run-program` for a Provider, and lost databases with listing set to false", () => {
    const deletionsWith = (key: string) => Array(2).fill(`DELETE Bearer ${key}`);
    const requests = [...deletionsWith("local-api-key"), ...deletionsWith("next-key")];

    expect(destroyed, destroyed.output).toMatchObject({ exitCode: 0, stored: [], existing: 0 });
    expect(destroyed.requests).toEqual(requests);
  });
});

const unauthorized = () =>
  Response.json({ error: { code: "UNAUTHORIZED", message: "No." } }, { status: 401 });
