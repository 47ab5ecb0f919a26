import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { list } from "tar";
import { describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { withDirectory, writeJson } from "../helpers/directory.js";
import { succeed } from "../helpers/package.js";
import { yamlProgram } from "../helpers/programs.js";
import { run } from "../helpers/pulumi.js";
import { pluginFile } from "../helpers/shells/native-shell.js";
import { type TestStack, webhookArgs, withStack } from "../helpers/stack.js";

const repository = join(__dirname, "../..");

/** Makes the archives of a release. */
function packPluginInto(directory: string) {
  return succeed(process.execPath, ["tools/plugin/pack.mts", directory], { directory: repository });
}

/** A project in YAML that says nothing of where the plugin is. */
async function writeBare({ directory }: TestStack): Promise<void> {
  await writeJson(join(directory, "Pulumi.yaml"), {
    name: "webhooks",
    runtime: "yaml",
    resources: {
      orders: { type: "dbwebhooks:Webhook", properties: webhookArgs(), options: { version } },
    },
  });
}

describe("pulumi-dbwebhooks install-plugin", () => {
  it("installs the plugin offline, once, for programs and for pulumi package add", async () => {
    await withStack(
      async (stack) => {
        const { service, directory, environment, pulumiWithoutStack, up } = stack;
        const nowhere = "http://127.0.0.1:9";
        const install = () =>
          run(process.execPath, [join(repository, "dist/cli/main.js"), "install-plugin"], {
            directory,
            environment: { ...environment, HTTPS_PROXY: nowhere, HTTP_PROXY: nowhere },
          });
        await writeBare(stack);

        const [first, second] = [await install(), await install()];
        const { output } = await up();
        const added = await pulumiWithoutStack(["package", "add", "dbwebhooks"]);

        expect([first.exitCode, second.exitCode, added.exitCode], added.output).toEqual([0, 0, 0]);
        expect(first.output).toContain(`dbwebhooks ${version} is installed.`);
        expect(second.output).toContain(`dbwebhooks ${version} is installed already.`);
        expect(output).not.toContain("pulumi-resource-dbwebhooks");
        expect(service.webhooks).toHaveLength(1);
      },
      { program: yamlProgram },
    );
  });
});

describe("An archive of the plugin", () => {
  it("is the same for the same files, and installs with pulumi plugin install", async () => {
    await withStack(
      async (stack) => {
        const { service, pulumiWithoutStack, up } = stack;
        await writeBare(stack);
        await withDirectory(async (archives) => {
          await packPluginInto(archives);
          const archive = join(
            archives,
            `pulumi-resource-dbwebhooks-v${version}-linux-amd64.tar.gz`,
          );
          const times: (number | undefined)[] = [];
          await list({ file: archive, onReadEntry: ({ mtime }) => times.push(mtime?.getTime()) });
          const words = ["resource", "dbwebhooks", version, "--file", archive];
          const { exitCode, output } = await pulumiWithoutStack(["plugin", "install", ...words]);

          expect(exitCode, output).toBe(0);
          expect(new Set(times)).toEqual(new Set([0]));
        });
        await up();

        expect(service.webhooks).toHaveLength(1);
      },
      { program: yamlProgram },
    );
  });
});

describe("The plugin's file", () => {
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
