import { join } from "node:path";

/**
 * A way to manage webhooks with Pulumi whose times are compared: "ours" and "native" are this package,
 * "executable" is the native plugin
 * with Node.js in it, "docs-style" is a dynamic provider as in Pulumi's documentation, and a "floor" does nothing, so that its
 * times are those of Pulumi alone.
 */
export interface Contender {
  readonly name: string;
  /** The file with the program. `Pulumi.yaml` also has the project's settings, before the program. */
  readonly file: "index.js" | "index.ts" | "Pulumi.yaml";
  /** Returns a program that declares this number of webhooks. */
  readonly program: (count: number) => string;
  /** The directory of the native plugin. Absent for a dynamic provider. */
  readonly plugin?: string;
  /** The source of further packages, by their name. Each consists of one file. */
  readonly packages?: Readonly<Record<string, string>>;
}

const repository = join(import.meta.dirname, "..");

/** The plugin that `npm run build:plugin` writes. */
export const ourPlugin = join(repository, "dist-plugin");

/** The plugin of `floor-plugin.mts`, which the benchmark bundles. */
export const floorPlugin = join(repository, "node_modules/.cache/dbwebhooks-floor-plugin");

/** The plugin with Node.js in it, which the benchmark builds from {@link ourPlugin}. */
export const executablePlugin = join(repository, "node_modules/.cache/dbwebhooks-executable");

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

// A dynamic resource as Pulumi's documentation teaches it: a closure that Pulumi serializes and stores
// with every webhook. It has no validation, no retries and no timeouts.
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

/** Returns a resource class without any logic. */
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

// Returns at once, like `floor-plugin.mts`, so that only Pulumi's own time is measured. `secretMark` is the key
// and value by which Pulumi recognizes a secret.
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

/** All contenders, with their names in the tables. */
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
  { name: "executable, YAML", ...inYaml, plugin: executablePlugin },
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
