import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildEnvironment, buildTags } from "../../tools/pulumi-cli/build.mts";
import { succeed } from "../helpers/commands.ts";
import { repository, withDirectory } from "../helpers/directory.ts";

// Each of these functions makes a call of the plugin, in a form that a new generator can change:
// decide what the plugin does with one that is new, and add it here.
it.each([
  {
    language: "python",
    providerFile: "pulumi_dbwebhooks/provider.py",
    file: "pulumi_dbwebhooks/webhook.py",
    pattern: /(?<=@staticmethod\n {4}def )\w+/g,
    functions: ["get", "exists"],
  },
  {
    language: "go",
    providerFile: "dbwebhooks/provider.go",
    file: "dbwebhooks/webhook.go",
    pattern: /(?<=^func )[A-Z]\w+(?=\(ctx )/gm,
    functions: ["NewWebhook", "GetWebhook", "WebhookExists"],
  },
])("A Webhook of the generated SDK for $language has the functions $functions", async (row) => {
  await withDirectory(async (directory) => {
    const generate = ["run", "-tags", buildTags, "./sdk-generator"];
    const schema = join(repository, "plugin/schema.json");
    await succeed("go", [...generate, schema, row.language, directory], {
      directory: join(repository, "tools/pulumi-cli/cli"),
      environment: buildEnvironment,
    });

    const source = await readFile(join(directory, row.file), "utf8");

    expect(source.match(row.pattern)).toEqual(row.functions);
    // A Provider would store what the variables of one machine hold.
    const provider = await readFile(join(directory, row.providerFile), "utf8");
    expect(provider).toContain("timeout");
    expect(provider).not.toMatch(/DBWEBHOOKS_|\b(?:30|120)\b/);
  });
});
