import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { succeed } from "../helpers/commands.ts";
import { type CommandBlock, commandBlocks } from "../helpers/guide.ts";
import { readPage } from "../helpers/markdown.ts";
import { javascriptPluginProgram, webhookArgs } from "../helpers/programs.ts";
import { shareStack } from "../helpers/stack.ts";

const [moveBlock, checkBlock, returnBlock] = commandBlocks(readPage("docs/moving.md"));

const preambleOf = (entry: string) => `
  const pulumi = require("@pulumi/pulumi");
  const { Webhook, Provider } = require("${entry}");
  const args = ${JSON.stringify(webhookArgs())};
`;
/**
 * Two webhooks, one of them in a component and with an explicit provider. The plugin stores the number among the
 * arguments of this provider in another form.
 */
const programWithTwoWebhooks = (entry: string) => `${preambleOf(entry)}
  const { DBWEBHOOKS_BASE_URL: baseUrl, DBWEBHOOKS_API_KEY: apiKey } = process.env;
  const orders = new Webhook("orders", args);
  const parent = new pulumi.ComponentResource("my:index:Team", "team");
  const provider = new Provider("account", { baseUrl, apiKey, timeoutSeconds: 20 });
  const otherArgs = { ...args, tableId: "tbl_other" };
  const other = new Webhook("other", otherArgs, { parent, provider, dependsOn: orders });
  exports.ordersSecret = orders.secret;
  exports.otherSecret = other.secret;
`;
const programThatAdopts = (id: number | undefined) => `${preambleOf("pulumi-dbwebhooks")}
  const secret = new pulumi.Config().requireSecret("ordersWebhookSecret");
  exports.ordersSecret = new Webhook("orders", { ...args, adopt: { id: ${id}, secret } }).secret;
`;

describe("A stack that moves to the plugin as docs/moving.md says", () => {
  const stack = shareStack({ program: javascriptPluginProgram });
  let before: Record<string, unknown>;
  const account = () => ({
    DBWEBHOOKS_BASE_URL: stack().service.baseUrl,
    DBWEBHOOKS_API_KEY: stack().service.apiKey,
  });
  /** Runs commands of the page in the stack's directory, and returns what they print. */
  const paste = async (block: CommandBlock | undefined) => {
    const { directory, environment: stackVariables } = stack();
    const selection = { PULUMI_STACK: "test", PULUMI_SKIP_CONFIRMATIONS: "true" };
    const environment = { ...stackVariables, ...account(), ...selection };
    const commands = block?.commands.replace("pulumi:dev::orders", "pulumi:test::webhooks");
    const shell = ["-euo", "pipefail", "-c", commands ?? "false"];
    return (await succeed("bash", shell, { directory, environment })).output;
  };

  beforeAll(async () => {
    const { service, writeProgram, outputs, up } = stack();
    await writeProgram(programWithTwoWebhooks("pulumi-dbwebhooks"));
    await up(account());
    before = await outputs();
    service.clearRequests();
  });

  it("keeps its webhooks and their secrets, which no file has in clear text", async () => {
    const { service, directory, writeProgram, outputs, storedText, up } = stack();

    await paste(moveBlock);
    await writeProgram(programWithTwoWebhooks("pulumi-dbwebhooks/native"));
    const shown = await paste(checkBlock);
    await up(account());

    expect(shown).not.toMatch(/Webhook .* (create|delete|replace)/);
    expect(await outputs()).toEqual(before);
    expect(service.requests).toEqual([]);
    const read = (name: string) => readFile(join(directory, name), "utf8");
    const texts = [shown, await storedText(), await read("before.json"), await read("after.json")];
    expect(texts.join()).not.toContain("whsec_");
  });

  it("comes back by adoption, with the same secret and without a creation", async () => {
    const { service, writeProgram, outputs, pulumi } = stack();
    const orders = service.webhooks.find(({ secret }) => secret === before.ordersSecret);
    await writeProgram(programThatAdopts(orders?.id));
    // "pulumi state delete" refuses a webhook that another resource depends on.
    await pulumi(["destroy", "--yes", "--target", "**other"], account());
    service.clearRequests();

    await paste(returnBlock);

    expect(await outputs()).toEqual({ ordersSecret: before.ordersSecret });
    expect(service.requests).toEqual([]);
    expect(service.webhooks).toEqual([orders]);
  });
});
