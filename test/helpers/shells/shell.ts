import type { ServiceError } from "@grpc/grpc-js";
import { DiffResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import type { StoredWebhook } from "pulumi-dbwebhooks/local-service";
import { type ProviderProcess, partialCreationOf } from "./grpc-provider.js";
import type { Properties } from "./provider-calls.mjs";

/** What a creation came to. In a state the secret is in clear, as the engine hands it over. */
export type CreateResult =
  | { readonly id: string; readonly secret: string; readonly state: Properties }
  | {
      readonly error: string;
      /** Present where Pulumi is to store the webhook all the same. */
      readonly partial?: { readonly id: string; readonly reasons: readonly string[] };
    };

/** A way in which the package reaches Pulumi: one provider, driven as the engine drives it. */
export interface Shell {
  readonly name: string;
  /** The id that Pulumi knows a webhook by. */
  idOf(webhook: Pick<StoredWebhook, "databaseId" | "id">): string;
  /**
   * Starts a process of it. The keys of `config` are those of the stack's configuration; what is in
   * `environment` is added to this process's own.
   */
  start(
    config: Readonly<Record<string, string>>,
    environment?: Readonly<Record<string, string | undefined>>,
  ): Promise<RunningShell>;
}

/** Inputs are the arguments of `Webhook`, nothing else. Disposing stops the process. */
export interface RunningShell extends AsyncDisposable {
  check(inputs: Properties): Promise<{ inputs: Properties; failures: readonly string[] }>;
  diff(
    id: string,
    state: Properties,
    inputs: Properties,
  ): Promise<{ isChanged: boolean; replaces: readonly string[] }>;
  create(inputs: Properties): Promise<CreateResult>;
  /** An empty id when the webhook is gone. */
  read(id: string, state: Properties): Promise<{ id: string; state: Properties }>;
  /** Gives the error, if there is one. */
  delete(id: string, state: Properties): Promise<{ error?: string }>;
  /** What the process has logged so far; complete when it is stopped. */
  lines(): readonly string[];
  /** What runs. */
  readonly process: ProviderProcess;
}

/** What one shell does in its own way. */
interface ShellParts extends Pick<Shell, "name" | "idOf"> {
  /** What webhooks carry as `__provider`; nothing where the process does not take it. */
  readonly providerText?: string;
  /** Starts the process, configured as {@link Shell.start} says. */
  readonly startProcess: (...args: Parameters<Shell["start"]>) => Promise<ProviderProcess>;
  readonly linesOf: (provider: ProviderProcess) => readonly string[];
}

/** Makes a shell of its parts. */
export function shellOf({ name, idOf, providerText, startProcess, linesOf }: ShellParts): Shell {
  const withText = (properties: Properties): Properties =>
    providerText === undefined ? properties : { __provider: providerText, ...properties };
  const withoutText = (properties: Properties): Properties => {
    const { __provider, ...inputs } = properties;
    return providerText === undefined ? properties : inputs;
  };
  return {
    name,
    idOf,
    start: async (config, environment) => {
      const provider = await startProcess(config, environment);
      return {
        check: async (inputs) => {
          const checked = await provider.check(withText(inputs));
          return { ...checked, inputs: withoutText(checked.inputs) };
        },
        diff: async (id, state, inputs) => {
          const { changes, replacesList } = await provider.diff(id, state, withText(inputs));
          const isChanged = changes !== DiffResponse.DiffChanges.DIFF_NONE;
          return { isChanged, replaces: replacesList };
        },
        create: (inputs) =>
          provider.create(withText(inputs)).then(({ id, outs }) => {
            const state = withBareSecret(outs);
            return { id, secret: String(state.secret), state };
          }, failureOf),
        read: async (id, state) => {
          const { id: idRead, props } = await provider.read(id, withText(state));
          return { id: idRead, state: withBareSecret(props) };
        },
        delete: (id, state) =>
          provider.delete(id, withText(state)).then(
            () => ({}),
            ({ details }: ServiceError) => ({ error: details }),
          ),
        lines: () => linesOf(provider),
        process: provider,
        [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
      };
    },
  };
}

/** What a failed creation says, and whether Pulumi is to store the webhook all the same. */
function failureOf(error: ServiceError): CreateResult {
  const partial = partialCreationOf(error);
  return {
    error: error.details,
    ...(partial && { partial: { id: partial.getId(), reasons: partial.getReasonsList() } }),
  };
}

/** A provider returns a secret in Pulumi's envelope, and gets it back bare. */
export function withBareSecret(outs: Properties): Properties {
  const { secret } = outs as { secret?: { value: string } };
  return secret === undefined ? outs : { ...outs, secret: secret.value };
}
