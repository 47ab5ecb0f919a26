import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The source of the schema: it has each setting once, and no examples. */
export const schemaSource = join(root, "src/adapters/plugin/schema.json");

/**
 * The schema as the plugin gives it: with the version of the package, the settings as arguments of the
 * provider too, and in the description of the resource the examples of `docs/_index.md`.
 */
export function completeSchema() {
  const schema = JSON.parse(readFileSync(schemaSource, "utf8"));
  const { version } = JSON.parse(read("package.json"));
  const webhook = schema.resources["dbwebhooks:index:Webhook"];
  return {
    ...schema,
    version,
    provider: { ...schema.provider, inputProperties: schema.config.variables },
    resources: {
      "dbwebhooks:index:Webhook": {
        ...webhook,
        description: [webhook.description, examples(), importing].join("\n\n"),
      },
    },
  };
}

function examples(): string {
  const programs = read("docs/_index.md").match(/^```[\s\S]*?^```$/gm) ?? [];
  return `{{% examples %}}
## Example Usage

{{% example %}}
### The webhook of a table

${programs.join("\n")}
{{% /example %}}
{{% /examples %}}`;
}

const importing = `## Import

Import a webhook by its database and its number, with the setting \`listing\` on and its secret in the environment variable \`DBWEBHOOKS_IMPORT_SECRET\`:

\`\`\`sh
$ pulumi import dbwebhooks:index:Webhook orders base_abc123/42
\`\`\`
`;
