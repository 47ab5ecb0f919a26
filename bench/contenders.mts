import { join } from "node:path";

/** A way to manage webhooks with Pulumi. */
export interface Contender {
  readonly name: string;
  /** With `Pulumi.yaml`, the program follows on what every project has there. */
  readonly file: "index.js" | "index.ts" | "Pulumi.yaml";
  /** The program that declares so many webhooks. */
  readonly program: (count: number) => string;
  /** The directory of the native plugin that it uses. Default: the dynamic provider. */
  readonly plugin?: string;
  /** Packages that only this program needs: the text of their one file, by name. */
  readonly packages?: Readonly<Record<string, string>>;
}

const repository = join(import.meta.dirname, "..");

/** The plugin, as `npm run build:plugin` writes it. */
export const ourPlugin = join(repository, "dist-plugin");

/** A plugin that answers at once, as the bench bundles it. */
export const floorPlugin = join(repository, "node_modules/.cache/dbwebhooks-floor-plugin");

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

const inTypeScript = (before: string) => ({
  ...inJavaScript(before),
  file: "index.ts" as const,
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

// A dynamic resource as Pulumi's documentation teaches it: a closure that Pulumi serialises and stores
// with every webhook. Nothing is validated, tried again or limited in time.
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
    throw new Error(\`The service answered \${response.status}.\`);
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

/** A resource class that does nothing by itself. */
const bareClass = (type: string, properties: string) => `const pulumi = require("@pulumi/pulumi");

class Webhook extends pulumi.CustomResource {
  constructor(name, args) {
    super(
      "${type}",
      name,
      { tableId: undefined, baseUrl: undefined, secret: undefined, ...args, ${properties} },
      { additionalSecretOutputs: ["secret"] },
    );
  }
}`;

// Answers at once, as `floor-plugin.mts` does: what is left is Pulumi.
const floorProvider = `let next = 1;
const secretMark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const secret = () => ({ ...secretMark, value: "whsec_" + "x".repeat(43) + "=" });
exports.check = async (olds, { __provider, ...inputs }) => ({ inputs });
exports.diff = async () => ({ changes: false });
exports.create = async (inputs) => ({
  id: String(next++),
  outs: { ...inputs, baseUrl: "http://127.0.0.1:10000", secret: secret() },
});
exports.read = async (id, props) => ({ id, props: { ...props, secret: secret() } });
exports.update = async (id, olds) => ({ outs: olds });
exports.delete = async () => {};
`;

/** All that is measured, by the names that the tables have. */
export const contenders: readonly Contender[] = [
  { name: "ours", ...inJavaScript(`const { Webhook } = require("pulumi-dbwebhooks");`) },
  { name: "ours, TypeScript", ...inTypeScript(`import { Webhook } from "pulumi-dbwebhooks";`) },
  {
    name: "native",
    ...inJavaScript(`const { Webhook } = require("pulumi-dbwebhooks/native");`),
    plugin: ourPlugin,
  },
  {
    name: "native, TypeScript",
    ...inTypeScript(`import { Webhook } from "pulumi-dbwebhooks/native";`),
    plugin: ourPlugin,
  },
  { name: "native, YAML", ...inYaml, plugin: ourPlugin },
  { name: "docs-style", ...inJavaScript(docsStyle) },
  {
    name: "floor",
    ...inJavaScript(
      bareClass(
        "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
        `__provider: 'exports.handler = () => require("dbwebhooks-floor-provider")'`,
      ),
    ),
    packages: { "dbwebhooks-floor-provider": floorProvider },
  },
  {
    name: "native floor",
    ...inJavaScript(bareClass("dbwebhooks:index:Webhook", "webhookId: undefined")),
    plugin: floorPlugin,
  },
  { name: "native floor, YAML", ...inYaml, plugin: floorPlugin },
];
