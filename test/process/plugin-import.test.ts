import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { apiKey, someArgs } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { kindOf } from "../helpers/kind-of.js";
import { createWebhook } from "../helpers/local-service.js";
import type { ProviderProcess } from "../helpers/shells/grpc-provider.js";
import { startPlugin } from "../helpers/shells/native-shell.js";

// What may be imported, and what is said otherwise, is in unit/import.test.ts. Here is what travels.

const inputs = someArgs();
const id = "base_abc123/1";
const marked = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

/** A plugin whose service has one webhook that Pulumi does not know, and that webhook's secret. */
async function withWebhook(
  use: (plugin: ProviderProcess, secret: string, baseUrl: string) => Promise<void>,
): Promise<void> {
  await using service = await startLocalService({ listing: true, apiKeys: [apiKey] });
  const { databaseId, ...body } = inputs;
  await createWebhook(service, { databaseId: String(databaseId), body });
  const { secret = "" } = service.webhooks[0] ?? {};
  await using plugin = await startPlugin(
    { baseUrl: service.baseUrl, apiKey, listing: "true", retrySeconds: "0" },
    { DBWEBHOOKS_IMPORT_SECRET: secret },
  );
  await use(plugin, secret, service.baseUrl);
}

describe("An import", () => {
  it("gives url and secret as secrets, also where the check gives the arguments back", async () => {
    await withWebhook(async (plugin, secret, baseUrl) => {
      const imported = await plugin.import(id);
      const checked = await plugin.check(inputs, inputs);
      const diff = await plugin.diff(id, { ...inputs, baseUrl, secret }, inputs);

      const url = marked(inputs.url);
      expect(imported).toEqual({
        id,
        inputs: { ...inputs, url },
        props: { ...inputs, url, baseUrl, webhookId: "1", secret: marked(secret) },
      });
      expect(checked).toEqual({ inputs: { ...inputs, url }, failures: [] });
      expect(diff).toMatchObject({ changes: 1, diffsList: [] });
    });
  });

  it("is looked up for a program that only reads it, whatever state the program gives", async () => {
    await withWebhook(async (plugin, secret, baseUrl) => {
      const { props } = await plugin.read(id, { baseUrl });

      expect(props).toMatchObject({ url: marked(inputs.url), secret: marked(secret) });
    });
  });

  it("that fails advises to take the webhook over, but not to a program that only reads it", async () => {
    await withWebhook(async (plugin, secret) => {
      const errors = await Promise.all([
        errorOf(plugin.import("base_abc123/2")),
        errorOf(plugin.read("base_abc123/2", {})),
      ]);

      expect(errors.map(kindOf)).toEqual(["notImported", "notImported"]);
      expect(errors.map(({ message }) => message.includes("adopt"))).toEqual([true, false]);
      expect(errors.join()).not.toContain(secret);
    });
  });
});
