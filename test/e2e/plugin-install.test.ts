import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory, writeJson } from "../helpers/directory.js";
import { archiveFor, packPluginInto, version } from "../helpers/plugin-archives.js";
import { yamlProgram } from "../helpers/programs.js";
import { startReleaseServer } from "../helpers/release-server.js";
import { pluginFile } from "../helpers/shells/native-shell.js";
import { type TestStack, webhookArgs, withStack } from "../helpers/stack.js";

const packed = temporaryDirectory();
const archive = join(packed.path, archiveFor());

beforeAll(() => packPluginInto(packed.path));
afterAll(() => packed.remove());

/** A project in YAML that says nothing of where the plugin is. */
async function writeBare({ directory }: TestStack, more: object = {}): Promise<void> {
  await writeJson(join(directory, "Pulumi.yaml"), {
    name: "webhooks",
    runtime: "yaml",
    resources: { orders: { type: "dbwebhooks:Webhook", properties: webhookArgs() } },
    ...more,
  });
}

/** Installs the plugin from the archive for this system. */
function install({ pulumiWithoutStack }: TestStack): ReturnType<typeof pulumiWithoutStack> {
  const args = ["resource", "dbwebhooks", version, "--file", archive];
  return pulumiWithoutStack(["plugin", "install", ...args]);
}

/** Declares a webhook that needs the plugin in the version of this build. */
function writeVersioned(stack: TestStack, options: object = {}): Promise<void> {
  const orders = {
    type: "dbwebhooks:Webhook",
    properties: webhookArgs(),
    options: { version, ...options },
  };
  return writeBare(stack, { resources: { orders } });
}

describe("The plugin's archives", () => {
  it("install with pulumi plugin install, and the plugin is found by its version", async () => {
    await withStack(
      async (stack) => {
        const { service, up } = stack;
        const installed = await install(stack);
        await writeVersioned(stack);
        const { output } = await up();

        expect(installed.exitCode, installed.output).toBe(0);
        expect(output).not.toContain("pulumi-resource-dbwebhooks");
        expect(service.webhooks).toHaveLength(1);
      },
      { program: yamlProgram },
    );
  });

  it.each([
    ["the release of a tag", "repositoryUrl"],
    ["a directory of a server", "url"],
  ] as const)("install from %s", async (_, place) => {
    await using server = await startReleaseServer(packed.path, `v${version}`);
    await withStack(
      async (stack) => {
        const { service, pulumiWithoutStack, up } = stack;
        const args = ["resource", "dbwebhooks", version, "--server", server[place]];
        const { exitCode, output } = await pulumiWithoutStack(
          ["plugin", "install", ...args],
          server.environment,
        );
        await writeVersioned(stack);
        await up();

        expect(exitCode, output).toBe(0);
        expect(server.paths).toContain(`/files/${archiveFor()}`);
        expect(service.webhooks).toHaveLength(1);
      },
      { program: yamlProgram },
    );
  });

  it("are downloaded by pulumi up, from where the option pluginDownloadURL says", async () => {
    await using server = await startReleaseServer(packed.path, `v${version}`);
    await withStack(
      async (stack) => {
        const { service, pulumi, up } = stack;
        await writeVersioned(stack, { pluginDownloadURL: server.repositoryUrl });
        const { exitCode, output } = await pulumi(["up", "--yes", "--skip-preview"], {
          ...server.environment,
          PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "false",
        });
        const downloads = [...server.paths];
        await up();

        expect(exitCode, output).toBe(0);
        expect(downloads).toContain(`/files/${archiveFor()}`);
        expect(server.paths).toEqual(downloads);
        expect(service.webhooks).toHaveLength(1);
      },
      { program: yamlProgram },
    );
  });
});

describe("The plugin's file", () => {
  it("is a package that YAML programs can add, once the plugin is installed", async () => {
    await withStack(
      async (stack) => {
        const { service, pulumiWithoutStack, up } = stack;
        await writeBare(stack);
        await install(stack);

        const added = await pulumiWithoutStack(["package", "add", pluginFile]);
        const { output } = await up();

        expect(added.exitCode, added.output).toBe(0);
        expect(output).not.toContain("pulumi-resource-dbwebhooks");
        expect(service.webhooks).toHaveLength(1);
      },
      { program: yamlProgram },
    );
  });

  it("gives a schema that Pulumi accepts", async () => {
    await withStack(
      async ({ pulumiWithoutStack, directory }) => {
        const { exitCode, stdout } = await pulumiWithoutStack([
          "package",
          "get-schema",
          pluginFile,
        ]);
        await writeFile(join(directory, "schema.json"), stdout);
        const checked = await pulumiWithoutStack(["schema", "check", "schema.json"]);

        expect([exitCode, checked.exitCode], checked.output).toEqual([0, 0]);
        expect(checked.output).not.toMatch(/warning|error/i);
        expect(JSON.parse(stdout)).toMatchObject({ name: "dbwebhooks", version });
      },
      { program: yamlProgram },
    );
  });
});
