import { join } from "node:path";

/** A way to manage webhooks with Pulumi: the text of a program for `count` of them. */
export interface PulumiProgram {
  /** Default: `index.js`. With `Pulumi.yaml` the text follows on what every project has there. */
  readonly file?: string;
  /** The directory of the native plugin that it uses. Default: the dynamic provider. */
  readonly plugin?: string;
  readonly text: (count: number) => string;
  /** Packages that only this program needs: the text of their one file, by name. */
  readonly packages?: Readonly<Record<string, string>>;
}

const ourPlugin = join(import.meta.dirname, "../dist-plugin");

const declarations = (count: number) => `
for (let index = 0; index < ${count}; index++) {
  new Webhook("hook-" + index, {
    databaseId: "base_abc123",
    url: "https://example.com/hooks/" + index,
    events: ["record.created", "record.updated"],
  });
}
`;

/** This package. */
export const ours: PulumiProgram = {
  text: (count) => `const { Webhook } = require("pulumi-dbwebhooks");
${declarations(count)}`,
};

/** This package in a TypeScript program, which Pulumi compiles whenever it runs. */
export const oursInTypeScript: PulumiProgram = {
  file: "index.ts",
  text: (count) => `import { Webhook } from "pulumi-dbwebhooks";
${declarations(count)}`,
};

/** A program in plain JavaScript with a native plugin. */
export const nativeInJavaScript = (plugin = ourPlugin): PulumiProgram => ({
  plugin,
  text: (count) => `const pulumi = require("@pulumi/pulumi");

class Webhook extends pulumi.CustomResource {
  constructor(name, args) {
    const outputs = { tableId: undefined, webhookId: undefined, baseUrl: undefined };
    super(
      "dbwebhooks:index:Webhook",
      name,
      { ...outputs, secret: undefined, ...args },
      { additionalSecretOutputs: ["secret"] },
    );
  }
}
${declarations(count)}`,
});

/** A program in YAML, which only a native plugin serves. */
export const nativeInYaml = (plugin = ourPlugin): PulumiProgram => ({
  file: "Pulumi.yaml",
  plugin,
  text: (count) => {
    const webhooks = Array.from(
      { length: count },
      (_, index) => `  hook-${index}:
    type: dbwebhooks:Webhook
    properties:
      databaseId: base_abc123
      url: https://example.com/hooks/${index}
      events: [record.created, record.updated]
`,
    );
    return `resources:\n${webhooks.join("")}`;
  },
});

/**
 * A dynamic resource as Pulumi's documentation teaches it: a closure that Pulumi serialises and stores
 * with every webhook. Nothing is validated, tried again or limited in time.
 */
export const docsStyle: PulumiProgram = {
  text: (count) => `const pulumi = require("@pulumi/pulumi");

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
}
${declarations(count)}`,
};

/** Our resource class over a provider that answers at once: what is left is Pulumi. */
export const floor: PulumiProgram = {
  text: (count) => `const pulumi = require("@pulumi/pulumi");

const text = 'exports.handler = () => require("dbwebhooks-floor-provider")';

class Webhook extends pulumi.CustomResource {
  constructor(name, args) {
    super(
      "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
      name,
      { tableId: undefined, baseUrl: undefined, secret: undefined, ...args, __provider: text },
      { additionalSecretOutputs: ["secret"] },
    );
  }
}
${declarations(count)}`,
  packages: {
    "dbwebhooks-floor-provider": `let next = 1;
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
`,
  },
};
