import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Adapter, dynamicAdapter, pluginAdapter } from "./adapters/adapters.js";
import { writeJson } from "./directory.js";

const repository = join(__dirname, "../..");

/**
 * Webhooks and providers by resource name. Values are those of Pulumi's YAML: `{ "fn::secret": text }`,
 * and texts with `${name.output}`.
 */
export type Webhooks = Readonly<
  Record<
    string,
    { readonly args: object; readonly opts?: object | undefined; readonly type?: "provider" }
  >
>;

export interface Program extends Pick<Adapter, "name" | "idOf" | "type"> {
  /** Writes a project without webhooks into its directory. */
  write(directory: string, project: string): Promise<void>;
  /** Replaces the declared webhooks. The output `<name>Secret` has the secret of each. */
  declare(directory: string, webhooks: Webhooks): Promise<void>;
  /** Matches the command line of the provider's process. */
  readonly process: RegExp;
}

/** The plugin of this build, for projects that do not install one. */
const pluginProject = {
  plugins: { providers: [{ name: "dbwebhooks", path: join(repository, "dist-plugin") }] },
};
const pluginProcess = /node.*pulumi-resource-dbwebhooks/;

/** A JavaScript program with the dynamic provider. */
export const javascriptProgram: Program = {
  ...dynamicAdapter,
  ...javascript("pulumi-dbwebhooks", {}),
  process: /node.*dynamic-provider/,
};

/** A JavaScript program with the native plugin. */
export const javascriptProgramOfPlugin: Program = {
  ...pluginAdapter,
  ...javascript("pulumi-dbwebhooks/native", pluginProject),
  name: "the native plugin, JavaScript",
  process: pluginProcess,
};

/** A YAML program with the native plugin. */
export const yamlProgram: Program = {
  ...pluginAdapter,
  process: pluginProcess,
  write: (directory, name) =>
    writeJson(join(directory, "Pulumi.yaml"), { name, runtime: "yaml", ...pluginProject }),
  declare: (directory, webhooks) => {
    const resources: Record<string, object> = {};
    const outputs: Record<string, string> = {};
    for (const [name, { args, opts = {}, type }] of Object.entries(webhooks)) {
      if (type === "provider") {
        resources[name] = { type: "pulumi:providers:dbwebhooks", properties: args, options: opts };
      } else {
        resources[name] = { type: "dbwebhooks:Webhook", properties: args, options: opts };
        outputs[`${name}Secret`] = interpolated(`${name}.secret`);
      }
    }
    return changeProject(directory, { resources, outputs });
  },
};

/** Returns the reference to a resource or to one of its outputs, such as `orders.secret`. */
export function interpolated(path: string): string {
  return `\${${path}}`;
}

/** Changes keys of Pulumi.yaml, which is written as JSON. */
export async function changeProject(directory: string, changes: object): Promise<void> {
  const file = join(directory, "Pulumi.yaml");
  await writeJson(file, { ...JSON.parse(await readFile(file, "utf8")), ...changes });
}

function javascript(entry: string, project: object): Pick<Program, "write" | "declare"> {
  const declare = (directory: string, webhooks: Webhooks) =>
    writeFile(join(directory, "index.js"), programOf(entry, webhooks));
  const write = async (directory: string, name: string) => {
    await symlink(join(repository, "node_modules"), join(directory, "node_modules"));
    await writeJson(join(directory, "Pulumi.yaml"), { name, runtime: "nodejs", ...project });
    await writeJson(join(directory, "package.json"), { name, main: "index.js" });
    await declare(directory, {});
  };
  return { write, declare };
}

function programOf(entry: string, webhooks: Webhooks): string {
  const statements = Object.entries(webhooks).map(([name, { args, opts = {}, type }]) => {
    const words = `("${name}", ${expressionOf(args)}, ${expressionOf(opts)});`;
    return type === "provider"
      ? `const ${name} = new Provider${words}`
      : `const ${name} = new Webhook${words}\nexports.${name}Secret = ${name}.secret;`;
  });
  return `const pulumi = require("@pulumi/pulumi");
const { Provider, Webhook } = require("${entry}");
${statements.join("\n")}
`;
}

/** Writes values of YAML as JavaScript. */
function expressionOf(values: object): string {
  return JSON.stringify(values)
    .replace(/"\$\{([^}"]+)\}"/g, "$1")
    .replace(/"([^"]*\$\{[^"]*)"/g, "pulumi.interpolate`$1`")
    .replace(/\{"fn::secret":("[^"]*")\}/g, "pulumi.secret($1)");
}
