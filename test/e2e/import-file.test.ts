import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../helpers/cli.js";
import { createWebhook } from "../helpers/local-service.js";
import { webhookArgs, withStack } from "../helpers/stack.js";

describe("import-file on the real CLI", () => {
  it("writes what pulumi imports: no request, no change afterwards, one deletion at the end", async () => {
    await withStack(async (stack) => {
      const { service, directory, declare, pulumi, outputs, exportText } = stack;
      const webhooks = { orders: "https://example.com/orders", sales: "https://example.com/sales" };
      const file = join(directory, "webhooks-to-import.json");
      const secrets: Record<string, string> = {};
      for (const [name, url] of Object.entries(webhooks)) {
        const body = { url, events: ["record.updated", "record.created"], tableId: "tbl_orders" };
        const { json } = await createWebhook(service, { databaseId: "base_abc123", body });
        secrets[`${name}Secret`] = json.secret;
        const written = await runCli(
          [
            ...["import-file", file, "--name", name, "--id", String(json.id)],
            ...["--database", "base_abc123", "--url", url, "--table", "tbl_orders"],
            ...["--event", "record.updated", "--event", "record.created"],
            ...["--base-url", `${service.baseUrl}/`],
          ],
          {},
          `${json.secret}\n`,
        );
        expect(written.exitCode, written.stderr).toBe(0);
        expect(written.stdout + written.stderr).not.toContain(json.secret);
      }
      service.clearRequests();
      await declare(
        Object.fromEntries(
          Object.entries(webhooks).map(([name, url]) => [
            name,
            { args: webhookArgs({ url, tableId: "tbl_orders" }) },
          ]),
        ),
      );

      const imported = await pulumi([
        ...["import", "--file", file, "--protect=false", "--generate-code=false", "--yes"],
      ]);
      const up = await pulumi(["up", "--yes", "--skip-preview"]);

      expect(imported.exitCode, imported.output).toBe(0);
      expect(up.output).toMatch(/2 unchanged|3 unchanged/);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(await outputs()).toEqual(secrets);
      for (const secret of Object.values(secrets)) {
        for (const text of [imported.output, up.output, await exportText()]) {
          expect(text).not.toContain(secret);
        }
      }
      expect(service.requests).toEqual([]);
      await pulumi(["destroy", "--yes", "--skip-preview"]);
      expect(service.requests.map(({ method }) => method)).toEqual(["DELETE", "DELETE"]);
    });
  });
});
