import { join } from "node:path";

/** A way to manage webhooks with Pulumi whose times are compared. */
export interface Contender {
  readonly name: ContenderName;
  /**
   * The file with the program. `Pulumi.yaml` also has the project's settings, before the program.
   */
  readonly file: "index.js" | "Pulumi.yaml";
  /** Returns a program that declares this number of webhooks. */
  readonly program: (count: number) => string;
  /** The directory of the plugin. Absent for a dynamic provider. */
  readonly plugin?: string;
}

export type ContenderName = "ours" | "plugin" | "plugin, YAML" | "docs-style";

// `npm run build:plugin` writes it.
const plugin = join(import.meta.dirname, "../plugin");

const declarations = (count: number) => `
for (let index = 0; index < ${count}; index++) {
  new Webhook("hook-" + index, {
    databaseId: "base_abc123",
    url: "https://example.com/hooks/" + index,
    events: ["record.created", "record.updated"],
  });
}
`;

const inJavaScript = (before: string) => ({
  file: "index.js" as const,
  program: (count: number) => `${before}\n${declarations(count)}`,
});

const inYaml = {
  file: "Pulumi.yaml" as const,
  program: (count: number) =>
    `resources:\n${Array.from(
      { length: count },
      (_, index) => `  hook-${index}:
    type: dbwebhooks:Webhook
    properties:
      databaseId: base_abc123
      url: https://example.com/hooks/${index}
      events: [record.created, record.updated]
`,
    ).join("")}`,
};

// A dynamic resource as Pulumi's documentation teaches it: a closure that Pulumi serializes and
// stores with every webhook. It has no validation, no retries and no timeouts.
const docsStyle = `const pulumi = require("@pulumi/pulumi");

async function send(method, path, body) {
  const response = await fetch(process.env.DBWEBHOOKS_BASE_URL + path, {
    method,
    headers: {
      authorization: \`Bearer \${process.env.DBWEBHOOKS_API_KEY}\`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    throw new Error(\`The service returned \${response.status}.\`);
  }
  return response.json();
}

const provider = {
  async create({ databaseId, url, events }) {
    const path = \`/api/v1/bases/\${databaseId}/webhooks\`;
    const { id, secret } = await send("POST", path, { url, events });
    return { id: String(id), outs: { databaseId, url, events, secret } };
  },
  async delete(id, { databaseId }) {
    await send("DELETE", \`/api/v1/bases/\${databaseId}/webhooks/\${id}\`);
  },
};

class Webhook extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(provider, name, { secret: undefined, ...args }, { additionalSecretOutputs: ["secret"] });
  }
}`;

/** All contenders, with their names in the tables. */
export const contenders: readonly Contender[] = [
  { name: "ours", ...inJavaScript(`const { Webhook } = require("pulumi-dbwebhooks");`) },
  {
    name: "plugin",
    ...inJavaScript(`const { Webhook } = require("pulumi-dbwebhooks/native");`),
    plugin,
  },
  { name: "plugin, YAML", ...inYaml, plugin },
  { name: "docs-style", ...inJavaScript(docsStyle) },
];
