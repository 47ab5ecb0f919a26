import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { writeJson } from "../helpers/directory.js";
import { pluginFile } from "../helpers/native-shell.js";
import { yamlProgram } from "../helpers/programs.js";
import { type TestStack, webhookArgs, withStack } from "../helpers/stack.js";

const repository = join(__dirname, "../..");
const archives = join(repository, "dist-plugin/archives");
const architecture = { x64: "amd64" }[process.arch as string] ?? process.arch;
const { version } = require(join(repository, "package.json"));

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
  const system = `${process.platform}-${architecture}`;
  const file = join(archives, `pulumi-resource-dbwebhooks-v${version}-${system}.tar.gz`);
  const args = ["resource", "dbwebhooks", version, "--file", file];
  return pulumiWithoutStack(["plugin", "install", ...args]);
}

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(repository, "tools/plugin/pack.mts")]);
});

describe("The plugin's archives", () => {
  it("are there for each system", () => {
    const systems = ["darwin", "linux", "windows"].flatMap((os) =>
      ["amd64", "arm64"].map((arch) => `${os}-${arch}`),
    );

    expect(readdirSync(archives).sort()).toEqual(
      systems.map((system) => `pulumi-resource-dbwebhooks-v${version}-${system}.tar.gz`),
    );
  });

  it("install with pulumi plugin install, and the plugin is found by its version", async () => {
    await withStack(
      async (stack) => {
        const { service, up } = stack;
        const installed = await install(stack);
        await writeBare(stack, {
          resources: {
            orders: {
              type: "dbwebhooks:Webhook",
              properties: webhookArgs(),
              options: { version },
            },
          },
        });
        const { output } = await up();

        expect(installed.exitCode, installed.output).toBe(0);
        expect(output).not.toContain("pulumi-resource-dbwebhooks");
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
