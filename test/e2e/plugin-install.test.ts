import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { writeJson } from "../helpers/directory.js";
import { succeed } from "../helpers/package.js";
import { yamlProgram } from "../helpers/programs.js";
import { webhookArgs, withStack } from "../helpers/stack.js";

const repository = join(__dirname, "../..");

describe("The plugin", () => {
  it("is installed offline by install-plugin, and from an archive, for programs and for SDKs", async () => {
    await withStack(
      async ({ service, directory, environment, up }) => {
        const run = (words: string[], home = "home") => {
          const [command = "", ...args] = words;
          const nowhere = "http://127.0.0.1:9";
          const own = { PULUMI_HOME: join(directory, "..", home) };
          const proxies = { HTTPS_PROXY: nowhere, HTTP_PROXY: nowhere };
          return succeed(command, args, {
            directory,
            environment: { ...environment, ...own, ...proxies },
          });
        };
        // A project that says nothing of where the plugin is.
        const properties = webhookArgs();
        const orders = { type: "dbwebhooks:Webhook", properties, options: { version } };
        const project = { name: "webhooks", runtime: "yaml", resources: { orders } };
        await writeJson(join(directory, "Pulumi.yaml"), project);

        const install = ["node", join(repository, "dist/cli/main.js"), "install-plugin"];
        const [first, second] = [await run(install), await run(install)];
        const { output } = await up();
        await run(["pulumi", "package", "add", "dbwebhooks"]);

        expect(first.output).toContain(`dbwebhooks ${version} is installed.`);
        expect(second.output).toContain(`dbwebhooks ${version} is installed.`);
        expect(output).not.toContain("pulumi-resource-dbwebhooks");
        expect(service.webhooks).toHaveLength(1);

        await run(["node", join(repository, "tools/plugin/pack.mts"), directory]);
        const cpu = process.arch === "x64" ? "amd64" : process.arch;
        const archive = `pulumi-resource-dbwebhooks-v${version}-${process.platform}-${cpu}.tar.gz`;
        const named = ["resource", "dbwebhooks", version, "--file", archive];
        await run(["pulumi", "plugin", "install", ...named], "other");
        const schema = await run(["pulumi", "package", "get-schema", "dbwebhooks"], "other");
        await writeFile(join(directory, "schema.json"), schema.stdout);
        const checked = await run(["pulumi", "schema", "check", "schema.json"]);
        expect(JSON.parse(schema.stdout)).toMatchObject({ name: "dbwebhooks", version });
        expect(checked.output).not.toMatch(/warning|error/i);
      },
      { program: yamlProgram },
    );
  });
});
