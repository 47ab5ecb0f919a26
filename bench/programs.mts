import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

const repository = join(import.meta.dirname, "..");

/** A way to manage webhooks that is measured: the text of a JavaScript program for `count` of them. */
export interface Variant {
  readonly name: string;
  readonly program: (count: number) => string;
}

const args = (index: string) => `{
    databaseId: "base_abc123",
    url: "https://example.com/hooks/" + ${index},
    events: ["record.created", "record.updated"],
  }`;

/** This package. */
export const ours: Variant = {
  name: "pulumi-dbwebhooks",
  program: (count) => `const { Webhook } = require("pulumi-dbwebhooks");
for (let index = 0; index < ${count}; index++) {
  new Webhook("hook-" + index, ${args("index")});
}
`,
};

/** Our resource class over a provider that does nothing at all: what is left is Pulumi. */
export const floor: Variant = {
  name: "floor",
  program: (count) => `const pulumi = require("@pulumi/pulumi");
const text = "exports.handler = () => require('dbwebhooks-floor')";
class Webhook extends pulumi.CustomResource {
  constructor(name, args) {
    super("pulumi-nodejs:dynamic/dbwebhooks:Webhook", name,
      { tableId: undefined, baseUrl: undefined, secret: undefined, ...args, __provider: text },
      { additionalSecretOutputs: ["secret"] });
  }
}
for (let index = 0; index < ${count}; index++) {
  new Webhook("hook-" + index, ${args("index")});
}
`,
};

const floorProvider = `let next = 1;
exports.check = async (olds, { __provider, ...inputs }) => ({ inputs });
exports.diff = async () => ({ changes: false });
exports.create = async (inputs) => ({
  id: String(next++),
  outs: { ...inputs, baseUrl: "http://127.0.0.1:8787", secret: "whsec_" + "x".repeat(43) + "=" },
});
exports.read = async (id, props) => ({ id, props });
exports.update = async (id, olds) => ({ outs: olds });
exports.delete = async () => {};
`;

/** Writes a Pulumi project with the program of a variant, and with the packages that it needs. */
export async function writeProject(
  directory: string,
  variant: Variant,
  count: number,
): Promise<void> {
  const modules = join(directory, "node_modules");
  await mkdir(join(modules, "dbwebhooks-floor"), { recursive: true });
  await writeFile(join(modules, "dbwebhooks-floor/index.js"), floorProvider);
  await mkdir(join(modules, "@pulumi"));
  await symlink(repository, join(modules, "pulumi-dbwebhooks"));
  await symlink(join(repository, "node_modules/@pulumi/pulumi"), join(modules, "@pulumi/pulumi"));
  await writeFile(join(directory, "Pulumi.yaml"), "name: bench\nruntime: nodejs\n");
  await writeFile(join(directory, "package.json"), '{ "main": "index.js" }\n');
  await writeFile(join(directory, "index.js"), variant.program(count));
}
