import { existsSync } from "node:fs";
import { join } from "node:path";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect, it } from "vitest";
import { succeed } from "../helpers/commands.ts";
import { repository, withDirectory, writeFiles } from "../helpers/directory.ts";
import { countsOf } from "../helpers/faults/faults.mts";
import { packedDependencies } from "../helpers/package.ts";
import { webhookArgs } from "../helpers/programs.ts";
import { stackEnvironment } from "../helpers/pulumi.ts";
import { noPromptFlags } from "../helpers/stack.ts";

const program = `
const { Webhook } = require("pulumi-dbwebhooks");
exports.ordersSecret = new Webhook("orders", ${JSON.stringify(webhookArgs())}).secret;
`;

it("The packed package works with Yarn Plug'n'Play", async () => {
  await using service = await startLocalService();
  await withDirectory(async (root) => {
    const directory = join(root, "program");
    const environment = {
      ...(await stackEnvironment(root)),
      ...(await yarnEnvironment()),
      DBWEBHOOKS_BASE_URL: service.baseUrl,
      DBWEBHOOKS_API_KEY: service.apiKey,
    };
    const dependencies = await packedDependencies(root);
    await writeFiles(directory, {
      "Pulumi.yaml": "name: yarn\nruntime: nodejs\n",
      "index.js": program,
      "package.json": { private: true, main: "index.js", dependencies },
      ".yarnrc.yml": "nodeLinker: pnp\n",
    });
    const yarn = join(repository, "node_modules/.bin/yarn");
    const run = async (...args: string[]) =>
      (await succeed(yarn, args, { directory, environment })).stdout.trim();
    const pulumi = (...args: string[]) =>
      run("exec", "pulumi", ...args, "--stack", "test", "--non-interactive");
    await run("install");

    // Pulumi starts the plugin as a file, so it may not stay in an archive.
    const folder = await run("run", "pulumi-dbwebhooks", "plugin-path");
    expect(existsSync(join(folder, "pulumi-resource-dbwebhooks"))).toBe(true);
    await pulumi("stack", "init");
    await pulumi("up", ...noPromptFlags);
    const secret = await pulumi("stack", "output", "ordersSecret", "--show-secrets");
    expect(service.webhooks).toMatchObject([{ secret }]);
    await pulumi("destroy", ...noPromptFlags);
  });
  expect(countsOf(service)).toMatchObject({ created: 1, deleted: 1 });
});

/** Makes Yarn create a lockfile in CI too, and use the registry and the certificates of npm, whose configuration it does not read. */
async function yarnEnvironment(): Promise<Record<string, string>> {
  const setting = async (name: string) =>
    (await succeed("npm", ["config", "get", name], { directory: repository })).stdout.trim();
  const registry = await setting("registry");
  const certificates = await setting("cafile");
  return {
    YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
    YARN_ENABLE_TELEMETRY: "false",
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_UNSAFE_HTTP_WHITELIST: new URL(registry).hostname,
    ...(certificates !== "null" && { NODE_EXTRA_CA_CERTS: certificates }),
  };
}
