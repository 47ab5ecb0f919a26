import { expect, it } from "vitest";
import { notFound, respondWith } from "../helpers/faults/faults.mts";
import { javascriptProgram, type Webhooks, yamlProgram } from "../helpers/programs.ts";
import { methodsAndKeysOf, noPromptFlags, removeFromState, withStack } from "../helpers/stack.ts";

// It follows the heading "A wrong key" in docs/troubleshooting.md. Each webhook has a database of
// its name.

const webhookIn = (databaseId: string, provider = {}) => ({ args: { databaseId }, ...provider });
const webhooks: Webhooks = {
  orders: webhookIn("orders"),
  lost: webhookIn("lost"),
  rotated: webhookIn("rotated", { provider: "account" }),
  lostOfProvider: webhookIn("lostOfProvider", { provider: "listing" }),
};
const apiKeys = ["local-api-key", "next-key", "key-of-another-account"];

it.each([javascriptProgram, yamlProgram])(
  "Wrong keys and lost databases of $name keep webhooks in the state, and the page's steps end that",
  async (program) => {
    await withStack(
      async (stack) => {
        const { service, declare, up, pulumi, storedWebhooks } = stack;
        const declareWith = (apiKey: string, listing: boolean) => {
          const account = { baseUrl: service.baseUrl, apiKey };
          return declare(webhooks, { account, listing: { ...account, listing } });
        };
        const stored = async () => Object.keys(await storedWebhooks()).toSorted();
        await declareWith("local-api-key", true);
        await up();
        const isLost = (databaseId = "") => databaseId.startsWith("lost");
        service.webhooks = service.webhooks.filter(({ databaseId }) => !isLost(databaseId));
        // The database of "lost" is gone, that of "lostOfProvider" has no list, a key has no access to
        // any database, and the service no longer accepts the key of the Provider of "rotated".
        service.use((request, next) => {
          const { databaseId, headers } = request;
          if (isLost(databaseId) || headers.authorization === "Bearer key-of-another-account") {
            return notFound();
          }
          const isOld = headers.authorization === "Bearer local-api-key";
          return databaseId === "rotated" && isOld ? unauthorized(request, next) : next();
        });
        const destroy = ["destroy", ...noPromptFlags];

        const variables = { DBWEBHOOKS_API_KEY: "key-of-another-account" };
        const refused = await pulumi([...destroy, "--continue-on-error"], variables);
        expect(refused.exitCode).not.toBe(0);
        expect(refused.output).toMatch(/"A wrong key" in .* \[notDeleted\]/);
        expect(await stored()).toEqual(Object.keys(webhooks).toSorted());
        expect(service.webhooks).toHaveLength(2);

        await removeFromState(stack, "lost");
        await declareWith("next-key", false);
        const destroyed = await pulumi([...destroy, "--run-program"]);
        expect(destroyed.exitCode, destroyed.output).toBe(0);
        expect(methodsAndKeysOf(destroyed.requests).toSorted()).toEqual([
          "DELETE Bearer local-api-key",
          "DELETE Bearer next-key",
          "DELETE Bearer next-key",
        ]);
        expect([await stored(), service.webhooks]).toEqual([[], []]);
      },
      { program, service: { apiKeys } },
    );
  },
);

const unauthorized = respondWith(401, {
  body: { error: { code: "UNAUTHORIZED", message: "No." } },
});
