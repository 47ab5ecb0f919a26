import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { version } from "../../package.json";
import { someArgs } from "../helpers/builders.ts";
import { succeed } from "../helpers/commands.ts";
import { repository, writeJson } from "../helpers/directory.ts";
import { yamlProgram } from "../helpers/programs.ts";
import { withStack } from "../helpers/stack.ts";

it("Without a network, the plugin is installed from its folder, found, and has a schema that Pulumi accepts", () =>
  withStack(
    async ({ directory, environment, service, up }) => {
      const directories = (process.env.PATH ?? "").split(delimiter);
      const hasPlugin = (one: string) => existsSync(join(one, "pulumi-resource-dbwebhooks"));
      const pathWithoutPlugin = directories.filter((one) => !hasPlugin(one)).join(delimiter);
      // Go, npm and Pulumi's CLI use these proxies for every address but loopback.
      const closedProxy = "http://127.0.0.1:9";
      const variables = {
        HTTPS_PROXY: closedProxy,
        HTTP_PROXY: closedProxy,
        PATH: pathWithoutPlugin,
      };
      const pulumi = (...args: string[]) => {
        const options = { directory, environment: { ...environment, ...variables } };
        return succeed("pulumi", args, options);
      };
      // Unlike other test projects, this one has no path to the plugin.
      const orders = { type: "dbwebhooks:Webhook", properties: someArgs() };
      const project = { name: "webhooks", runtime: "yaml", resources: { orders } };
      await writeJson(join(directory, "Pulumi.yaml"), project);
      const folder = ["--file", join(repository, "plugin")];
      await pulumi("plugin", "install", "resource", "dbwebhooks", version, ...folder);

      const { output } = await up(variables);
      await pulumi("package", "add", "dbwebhooks");
      const schema = await pulumi("package", "get-schema", "dbwebhooks");
      await writeFile(join(directory, "schema.json"), schema.stdout);
      const checked = await pulumi("schema", "check", "schema.json");

      // Pulumi would warn of a plugin that it finds on PATH; this is the installed one.
      expect(output).not.toContain("pulumi-resource-dbwebhooks");
      expect(service.webhooks).toHaveLength(1);
      expect(JSON.parse(schema.stdout)).toMatchObject({ name: "dbwebhooks", version });
      expect(checked.output).not.toMatch(/warning|error/i);
    },
    { program: yamlProgram },
  ));
