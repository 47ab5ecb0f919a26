import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { succeed } from "../helpers/commands.js";
import { repository, writeJson } from "../helpers/directory.js";
import { webhookArgs, yamlProgram } from "../helpers/programs.js";
import { shareStack } from "../helpers/stack.js";

describe("Without a network, the plugin", () => {
  const stack = shareStack({ program: yamlProgram });
  /** Runs a command with Pulumi's files in a home directory of this name. */
  const runIn = (home: string, command: string, ...args: string[]) => {
    const { directory, environment } = stack();
    const nowhere = "http://127.0.0.1:9";
    const own = { PULUMI_HOME: join(directory, "..", home) };
    const proxies = { HTTPS_PROXY: nowhere, HTTP_PROXY: nowhere };
    return succeed(command, args, {
      directory,
      environment: { ...environment, ...own, ...proxies },
    });
  };

  beforeAll(async () => {
    // A project that does not say where the plugin is.
    const orders = {
      type: "dbwebhooks:Webhook",
      properties: webhookArgs(),
      options: { version },
    };
    const project = { name: "webhooks", runtime: "yaml", resources: { orders } };
    await writeJson(join(stack().directory, "Pulumi.yaml"), project);
  });

  it("is installed by install-plugin, also again, for programs and for SDKs", async () => {
    const install = ["node", join(repository, "dist/cli/main.js"), "install-plugin"] as const;

    const first = await runIn("home", ...install);
    const second = await runIn("home", ...install);
    const { output } = await stack().up();
    await runIn("home", "pulumi", "package", "add", "dbwebhooks");

    expect(first.output).toContain(`dbwebhooks ${version} is installed`);
    expect(second.output).toContain(`dbwebhooks ${version} is installed`);
    expect(output).not.toContain("pulumi-resource-dbwebhooks");
    expect(stack().service.webhooks).toHaveLength(1);
  });

  it("is installed from an archive, with a schema that Pulumi accepts", async () => {
    const { directory } = stack();
    await runIn("home", "node", join(repository, "tools/plugin/pack.mts"), directory);
    const cpu = process.arch === "x64" ? "amd64" : process.arch;
    const archive = `pulumi-resource-dbwebhooks-v${version}-${process.platform}-${cpu}.tar.gz`;

    const named = ["resource", "dbwebhooks", version, "--file", archive];
    await runIn("other", "pulumi", "plugin", "install", ...named);
    const schema = await runIn("other", "pulumi", "package", "get-schema", "dbwebhooks");
    await writeFile(join(directory, "schema.json"), schema.stdout);
    const checked = await runIn("home", "pulumi", "schema", "check", "schema.json");

    expect(JSON.parse(schema.stdout)).toMatchObject({ name: "dbwebhooks", version });
    expect(checked.output).not.toMatch(/warning|error/i);
  });
});
