import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { writeJson } from "../helpers/directory.ts";
import { javascriptPluginProgram, webhookArgs, yamlProgram } from "../helpers/programs.ts";
import { type ExistingWebhook, noPromptFlags, shareStack, withStack } from "../helpers/stack.ts";

const url = "https://example.com/path-token";

/** The id by which Pulumi knows an existing webhook. */
const idOf = (webhook: ExistingWebhook | undefined) => `base_abc123/${webhook?.id}`;

/** The variable from which an import takes the secrets. */
function secretsOf(webhooks: readonly ExistingWebhook[]) {
  const secrets = Object.fromEntries(webhooks.map((webhook) => [idOf(webhook), webhook.secret]));
  return { DBWEBHOOKS_IMPORT_SECRET: JSON.stringify(secrets) };
}

describe("The native plugin, given the secrets of existing webhooks,", () => {
  const stack = shareStack({ program: yamlProgram, service: { listing: true } });
  const existing: ExistingWebhook[] = [];
  let printed = "";
  const run = async (...command: string[]) => {
    const result = await stack().pulumi(command, secretsOf(existing));
    printed += result.output;
    return result;
  };
  const imported = { args: { url }, hasSecretUrl: true };
  const importing = (webhook: ExistingWebhook | undefined, changes = {}) => {
    return { args: { url, ...changes }, hasSecretUrl: true, opts: { import: idOf(webhook) } };
  };

  beforeAll(async () => {
    const { service, configure, createByHand } = stack();
    for (let count = 0; count < 3; count++) existing.push(await createByHand({ url }));
    service.clearRequests();
    await configure({ "dbwebhooks:listing": "true" });
  });

  it("imports by command", async () => {
    const resources = [{ type: yamlProgram.type, name: "byCommand", id: idOf(existing[0]) }];
    await writeJson(join(stack().directory, "import.json"), { resources });
    // Pulumi would print code that contains the url, although the state encrypts it.
    const flags = ["--yes", "--protect=false", "--generate-code=false"];

    const { exitCode, output } = await run("import", "--file", "import.json", ...flags);

    expect(exitCode, output).toBe(0);
    expect((await stack().storedWebhooks()).byCommand?.id).toBe(idOf(existing[0]));
  });

  it("imports by option", async () => {
    const byOption = importing(existing[1]);
    await stack().declare({ byCommand: imported, byOption });

    const { output } = await run("up", ...noPromptFlags);

    expect(output).toContain("= 1 imported");
  });

  it("replaces no webhook whose import fails because the arguments differ", async () => {
    const mismatched = importing(existing[2], { url: "https://example.com/other-path" });
    await stack().declare({ byCommand: imported, byOption: imported, mismatched });

    // --diff also prints the arguments: the last test shows that it prints no secret.
    const { exitCode, output } = await run("up", ...noPromptFlags, "--diff");

    expect(exitCode).not.toBe(0);
    expect(output).toMatch(
      `differ about webhook ${existing[2]?.id} of database base_abc123: url. `,
    );
    expect(stack().service.requests.map(({ method }) => method)).not.toContain("POST");
  });

  it("changes nothing when the arguments are corrected", async () => {
    // Pulumi has stored the webhook although its import failed.
    await stack().declare({ byCommand: imported, byOption: imported, mismatched: imported });

    // SECURITY.md promises that --json prints no secret of a YAML program: the last test checks it.
    const { exitCode, output } = await run("up", ...noPromptFlags, "--json");

    expect(exitCode, output).toBe(0);
    expect(await stack().outputs()).toEqual({
      byCommandSecret: existing[0]?.secret,
      byOptionSecret: existing[1]?.secret,
      mismatchedSecret: existing[2]?.secret,
    });
    expect(new Set(stack().service.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  it("prints and stores no secret in clear text, in states, their copies and the history", async () => {
    const texts = printed + (await stack().storedText());

    expect(texts).not.toMatch(/whsec_|path-token|other-path|local-api-key/);
  });
});

it("pulumi-dbwebhooks/native creates webhooks with a Provider that has arguments of every type", async () => {
  const program = javascriptPluginProgram;
  const options = { program, service: { listing: true }, isConfigured: false };
  await withStack(async ({ service, outputs, pulumi, storedText, writeProgram }) => {
    const { baseUrl, apiKey } = service;
    // An argument of every type.
    const account = { baseUrl, apiKey, listing: true, timeoutSeconds: 20 };
    await writeProgram(`
      const { Webhook, Provider } = require("pulumi-dbwebhooks/native");
      const provider = new Provider("account", ${JSON.stringify(account)});
      const created = new Webhook("created", ${JSON.stringify(webhookArgs())}, { provider });
      const pick = (webhook, ...keys) => Object.fromEntries(keys.map((key) => [key, webhook[key]]));
      exports.created = pick(created, "secret", "id", "webhookId", "url", "baseUrl");
    `);

    const { exitCode, output } = await pulumi(["up", ...noPromptFlags]);
    const created = service.webhooks.at(-1);
    const shown = await outputs();
    await pulumi(["destroy", ...noPromptFlags]);

    expect(exitCode, output).toBe(0);
    expect(shown).toEqual({
      created: {
        secret: created?.secret,
        id: `base_abc123/${created?.id}`,
        webhookId: String(created?.id),
        url: webhookArgs().url,
        baseUrl,
      },
    });
    expect(output + (await storedText())).not.toMatch(/whsec_|path-token|local-api-key/);
    expect(service.webhooks).toEqual([]);
  }, options);
});
