import { join } from "node:path";
import { type ProviderProcess, startProvider } from "./grpc-provider.js";
import { shellOf } from "./shell.js";

const repository = join(__dirname, "../../..");

/** The file that `npm run build:plugin` writes. */
export const pluginFile = join(repository, "dist-plugin/pulumi-resource-dbwebhooks");

/** The native plugin, as it is packed. */
export const nativeShell = shellOf({
  name: "the native plugin",
  idOf: ({ databaseId, id }) => `${databaseId}/${id}`,
  startProcess: startPlugin,
  linesOf: (provider) => [
    ...provider.engine.lines.map(({ line }) => line),
    ...provider.output().split("\n"),
  ],
});

/**
 * Starts the plugin. The keys of `config` are those of the stack's configuration; without it, the
 * plugin is not configured.
 */
export function startPlugin(
  config?: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<ProviderProcess> {
  return startProvider({
    command: [pluginFile],
    directory: repository,
    type: "dbwebhooks:index:Webhook",
    config:
      config &&
      Object.fromEntries(
        Object.entries(config).map(([key, value]) => [key.replace("dbwebhooks:", ""), value]),
      ),
    environment,
  });
}
