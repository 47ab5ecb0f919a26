import { join } from "node:path";
import {
  type Environment,
  type ProviderProcess,
  repository,
  startProvider,
} from "./grpc-provider.js";
import { shellOf } from "./shell.js";

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

/** Starts the plugin. The keys of `config` may be those of the stack's configuration. */
export function startPlugin(
  config: Readonly<Record<string, string>>,
  environment?: Environment,
): Promise<ProviderProcess> {
  const settings = Object.entries(config).map(([key, value]) => {
    return [key.replace("dbwebhooks:", ""), value];
  });
  const type = "dbwebhooks:index:Webhook";
  return startProvider([pluginFile], type, Object.fromEntries(settings), environment);
}
