import { join } from "node:path";
import type { ServiceError } from "@grpc/grpc-js";
import { failureOf, withBareSecret } from "./dynamic-shell.js";
import { type ProviderProcess, startProvider } from "./grpc-provider.js";
import type { Shell } from "./shell.js";

const repository = join(__dirname, "../../..");

/** The file that `npm run build:plugin` writes. */
export const pluginFile = join(repository, "dist-plugin/pulumi-resource-dbwebhooks");

/** The native plugin, as it is packed. */
export const nativeShell: Shell = {
  name: "the native plugin",
  idOf: ({ databaseId, id }) => `${databaseId}/${id}`,
  start: async (config, environment) => {
    const provider = await startPlugin(config, environment);
    return {
      check: (inputs) => provider.check(inputs),
      diff: async (id, state, inputs) => {
        const { changes, replacesList } = await provider.diff(id, state, inputs);
        return { isChanged: changes !== 1, replaces: replacesList };
      },
      create: (inputs) =>
        provider.create(inputs).then(({ id, outs }) => {
          const state = withBareSecret(outs);
          return { id, secret: String(state.secret), state };
        }, failureOf),
      read: async (id, state) => {
        const { id: idRead, props } = await provider.read(id, state);
        return { id: idRead, state: withBareSecret(props) };
      },
      delete: (id, state) =>
        provider.delete(id, state).then(
          () => ({}),
          ({ details }: ServiceError) => ({ error: details }),
        ),
      lines: () => [
        ...provider.engine.lines.map(({ line }) => line),
        ...provider.output().split("\n"),
      ],
      process: provider,
      [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
    };
  },
};

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
