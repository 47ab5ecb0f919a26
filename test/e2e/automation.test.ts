import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import { Webhook } from "pulumi-dbwebhooks";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../helpers/directory.js";
import { stackEnvironment } from "../helpers/pulumi.js";

describe("Webhook in an inline program of the Automation API", () => {
  it("is created, kept and deleted, with a warning about each odd key of the configuration", async () => {
    await using service = await startLocalService();
    await withDirectory(async (directory) => {
      const stack = await LocalWorkspace.createOrSelectStack(
        {
          stackName: "test",
          projectName: "inline",
          program: async () => {
            const orders = new Webhook("orders", {
              databaseId: "base_abc123",
              url: "https://example.com/hooks/orders",
              events: ["record.created"],
            });
            return { ordersSecret: orders.secret };
          },
        },
        { envVars: await stackEnvironment(directory) },
      );
      await stack.setAllConfig({
        "dbwebhooks:baseUrl": { value: service.baseUrl },
        "dbwebhooks:apiKey": { value: service.apiKey },
        "dbwebhooks:timeoutSecond": { value: "5" },
      });

      const runs = [await stack.up(), await stack.up()];
      const [webhook] = service.webhooks;
      await stack.destroy({ remove: true });

      expect(runs.map(({ summary }) => summary.resourceChanges)).toEqual([
        { create: 2 },
        { same: 2 },
      ]);
      for (const { outputs, stdout } of runs) {
        expect(outputs.ordersSecret).toEqual({ value: webhook?.secret, secret: true });
        // Once in every run, although one process runs them all.
        const diagnostics = stdout.slice(stdout.indexOf("Diagnostics:"));
        expect(diagnostics.match(/\bdbwebhooks:timeoutSecond: /g)).toHaveLength(1);
        expect(diagnostics.match(/config set --secret dbwebhooks:apiKey/g)).toHaveLength(1);
      }
      expect(service.counts).toMatchObject({ posts: 1, deletes: 1, created: 1, deleted: 1 });
    });
  });
});
