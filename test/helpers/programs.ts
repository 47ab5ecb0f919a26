import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeJson } from "./directory.js";

const repository = join(__dirname, "../..");

/** Webhooks and providers by resource name, with the values that YAML knows: secrets, and interpolated texts. */
export type Webhooks = Readonly<
  Record<string, { readonly args: object; readonly opts?: object | undefined; type?: "provider" }>
>;

export interface Program {
  readonly name: string;
  /** Writes a project without webhooks into its directory. */
  write(directory: string, project: string): Promise<void>;
  /** Declares webhooks in place of those declared before. */
  declare(directory: string, webhooks: Webhooks): Promise<void>;
  /** The id that Pulumi knows a webhook by. */
  idOf(webhook: { readonly databaseId: string; readonly id: number }): string;
  /** The type of the webhooks. */
  readonly type: string;
  /** What the arguments of the provider's process look like. */
  readonly process: RegExp;
}

const native = {
  idOf: ({ databaseId, id }: { readonly databaseId: string; readonly id: number }) =>
    `${databaseId}/${id}`,
  type: "dbwebhooks:index:Webhook",
  process: /node.*pulumi-resource-dbwebhooks/,
  /** The plugin of this build, for a project that does not install one. */
  project: {
    plugins: { providers: [{ name: "dbwebhooks", path: join(repository, "dist-plugin") }] },
  },
};

/** A plain JavaScript program with the package. */
export const javascriptProgram: Program = {
  ...javascript("pulumi-dbwebhooks", {}),
  name: "the dynamic provider",
  idOf: ({ id }) => String(id),
  type: "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
  process: /node.*dynamic-provider/,
};

/** A plain JavaScript program with the plugin. */
export const javascriptProgramOfPlugin: Program = {
  ...native,
  ...javascript("pulumi-dbwebhooks/native", native.project),
  name: "the native plugin, JavaScript",
};

/** A program in YAML with the plugin. */
export const yamlProgram: Program = {
  ...native,
  name: "the native plugin",
  write: (directory, name) =>
    writeJson(join(directory, "Pulumi.yaml"), { name, runtime: "yaml", ...native.project }),
  declare: (directory, webhooks) => {
    const all = Object.entries(webhooks);
    const resources = all.map(([name, { args, opts = {}, type }]) => [
      name,
      {
        type: type === "provider" ? "pulumi:providers:dbwebhooks" : "dbwebhooks:Webhook",
        properties: args,
        options: opts,
      },
    ]);
    const outputs = all
      .filter(([, { type }]) => type === undefined)
      .map(([name]) => [`${name}Secret`, interpolated(`${name}.secret`)]);
    return changeProject(directory, {
      resources: Object.fromEntries(resources),
      outputs: Object.fromEntries(outputs),
    });
  },
};

/** How YAML names what a resource has. */
export function interpolated(path: string): string {
  return `\${${path}}`;
}

/** Changes keys of Pulumi.yaml, which is JSON here: that is YAML too. */
export async function changeProject(directory: string, changes: object): Promise<void> {
  const file = join(directory, "Pulumi.yaml");
  await writeJson(file, { ...JSON.parse(await readFile(file, "utf8")), ...changes });
}

function javascript(entry: string, project: object): Pick<Program, "write" | "declare"> {
  const declare = (directory: string, webhooks: Webhooks) =>
    writeJson(join(directory, "webhooks.json"), webhooks);
  const write = async (directory: string, name: string) => {
    await symlink(join(repository, "node_modules"), join(directory, "node_modules"));
    await writeJson(join(directory, "Pulumi.yaml"), { name, runtime: "nodejs", ...project });
    await writeJson(join(directory, "package.json"), { name, main: "index.js" });
    await declare(directory, {});
    await writeFile(join(directory, "index.js"), javascriptOf(entry));
  };
  return { write, declare };
}

/** Interprets what is declared, as YAML does. */
function javascriptOf(entry: string): string {
  return `
const pulumi = require("@pulumi/pulumi");
const { Provider, Webhook } = require("${entry}");
const resources = {};
const lookUp = (path) => {
  const [name, output] = path.split(".");
  return output ? resources[name][output] : resources[name];
};
const valueOf = (value) => {
  if (value?.["fn::secret"] !== undefined) return pulumi.secret(value["fn::secret"]);
  if (typeof value !== "string" || !value.includes("\${")) return value;
  const parts = value.split(/\\$\\{(.+?)\\}/);
  return parts.length === 3 && !parts[0] && !parts[2]
    ? lookUp(parts[1])
    : pulumi.concat(...parts.map((part, at) => (at % 2 === 0 ? part : lookUp(part))));
};
const valuesOf = (object = {}) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, valueOf(value)]));
for (const [name, { args, opts, type }] of Object.entries(require("./webhooks.json"))) {
  const Resource = type === "provider" ? Provider : Webhook;
  resources[name] = new Resource(name, valuesOf(args), valuesOf(opts));
  if (!type) exports[name + "Secret"] = resources[name].secret;
}
`;
}
