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
import { unasked, webhookArgs, withStack } from "../helpers/stack.js";

const { type } = yamlProgram;
const url = "https://example.com/path-token";
const names = ["first", "second", "option", "read", "differs"] as const;
const listing = { "dbwebhooks:listing": "true" };

/** A service with webhooks that were created by hand, by name: their ids in Pulumi, and the secrets. */
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
  return { service, ids, secretOf: (name: keyof typeof ids) => secrets[ids[name]], variable };
}

describe("The native plugin", () => {
  it("imports by command and by option, reads, and keeps what has two resources, with all secrets encrypted", async () => {
    const { service, ids, secretOf, variable } = await startServiceWithWebhooks();
    await withStack(
      async ({ configure, declare, directory, outputs, pulumi }) => {
        await configure(listing);
        const printed: string[] = [];
        const run = async (command: string[], isSuccess = true) => {
          const { exitCode, output } = await pulumi(command, variable);
          expect(exitCode === 0, output).toBe(isSuccess);
          printed.push(output);
          return output;
        };
        const args = webhookArgs({ url: { "fn::secret": url } });
        const byCommand = { first: { args }, second: { args } };
        const imported = (name: keyof typeof ids) => ({ args, opts: { import: ids[name] } });
        const resourceOf = (name: string) => ({ type, name, id: ids[name as "first"] });
        await writeJson(join(directory, "import.json"), {
          resources: Object.keys(byCommand).map(resourceOf),
        });

        // The code that Pulumi generates shows the url, whatever the state does.
        const flags = ["--yes", "--protect=false", "--generate-code=false"];
        await run(["import", "--file", "import.json", ...flags]);
        await declare({ ...byCommand, option: imported("option"), again: imported("option") });
        const both = await run(["up", "--yes"]);
        // Pulumi replaces nothing that the option names.
        const other = webhookArgs({ url: { "fn::secret": "https://example.com/other-path" } });
        const differs = { args: other, opts: { import: ids.differs } };
        await declare({ ...byCommand, option: { args }, again: { args }, differs });
        const refused = await run(["up", ...unasked, "--diff"], false);
        const corrected = { ...byCommand, option: { args }, differs: { args } };
        await declare({ ...corrected, again: { args } });
        await run(["preview", "--expect-no-changes"]);
        await declare(corrected);
        const removed = await run(["up", ...unasked, "--json"]);

        expect(both).toContain("= 2 imported");
        const warnings = both.match(/warning: Two resources manage webhook 3 [^\n]*/g) ?? [];
        expect(warnings.length, both).toBeGreaterThanOrEqual(2);
        for (const name of ["option", "again"]) expect(warnings[0]).toContain(`:${type}::${name}`);
        expect(refused).not.toContain("Replacing webhook");
        expect(removed).toContain("Kept webhook 3 of database");
        expect(await outputs()).toEqual({
          firstSecret: secretOf("first"),
          secondSecret: secretOf("second"),
          optionSecret: secretOf("option"),
          differsSecret: secretOf("differs"),
        });

        expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));

        await changeProject(directory, {
          resources: { read: { type: "dbwebhooks:Webhook", get: { id: ids.read } } },
          outputs: { readSecret: interpolated("read.secret"), url: interpolated("read.url") },
        });
        await run(["up", ...unasked]);
        expect(await outputs()).toEqual({ readSecret: secretOf("read"), url });
        await run(["destroy", ...unasked]);
        expect(service.webhooks.map(yamlProgram.idOf)).toEqual([ids.read]);
        // All that the backend holds: states, their copies, histories.
        const stored = Object.values(await textsBelow(join(directory, "..", "state")));
        const texts = [...printed, ...stored];
        expect(texts.join("\n")).not.toMatch(/whsec_|path-token|other-path|local-api-key/);
        for (const { id } of service.webhooks) service.removeWebhook(id);
      },
      { service, program: yamlProgram },
    );
  });

  it("creates and reads through pulumi-dbwebhooks/native with a Provider, of one version only", async () => {
    const { service, ids, secretOf, variable } = await startServiceWithWebhooks();
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
        for (const name of names) service.removeWebhook(Number(ids[name].split("/")[1]));
      },
      { service, program: javascriptProgramOfPlugin, isConfigured: false },
    );
  });
});
