import { symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Adapter, dynamicAdapter, pluginAdapter } from "./adapters/adapters.ts";
import { someArgs } from "./builders.ts";
import { repository, writeFiles, writeJson } from "./directory.ts";

/** A webhook of a program. The output `<name>Secret` of the stack has its secret. */
interface DeclaredWebhook {
  /** Changes of {@link someArgs}. */
  readonly args?: object;
  readonly opts?: object;
  /** The name of an explicit provider. */
  readonly provider?: string;
  /** Whether the program passes the url as a Pulumi secret. */
  readonly hasSecretUrl?: boolean;
}

/** Webhooks by resource name. */
export type Webhooks = Readonly<Record<string, DeclaredWebhook>>;
/** The arguments of explicit providers by resource name. */
type Providers = Readonly<Record<string, object>>;

export interface Program extends Pick<Adapter, "name" | "type"> {
  /** Writes a project without resources into its directory. */
  write(directory: string): Promise<void>;
  /** Replaces the webhooks and explicit providers that the program declares. */
  declare(directory: string, webhooks: Webhooks, providers?: Providers): Promise<void>;
}

/** Makes a project use the plugin of this build, which is not installed. */
const pluginOfBuild = {
  plugins: { providers: [{ name: "dbwebhooks", path: join(repository, "plugin") }] },
};

/** A JavaScript program with the dynamic provider. */
export const javascriptProgram: Program = {
  ...dynamicAdapter,
  ...javascript("pulumi-dbwebhooks", {}),
};

/** A JavaScript program with the plugin. */
export const javascriptPluginProgram: Program = {
  ...pluginAdapter,
  ...javascript("pulumi-dbwebhooks/native", pluginOfBuild),
};

/** A YAML program with the plugin. */
export const yamlProgram: Program = {
  ...pluginAdapter,
  write: (directory) => writeYamlProject(directory, {}),
  declare: (directory, webhooks, providers = {}) => {
    const resources: Record<string, object> = {};
    const outputs: Record<string, string> = {};
    for (const [name, properties] of Object.entries(providers)) {
      resources[name] = { type: "pulumi:providers:dbwebhooks", properties };
    }
    for (const [name, webhook] of Object.entries(webhooks)) {
      const { args, opts, provider, hasSecretUrl } = webhook;
      const { url, ...rest } = someArgs(args);
      resources[name] = {
        type: "dbwebhooks:Webhook",
        properties: { ...rest, url: hasSecretUrl ? { "fn::secret": url } : url },
        options: { ...opts, ...(provider && { provider: reference(provider) }) },
      };
      outputs[`${name}Secret`] = reference(`${name}.secret`);
    }
    return writeYamlProject(directory, { resources, outputs });
  },
};

/**
 * Returns a reference to a resource or, in YAML, to one of its outputs, such as `orders.secret`.
 */
export function reference(path: string): string {
  return `\${${path}}`;
}

/** Writes a project with a YAML program. JSON is also YAML. */
function writeYamlProject(directory: string, content: object): Promise<void> {
  const project = { name: "webhooks", runtime: "yaml", ...pluginOfBuild };
  return writeJson(join(directory, "Pulumi.yaml"), { ...project, ...content });
}

const programThatReadsResources = (entry: string) => `
const { secret } = require("@pulumi/pulumi");
const { Provider, Webhook } = require("${entry}");
const { webhooks, providers } = require("./resources.json");
for (const name of Object.keys(providers)) {
  providers[name] = new Provider(name, providers[name]);
}
const resources = {};
for (const { name, args, opts = {}, provider, hasSecretUrl } of webhooks) {
  const url = hasSecretUrl ? secret(args.url) : args.url;
  // A reference to an earlier resource, such as \${orders}.
  const dependsOn = opts.dependsOn?.map((reference) => resources[reference.slice(2, -1)]);
  const options = { ...opts, dependsOn, provider: providers[provider] };
  resources[name] = new Webhook(name, { ...args, url }, options);
  exports[name + "Secret"] = resources[name].secret;
}
`;

function javascript(entry: string, projectFields: object): Pick<Program, "write" | "declare"> {
  const declare = (directory: string, webhooks: Webhooks, providers: Providers = {}) => {
    const declared = Object.entries(webhooks).map(([name, { args, ...rest }]) => {
      return { name, args: someArgs(args), ...rest };
    });
    return writeJson(join(directory, "resources.json"), { webhooks: declared, providers });
  };
  const write = async (directory: string) => {
    // Beside the project, because the language host searches everything below the project for
    // plugins.
    await symlink(join(repository, "node_modules"), join(dirname(directory), "node_modules"));
    await writeFiles(directory, {
      "Pulumi.yaml": { name: "webhooks", runtime: "nodejs", ...projectFields },
      "package.json": { main: "index.js" },
      "index.js": programThatReadsResources(entry),
    });
    await declare(directory, {});
  };
  return { write, declare };
}
