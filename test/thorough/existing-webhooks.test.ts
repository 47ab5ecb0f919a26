import { expect, it } from "vitest";
import { someArgs } from "../helpers/builders.ts";
import { succeed } from "../helpers/commands.ts";
import { commandBlocks } from "../helpers/guide.ts";
import { codeBlocks, readPage, sectionOf } from "../helpers/markdown.ts";
import { javascriptPluginProgram } from "../helpers/programs.ts";
import { recordRequests } from "../helpers/recorder.mts";
import { withStack } from "../helpers/stack.ts";

const page = readPage("docs/existing-webhooks.md");
const [importLine] = codeBlocks(sectionOf(page, "Move to the other provider"));
const entry = /"(.+)"/.exec(importLine?.text ?? "")?.[1] ?? "";
const [commandsOfSplit = ""] = commandBlocks(sectionOf(page, "Split a stack")).map(
  ({ commands }) => commands,
);

const programWith = (name: string) => `
  const { Webhook } = require("${name}");
  const args = ${JSON.stringify(someArgs({ tableId: "tbl_orders" }))};
  exports.ordersSecret = new Webhook("orders", args).secret;
`;

it("docs/existing-webhooks.md moves a webhook to the plugin and to another stack without a request", async () => {
  await withStack(
    async ({ service, directory, environment, writeProgram, allResources, outputs, up }) => {
      const variables = { PULUMI_STACK: "test", PULUMI_SKIP_CONFIRMATIONS: "true" };
      const options = { directory, environment: { ...environment, ...variables } };
      await writeProgram(programWith("pulumi-dbwebhooks"));
      await up();
      const [webhook] = service.webhooks;
      const recorder = recordRequests(service);

      await writeProgram(programWith(entry));
      await up();
      const secrets = await outputs();
      const resources = await allResources();
      const { urn = "" } = resources.find((one) => one.urn.endsWith("Webhook::orders")) ?? {};
      await succeed("pulumi", ["stack", "init", "other", "--no-select"], options);
      await succeed("cp", ["Pulumi.test.yaml", "Pulumi.other.yaml"], options);
      const text = commandsOfSplit
        .replace(/'urn:[^']+'/, `'${urn}'`)
        .replace("--source dev --dest other", "--source test --dest other");
      await succeed("bash", ["-euo", "pipefail", "-c", text], options);
      const inOther = {
        ...options,
        environment: { ...options.environment, PULUMI_STACK: "other" },
      };
      await succeed("pulumi", ["up", "--yes", "--skip-preview"], inOther);
      recorder.stop();
      const args = ["stack", "output", "ordersSecret", "--show-secrets"];
      const { stdout } = await succeed("pulumi", args, inOther);
      // The helper destroys the first stack.
      await succeed("pulumi", ["destroy", "--yes"], inOther);

      expect(entry).toBe("pulumi-dbwebhooks/native");
      expect(urn).toContain("::dbwebhooks:index:Webhook::");
      expect(secrets).toEqual({ ordersSecret: webhook?.secret });
      expect(stdout.trim()).toBe(webhook?.secret);
      expect(recorder.requests).toEqual([]);
    },
    { program: javascriptPluginProgram },
  );
});
