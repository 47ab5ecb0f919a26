import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { someArgs } from "../helpers/builders.ts";
import { succeed } from "../helpers/commands.ts";
import { repository, writeJson } from "../helpers/directory.ts";
import { yamlProgram } from "../helpers/programs.ts";
import { shareStack } from "../helpers/stack.ts";

describe("Without a network, the plugin", () => {
  const stack = shareStack({ program: yamlProgram });
  // Go, npm and Pulumi's CLI use these proxies for every address but loopback.
  const closedProxy = "http://127.0.0.1:9";
  const withoutNetwork = { HTTPS_PROXY: closedProxy, HTTP_PROXY: closedProxy };
  /**
   * Runs a command with a home directory of this name for Pulumi's files, and without a network.
   */
  const runWithHome = (home: string, command: string, ...args: string[]) => {
    const { directory, environment } = stack();
    const changes = { PULUMI_HOME: join(directory, "..", home), ...withoutNetwork };
    return succeed(command, args, { directory, environment: { ...environment, ...changes } });
  };

  beforeAll(async () => {
    // Unlike other test projects, this one has no path to the plugin.
    const orders = { type: "dbwebhooks:Webhook", properties: someArgs() };
    const project = { name: "webhooks", runtime: "yaml", resources: { orders } };
    await writeJson(join(stack().directory, "Pulumi.yaml"), project);
    const plugin = ["resource", "dbwebhooks", version, "--file", join(repository, "plugin")];
    // The stack of these tests uses the same home directory.
    await runWithHome("home", "pulumi", "plugin", "install", ...plugin);
  });

  it("is found by programs and by `pulumi package add` once it is installed from its folder", async () => {
    const { output } = await stack().up(withoutNetwork);
    await runWithHome("home", "pulumi", "package", "add", "dbwebhooks");

    // Pulumi would warn of a plugin that it finds on PATH; this is the installed one.
    expect(output).not.toContain("pulumi-resource-dbwebhooks");
    expect(stack().service.webhooks).toHaveLength(1);
  });

  it("has a schema that Pulumi accepts", async () => {
    const schema = await runWithHome("home", "pulumi", "package", "get-schema", "dbwebhooks");
    await writeFile(join(stack().directory, "schema.json"), schema.stdout);
    const checked = await runWithHome("home", "pulumi", "schema", "check", "schema.json");

    expect(JSON.parse(schema.stdout)).toMatchObject({ name: "dbwebhooks", version });
    expect(checked.output).not.toMatch(/warning|error/i);
  });
});
