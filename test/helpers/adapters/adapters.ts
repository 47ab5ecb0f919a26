import { join } from "node:path";
import type { ServiceError } from "@grpc/grpc-js";
import { DiffResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import type { StoredWebhook } from "pulumi-dbwebhooks/local-service";
import { repository } from "../directory.js";
import type { Properties } from "./provider-calls.mjs";
import { type Environment, partialCreationOf, startProviderProcess } from "./provider-process.js";

/** One of the two ways in which the package reaches Pulumi. */
export interface Adapter {
  readonly name: string;
  /** Returns the id by which Pulumi knows a webhook. */
  readonly idOf: (webhook: Pick<StoredWebhook, "databaseId" | "id">) => string;
  /** The resource type of a webhook. */
  readonly type: string;
  readonly command: readonly [string, ...string[]];
  /** Stands before the name of each setting when the engine configures the provider. */
  readonly settingPrefix: string;
  /** What Pulumi adds to the arguments of each webhook. */
  readonly addedInputs: Properties;
}

/** Pulumi's own provider process, which loads the built package. */
export const dynamicAdapter: Adapter = {
  name: "the dynamic provider",
  idOf: ({ id }) => String(id),
  type: "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
  command: [
    process.execPath,
    join(repository, "node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js"),
  ],
  settingPrefix: "dbwebhooks:",
  addedInputs: { __provider: 'exports.handler = () => require("pulumi-dbwebhooks/provider")' },
};

/** The file that `npm run build:plugin` writes. */
export const pluginFile = join(repository, "dist-plugin/pulumi-resource-dbwebhooks");

export const pluginAdapter: Adapter = {
  name: "the native plugin",
  idOf: ({ databaseId, id }) => `${databaseId}/${id}`,
  type: "dbwebhooks:index:Webhook",
  command: [pluginFile],
  settingPrefix: "",
  addedInputs: {},
};

/** Both adapters, for `describe.each`. */
export const adapters: readonly Adapter[] = [dynamicAdapter, pluginAdapter];

/** The result of a creation. The secret in the state is unwrapped, as the engine passes it on. */
export type CreateResult =
  | { readonly id: string; readonly secret: string; readonly state: Properties }
  | {
      readonly error: string;
      /** Present if Pulumi stores the webhook although the creation failed. */
      readonly partial?: { readonly id: string; readonly reasons: readonly string[] };
    };

/** An adapter in a process of its own. Disposing kills the process. */
export type RunningAdapter = Awaited<ReturnType<typeof startAdapter>>;

/** Starts an adapter and configures it; the names of the settings have no prefix. */
export async function startAdapter(
  { type, command, settingPrefix, addedInputs }: Adapter,
  settings: Readonly<Record<string, string>>,
  environment?: Environment,
) {
  const config = Object.entries(settings).map(([name, value]) => [settingPrefix + name, value]);
  const provider = await startProviderProcess(
    command,
    type,
    Object.fromEntries(config),
    environment,
  );
  return {
    check: async (args: Properties) => {
      const { inputs, failures } = await provider.check({ ...addedInputs, ...args });
      const { __provider, ...webhookInputs } = inputs;
      return { inputs: webhookInputs, failures };
    },
    diff: async (id: string, state: Properties, inputs: Properties) => {
      const news = { ...addedInputs, ...inputs };
      const { changes, replacesList } = await provider.diff(id, state, news);
      return { isChanged: changes !== DiffResponse.DiffChanges.DIFF_NONE, replaces: replacesList };
    },
    create: (inputs: Properties): Promise<CreateResult> =>
      provider.create({ ...addedInputs, ...inputs }).then(({ id, outs }) => {
        const state = withUnwrappedSecret(outs);
        return { id, secret: String(state.secret), state };
      }, failedCreation),
    /** Returns an empty id if the webhook is gone. */
    read: async (id: string, state: Properties) => {
      const { id: idRead, props } = await provider.read(id, { ...addedInputs, ...state });
      return { id: idRead, state: withUnwrappedSecret(props) };
    },
    /** Returns the message of the error; empty if the deletion succeeded. */
    delete: (id: string, state: Properties): Promise<string> =>
      provider.delete(id, { ...addedInputs, ...state }).then(
        () => "",
        ({ details }: ServiceError) => details,
      ),
    /** What the process has logged so far; complete once it has stopped. */
    lines: () => [
      ...provider.engine.lines.map(({ line }) => line),
      ...provider.output().split("\n"),
    ],
    process: provider,
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

/** Unwraps the secret, which a provider returns in Pulumi's envelope and gets back without it. */
export function withUnwrappedSecret(outs: Properties): Properties {
  const { secret } = outs as { secret?: { value: string } };
  return secret === undefined ? outs : { ...outs, secret: secret.value };
}

function failedCreation(error: ServiceError): CreateResult {
  const partial = partialCreationOf(error);
  return {
    error: error.details,
    ...(partial && { partial: { id: partial.getId(), reasons: partial.getReasonsList() } }),
  };
}
