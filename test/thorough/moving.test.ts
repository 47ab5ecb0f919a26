import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandBlocks } from "../helpers/guide.js";
import { readPage } from "../helpers/markdown.js";
import { succeed } from "../helpers/package.js";
import { javascriptProgramOfPlugin, webhookArgs } from "../helpers/programs.js";
import { withStack } from "../helpers/stack.js";

const [move, check, back] = commandBlocks(readPage("docs/moving.md"));
const program = (entry: string, adopt = "undefined") => `
  const pulumi = require("@pulumi/pulumi");
  const { Webhook, Provider } = require("${entry}");
  const secret = new pulumi.Config().getSecret("ordersWebhookSecret");
  const args = ${JSON.stringify(webhookArgs())};
  const { DBWEBHOOKS_BASE_URL: baseUrl, DBWEBHOOKS_API_KEY: apiKey } = process.env;
  const team = new pulumi.ComponentResource("my:index:Team", "team");
  const orders = new Webhook("orders", { ...args, adopt: ${adopt} }, { protect: false });
  if ("${adopt}" === "undefined") {
    const account = new Provider("account", { baseUrl, apiKey, timeoutSeconds: 20 });
    const opts = { parent: team, provider: account, dependsOn: orders };
    const other = new Webhook("other", { ...args, tableId: "tbl_other" }, opts);
    exports.otherSecret = other.secret;
  }
  exports.ordersSecret = orders.secret;
`;

describe("A stack that moves to the plugin as docs/moving.md says", () => {
  it("keeps its webhooks and their secrets, and comes back", async () => {
    await withStack(
      async ({ service, directory, environment, declareText, outputs, pulumi, stateText, up }) => {
        const account = {
          DBWEBHOOKS_BASE_URL: service.baseUrl,
          DBWEBHOOKS_API_KEY: service.apiKey,
        };
        // Runs commands of the page in the stack's directory, and returns what they printed.
        const paste = async (commands = "false") => {
          const stackOf = { PULUMI_STACK: "test", PULUMI_SKIP_CONFIRMATIONS: "true" };
          const adapted = commands.replace("urn:pulumi:dev::orders", "urn:pulumi:test::webhooks");
          const { output } = await succeed("bash", ["-euo", "pipefail", "-c", adapted], {
            directory,
            environment: { ...environment, ...account, ...stackOf },
          });
          return output;
        };
        await writeFile(join(directory, "package.json"), '{ "main": "index.js" }');
        await declareText(program("pulumi-dbwebhooks"));
        await up(account);
        const before = await outputs();
        service.clearRequests();

        await paste(move?.commands);
        await declareText(program("pulumi-dbwebhooks/native"));
        const shown = await paste(check?.commands);
        await up(account);

        expect(shown).not.toMatch(/Webhook .* (create|delete|replace)/);
        expect(await outputs()).toEqual(before);
        const files = ["before.json", "after.json"].map((name) => readFile(join(directory, name)));
        const texts = [shown, await stateText(), ...(await Promise.all(files)).map(String)];
        for (const secret of Object.values(before)) {
          expect(texts.join("\n")).not.toContain(secret);
        }
        expect(service.requests).toEqual([]);

        const { id } = service.webhooks.find(({ secret }) => secret === before.ordersSecret) ?? {};
        await declareText(program("pulumi-dbwebhooks", `{ id: ${id}, secret }`));
        // Of two webhooks, the other one is deleted.
        await pulumi(["destroy", "--yes", "--target", "**other"], account);
        await paste(back?.commands);

        expect(await outputs()).toEqual({ ordersSecret: before.ordersSecret });
        expect(service.requests.filter(({ method }) => method === "POST")).toEqual([]);
      },
      { program: javascriptProgramOfPlugin },
    );
  });
});
