import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { textsBelow, writeJson } from "../helpers/directory.js";
import {
  javascriptPluginProgram,
  reference,
  type Webhooks,
  webhookArgs,
  writeYamlProject,
  yamlProgram,
} from "../helpers/programs.js";
import { type ExistingWebhook, noPromptFlags, shareStack, withStack } from "../helpers/stack.js";

const { type } = yamlProgram;
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
  const printed: string[] = [];
  const run = async (...command: string[]) => {
    const result = await stack().pulumi(command, secretsOf(existing));
    printed.push(result.output);
    return result;
  };
  const withSecretUrl = { args: { url }, hasSecretUrl: true };
  const byCommandAndOption: Webhooks = { byCommand: withSecretUrl, byOption: withSecretUrl };

  beforeAll(async () => {
    const { service, configure, createByHand } = stack();
    for (let count = 0; count < 4; count++) existing.push(await createByHand({ url }));
    service.clearRequests();
    await configure({ "dbwebhooks:listing": "true" });
  });

  it("imports by command", async () => {
    const resources = [{ type, name: "byCommand", id: idOf(existing[0]) }];
    await writeJson(join(stack().directory, "import.json"), { resources });
    // The code that Pulumi generates shows the url, whatever the state does.
    const flags = ["--yes", "--protect=false", "--generate-code=false"];

    const { exitCode, output } = await run("import", "--file", "import.json", ...flags);

    expect(exitCode, output).toBe(0);
    expect((await stack().storedWebhooks()).byCommand?.id).toBe(idOf(existing[0]));
  });

  it("imports by option, and warns about two resources with one webhook", async () => {
    const byOption = { ...withSecretUrl, opts: { import: idOf(existing[1]) } };
    await stack().declare({ byCommand: withSecretUrl, byOption, again: byOption });

    const { output } = await run("up", "--yes");

    expect(output).toContain("= 2 imported");
    expect(output).toMatch(/warning: .*resources manage webhook 2 /);
  });

  it("replaces no webhook whose import fails because the arguments differ", async () => {
    const mismatched = {
      args: { url: "https://example.com/other-path" },
      hasSecretUrl: true,
      opts: { import: idOf(existing[2]) },
    };
    await stack().declare({ ...byCommandAndOption, again: withSecretUrl, mismatched });

    const { exitCode, output } = await run("up", ...noPromptFlags, "--diff");

    expect(exitCode).not.toBe(0);
    expect(output).not.toContain("Replacing webhook");
  });

  it("changes nothing when the arguments are corrected, and keeps a webhook that another resource has", async () => {
    // Pulumi has stored the webhook although its import failed.
    await stack().declare({ ...byCommandAndOption, mismatched: withSecretUrl });

    // For a YAML program `--json` shows no secrets, as the last test shows.
    const { exitCode, output } = await run("up", ...noPromptFlags, "--json");

    expect(exitCode, output).toBe(0);
    expect(output).toMatch(/warning: .*\bwebhook 2 of database/);
    expect(await stack().outputs()).toEqual({
      byCommandSecret: existing[0]?.secret,
      byOptionSecret: existing[1]?.secret,
      mismatchedSecret: existing[2]?.secret,
    });
    expect(new Set(stack().service.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  it("reads a webhook that it does not manage, and leaves it alone when the stack is destroyed", async () => {
    const read = existing[3];
    await writeYamlProject(stack().directory, {
      resources: { read: { type: "dbwebhooks:Webhook", get: { id: idOf(read) } } },
      outputs: { readSecret: reference("read.secret"), url: reference("read.url") },
    });

    await run("up", ...noPromptFlags);
    const outputs = await stack().outputs();
    await run("destroy", ...noPromptFlags);

    expect(outputs).toEqual({ readSecret: read?.secret, url });
    expect(stack().service.webhooks.map(yamlProgram.idOf)).toEqual([idOf(read)]);
    stack().service.removeWebhook(read?.id ?? 0);
  });

  it("prints and stores no secret in clear text, in states, their copies and the history", async () => {
    const stored = await textsBelow(stack().stateDirectory);

    const texts = [...printed, ...Object.values(stored)].join("\n");

    expect(texts).not.toMatch(/whsec_|path-token|other-path|local-api-key/);
  });
});

describe("pulumi-dbwebhooks/native", () => {
  it("creates and reads webhooks with a Provider, without a secret in clear text", async () => {
    const options = {
      program: javascriptPluginProgram,
      service: { listing: true },
      isConfigured: false,
    };
    await withStack(async ({ service, createByHand, outputs, pulumi, stateText, writeProgram }) => {
      const existing = await createByHand({ url });
      const { baseUrl, apiKey } = service;
      const formerBaseUrls = ["https://old.example.com"];
      const account = { baseUrl, apiKey, formerBaseUrls, listing: true, timeoutSeconds: 20 };
      await writeProgram(`
        const { Webhook, Provider } = require("pulumi-dbwebhooks/native");
        const provider = new Provider("account", ${JSON.stringify(account)});
        const created = new Webhook("created", ${JSON.stringify(webhookArgs())}, { provider });
        const read = Webhook.get("read", "${idOf(existing)}", { provider });
        const pick = (webhook, ...keys) => Object.fromEntries(keys.map((key) => [key, webhook[key]]));
        exports.created = pick(created, "secret", "id", "webhookId", "url", "baseUrl");
        exports.read = pick(read, "secret", "id", "webhookId", "databaseId", "events", "tableId");
      `);

      const { exitCode, output } = await pulumi(["up", ...noPromptFlags], secretsOf([existing]));

      expect(exitCode, output).toBe(0);
      const created = service.webhooks.at(-1);
      expect(await outputs()).toEqual({
        created: {
          secret: created?.secret,
          id: `base_abc123/${created?.id}`,
          webhookId: String(created?.id),
          url: webhookArgs().url,
          baseUrl,
        },
        read: {
          secret: existing.secret,
          id: idOf(existing),
          webhookId: String(existing.id),
          databaseId: "base_abc123",
          events: created?.events,
        },
      });
      expect(output + (await stateText())).not.toMatch(/whsec_|path-token|local-api-key/);
      service.removeWebhook(existing.id);
    }, options);
  });
});
