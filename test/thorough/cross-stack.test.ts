import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { run, succeed } from "../helpers/commands.ts";
import { writeJson } from "../helpers/directory.ts";
import { withExample } from "../helpers/example.ts";
import { javascriptPluginProgram, reference, yamlProgram } from "../helpers/programs.ts";
import { noPromptFlags, withStack } from "../helpers/stack.ts";

it("The consumer of examples/cross-stack fails if Pulumi cannot decrypt the secret of the producer", async () => {
  await using service = await startLocalService();
  await withExample("cross-stack", async ({ directory, environment }) => {
    const producer = {
      directory: `${directory}/producer`,
      environment: {
        ...environment,
        DBWEBHOOKS_BASE_URL: service.baseUrl,
        DBWEBHOOKS_API_KEY: service.apiKey,
      },
    };
    const consumer = {
      directory: `${directory}/consumer`,
      environment: { ...environment, PULUMI_CONFIG_PASSPHRASE: "another" },
    };
    await succeed("pulumi", ["stack", "init", "dev"], producer);
    await succeed("pulumi", ["up", ...noPromptFlags], producer);
    await succeed("pulumi", ["stack", "init", "dev"], consumer);

    const { exitCode, output } = await run("pulumi", ["up", ...noPromptFlags], consumer);

    expect(exitCode, output).not.toBe(0);
    expect(output).toContain("Pulumi cannot decrypt it");
    await succeed("pulumi", ["destroy", ...noPromptFlags], producer);
  });
});

const consumerProgram = `
const { StackReference } = require("@pulumi/pulumi");
require("pulumi-dbwebhooks/native");
// Pulumi's SDK resolves every output of the other stack.
const producer = new StackReference("organization/webhooks/test");
exports.orders = producer.requireOutput("orders");
exports.ordersSecret = producer.requireOutput("ordersSecret");
`;

it("A consumer of a stack that exports a whole webhook of the plugin runs, and gets its id as text", () =>
  withStack(
    async ({ declare, directory, environment, outputs, storedWebhooks, up }) => {
      await declare({ orders: {} });
      const projectFile = join(directory, "Pulumi.yaml");
      const project = parse(await readFile(projectFile, "utf8"));
      const exported = { ...project.outputs, orders: reference("orders") };
      await writeJson(projectFile, { ...project, outputs: exported });
      await up();
      const consumer = { directory: join(dirname(directory), "consumer"), environment };
      await mkdir(consumer.directory);
      await javascriptPluginProgram.write(consumer.directory);
      await writeFile(join(consumer.directory, "index.js"), consumerProgram);
      await succeed("pulumi", ["stack", "init", "consumer"], consumer);
      await succeed("pulumi", ["up", ...noPromptFlags], consumer);

      const printOutputs = ["stack", "output", "--json", "--show-secrets"];
      const { stdout } = await succeed("pulumi", printOutputs, consumer);

      const { id } = (await storedWebhooks()).orders ?? {};
      const { ordersSecret } = await outputs();
      expect(JSON.parse(stdout)).toEqual({ orders: id, ordersSecret });
    },
    { program: yamlProgram },
  ));
