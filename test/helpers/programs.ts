import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeJson } from "./directory.js";

const repository = join(__dirname, "../..");

/** Arguments and resource options of the webhooks of a test program, by resource name. */
export type Webhooks = Readonly<
  Record<string, { readonly args: object; readonly opts?: object | undefined }>
>;

/** A way to declare webhooks in a program. */
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

const dynamic = {
  idOf: ({ id }: { readonly id: number }) => String(id),
  type: "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
  process: /node.*dynamic-provider/,
};

const native = {
  idOf: ({ databaseId, id }: { readonly databaseId: string; readonly id: number }) =>
    `${databaseId}/${id}`,
  type: "dbwebhooks:index:Webhook",
  process: /node.*pulumi-resource-dbwebhooks/,
};

/** The plugin of this build, for a project that does not install one. */
const plugins = { providers: [{ name: "dbwebhooks", path: join(repository, "dist-plugin") }] };

/** A plain JavaScript program with the package. */
export const javascriptProgram: Program = {
  ...dynamic,
  name: "the dynamic provider",
  write: (directory, project) => writeJavascript(directory, project, "pulumi-dbwebhooks", {}),
  declare: declareAsJson,
};

/** A program in YAML with the plugin. */
export const yamlProgram: Program = {
  ...native,
  name: "the native plugin",
  write: (directory, name) =>
    writeJson(join(directory, "Pulumi.yaml"), { name, runtime: "yaml", plugins }),
  declare: (directory, webhooks) =>
    changeProject(directory, {
      resources: Object.fromEntries(
        Object.entries(webhooks).map(([name, { args, opts = {} }]) => [
          name,
          { type: "dbwebhooks:Webhook", properties: args, options: opts },
        ]),
      ),
      outputs: Object.fromEntries(
        Object.keys(webhooks).map((name) => [`${name}Secret`, interpolated(`${name}.secret`)]),
      ),
    }),
};

/** A plain JavaScript program with the plugin. */
export const javascriptProgramOfPlugin: Program = {
  ...native,
  name: "the native plugin, JavaScript",
  write: (directory, project) =>
    writeJavascript(directory, project, "pulumi-dbwebhooks/native", { plugins }),
  declare: declareAsJson,
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

function declareAsJson(directory: string, webhooks: Webhooks): Promise<void> {
  return writeJson(join(directory, "webhooks.json"), webhooks);
}

async function writeJavascript(
  directory: string,
  name: string,
  entry: string,
  more: object,
): Promise<void> {
  await symlink(join(repository, "node_modules"), join(directory, "node_modules"));
  await writeJson(join(directory, "Pulumi.yaml"), { name, runtime: "nodejs", ...more });
  await writeJson(join(directory, "package.json"), { name, main: "index.js" });
  await writeJson(join(directory, "webhooks.json"), {});
  await writeFile(
    join(directory, "index.js"),
    `const { Webhook } = require("${entry}");
const webhooks = Object.entries(require("./webhooks.json"));
for (const [name, { args, opts }] of webhooks) {
  exports[name + "Secret"] = new Webhook(name, args, opts).secret;
}
`,
  );
}
