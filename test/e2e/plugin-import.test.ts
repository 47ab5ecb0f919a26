import { join } from "node:path";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { textsBelow, writeJson } from "../helpers/directory.js";
import { createWebhook } from "../helpers/local-service.js";
import {
  changeProject,
  interpolated,
  javascriptProgramOfPlugin,
  yamlProgram,
} from "../helpers/programs.js";
import { shareStack, unasked, webhookArgs, withStack } from "../helpers/stack.js";

const { type } = yamlProgram;
const url = "https://example.com/path-token";
const names = ["first", "second", "option", "read", "differs"] as const;
const listing = { "dbwebhooks:listing": "true" };

/** Starts a service with webhooks that were created by hand; `variable` has their secrets by id. */
async function startServiceWithWebhooks() {
  const service = await startLocalService({ listing: true });
  const { databaseId, ...body } = webhookArgs({ url }) as { databaseId: string };
  const ids = {} as Record<(typeof names)[number], string>;
  const secrets: Record<string, string> = {};
  for (const name of names) {
    const { json } = await createWebhook(service, { databaseId, body });
    ids[name] = `${databaseId}/${json.id}`;
    secrets[ids[name]] = json.secret;
  }
  service.clearRequests();
  const variable = { DBWEBHOOKS_IMPORT_SECRET: JSON.stringify(secrets) };
  /** Removes those of the webhooks that no stack has deleted. */
  const removeAll = () => {
    const byHand = Object.values(ids);
    const left = service.webhooks.filter((webhook) => byHand.includes(yamlProgram.idOf(webhook)));
    for (const { id } of left) service.removeWebhook(id);
  };
  const secretOf = (name: keyof typeof ids) => secrets[ids[name]];
  return { service, ids, secretOf, variable, removeAll };
}

type Imported = Awaited<ReturnType<typeof startServiceWithWebhooks>>;

describe("The native plugin, given the secrets of existing webhooks,", () => {
  let imported: Imported;
  const stack = shareStack({
    program: yamlProgram,
    startService: async () => {
      imported = await startServiceWithWebhooks();
      return imported.service;
    },
  });
  const printed: string[] = [];
  const run = async (...command: string[]) => {
    const result = await stack().pulumi(command, imported.variable);
    printed.push(result.output);
    return result;
  };
  const args = webhookArgs({ url: { "fn::secret": url } });
  const byCommand = { first: { args }, second: { args } };
  const byOption = (name: keyof Imported["ids"]) => ({
    args,
    opts: { import: imported.ids[name] },
  });

  it("imports by command", async () => {
    await stack().configure(listing);
    const resources = (["first", "second"] as const).map((name) => {
      return { type, name, id: imported.ids[name] };
    });
    await writeJson(join(stack().directory, "import.json"), { resources });
    // The code that Pulumi generates shows the url, whatever the state does.
    const flags = ["--yes", "--protect=false", "--generate-code=false"];

    const { exitCode, output } = await run("import", "--file", "import.json", ...flags);

    expect(exitCode, output).toBe(0);
    const stored = await stack().resources();
    expect([stored.first?.id, stored.second?.id]).toEqual(resources.map(({ id }) => id));
  });

  it("imports by option, and warns about two resources with one webhook", async () => {
    await stack().declare({
      ...byCommand,
      option: byOption("option"),
      again: byOption("option"),
    });

    const { output } = await run("up", "--yes");

    expect(output).toContain("= 2 imported");
    const warnings = output.match(/warning: 2 resources manage webhook 3 [^\n]*/g) ?? [];
    expect(warnings.length, output).toBeGreaterThanOrEqual(2);
    expect(warnings[0]).toContain(`:${type}::option`);
    expect(warnings[0]).toContain(`:${type}::again`);
  });

  it("replaces no webhook whose import fails because the arguments differ", async () => {
    const otherUrl = { "fn::secret": "https://example.com/other-path" };
    const differs = {
      args: webhookArgs({ url: otherUrl }),
      opts: { import: imported.ids.differs },
    };
    await stack().declare({ ...byCommand, option: { args }, again: { args }, differs });

    const { exitCode, output } = await run("up", ...unasked, "--diff");

    expect(exitCode).not.toBe(0);
    expect(output).not.toContain("Replacing webhook");
  });

  it("leaves nothing to change when the arguments are corrected", async () => {
    const corrected = { ...byCommand, option: { args }, again: { args }, differs: { args } };
    await stack().declare(corrected);

    const { exitCode, output } = await run("preview", "--expect-no-changes");

    expect(exitCode, output).toBe(0);
  });

  it("keeps a webhook that another resource still has", async () => {
    await stack().declare({ ...byCommand, option: { args }, differs: { args } });

    const { exitCode, output } = await run("up", ...unasked, "--json");

    expect(exitCode, output).toBe(0);
    expect(output).toContain("Did not delete webhook 3 of database");
    expect(await stack().outputs()).toEqual({
      firstSecret: imported.secretOf("first"),
      secondSecret: imported.secretOf("second"),
      optionSecret: imported.secretOf("option"),
      differsSecret: imported.secretOf("differs"),
    });
    expect(new Set(stack().service.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  it("reads a webhook that it does not manage, and destroy leaves that alone", async () => {
    const { ids, secretOf } = imported;
    await changeProject(stack().directory, {
      resources: { read: { type: "dbwebhooks:Webhook", get: { id: ids.read } } },
      outputs: { readSecret: interpolated("read.secret"), url: interpolated("read.url") },
    });

    await run("up", ...unasked);
    const outputs = await stack().outputs();
    await run("destroy", ...unasked);

    expect(outputs).toEqual({ readSecret: secretOf("read"), url });
    expect(stack().service.webhooks.map(yamlProgram.idOf)).toEqual([ids.read]);
    imported.removeAll();
  });

  it("prints and stores no secret in clear text, in states, their copies and the history", async () => {
    const stored = await textsBelow(join(stack().directory, "..", "state"));

    const texts = [...printed, ...Object.values(stored)].join("\n");

    expect(texts).not.toMatch(/whsec_|path-token|other-path|local-api-key/);
  });
});

describe("pulumi-dbwebhooks/native", () => {
  it("creates and reads with a Provider, and refuses a plugin of another version", async () => {
    const { service, ids, secretOf, variable, removeAll } = await startServiceWithWebhooks();
    await withStack(
      async ({ declareText, pulumi, outputs, stateText }) => {
        const upOf = async (pluginVersion: string) => {
          const { baseUrl, apiKey } = service;
          const formerBaseUrls = ["https://old.example.com"];
          const account = { baseUrl, apiKey, formerBaseUrls, listing: true, timeoutSeconds: 20 };
          await declareText(`
            const { Webhook, Provider } = require("pulumi-dbwebhooks/native");
            const opts = { version: "${pluginVersion}" };
            const provider = new Provider("account", ${JSON.stringify(account)}, opts);
            const orders = new Webhook("orders", ${JSON.stringify(webhookArgs())}, { provider });
            const read = Webhook.get("read", "${ids.read}", { provider });
            exports.secrets = [orders.secret, read.secret];
            exports.orders = [orders.id, orders.webhookId, orders.url, orders.baseUrl];
            exports.read = [read.id, read.webhookId, read.databaseId, read.events, read.tableId];
          `);
          return await pulumi(["up", ...unasked], variable);
        };
        const otherVersion = await upOf("0.0.9");
        const sentToOther = service.requests.length;
        const { exitCode, output } = await upOf(version);

        expect([otherVersion.exitCode === 0, sentToOther]).toEqual([false, 0]);
        expect(otherVersion.output).toMatch(new RegExp(`\\b0\\.0\\.9 .*\\b${version}\\b`));
        expect(exitCode, output).toBe(0);
        const { id, secret, events } = service.webhooks.at(-1) ?? {};
        const { url: declaredUrl } = webhookArgs() as { url: string };
        expect(await outputs()).toEqual({
          secrets: [secret, secretOf("read")],
          orders: [`base_abc123/${id}`, String(id), declaredUrl, service.baseUrl],
          read: [ids.read, ids.read.split("/")[1], "base_abc123", events, null],
        });
        for (const text of [output, await stateText()]) {
          expect(text).not.toMatch(/whsec_|path-token|local-api-key/);
        }
        removeAll();
      },
      { service, program: javascriptProgramOfPlugin, isConfigured: false },
    );
  });
});
