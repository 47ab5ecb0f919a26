import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPage } from "../helpers/markdown.js";
import { javascriptProgramOfPlugin } from "../helpers/programs.js";
import { run } from "../helpers/pulumi.js";
import { readmeBlocks } from "../helpers/readme.js";
import { type TestStack, webhookArgs, withStack } from "../helpers/stack.js";

const [move, check, back] = readmeBlocks(readPage("docs/moving.md"));
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
      async (stack) => {
        const { service, directory, declareText, outputs, pulumi, stateText } = stack;
        const account = {
          DBWEBHOOKS_BASE_URL: service.baseUrl,
          DBWEBHOOKS_API_KEY: service.apiKey,
        };
        const up = async () => {
          const { exitCode, output } = await pulumi(["up", "--yes", "--skip-preview"], account);
          expect(exitCode, output).toBe(0);
        };
        await writeFile(join(directory, "package.json"), '{ "main": "index.js" }');
        await declareText(program("pulumi-dbwebhooks"));
        await up();
        const before = await outputs();
        service.clearRequests();

        await paste(stack, move?.commands, account);
        await declareText(program("pulumi-dbwebhooks/native"));
        const shown = await paste(stack, check?.commands, account);
        await up();

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
        await paste(stack, back?.commands, account);

        expect(await outputs()).toEqual({ ordersSecret: before.ordersSecret });
        expect(service.requests.filter(({ method }) => method === "POST")).toEqual([]);
      },
      { program: javascriptProgramOfPlugin },
    );
  });
});

/** Runs commands of the page in the stack's directory, and returns what they printed. */
async function paste(
  { directory, environment }: TestStack,
  commands: string | undefined,
  account: Record<string, string>,
): Promise<string> {
  const adapted = commands?.replace("urn:pulumi:dev::orders::", "urn:pulumi:test::webhooks::");
  const { exitCode, output } = await run("bash", ["-euo", "pipefail", "-c", adapted ?? "false"], {
    directory,
    environment: {
      ...environment,
      ...account,
      PULUMI_STACK: "test",
      PULUMI_SKIP_CONFIRMATIONS: "true",
    },
  });
  expect(exitCode, output).toBe(0);
  return output;
}
