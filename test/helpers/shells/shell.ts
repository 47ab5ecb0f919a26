import type { ServiceError } from "@grpc/grpc-js";
import { DiffResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import type { StoredWebhook } from "pulumi-dbwebhooks/local-service";
import { type Environment, type ProviderProcess, partialCreationOf } from "./grpc-provider.js";
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
export type Shell = ReturnType<typeof shellOf>;

/** Its inputs are the arguments of `Webhook`, nothing else. Disposing stops the process. */
export type RunningShell = Awaited<ReturnType<Shell["start"]>>;

/** What one shell does in its own way. */
interface ShellParts {
  readonly name: string;
  /** The id that Pulumi knows a webhook by. */
  readonly idOf: (webhook: Pick<StoredWebhook, "databaseId" | "id">) => string;
  /** What webhooks carry as `__provider`; nothing where the process does not take it. */
  readonly providerText?: string;
  /** Starts the process. The keys of `config` are those of the stack's configuration. */
  readonly startProcess: (
    config: Readonly<Record<string, string>>,
    environment?: Environment,
  ) => Promise<ProviderProcess>;
  readonly linesOf: (provider: ProviderProcess) => readonly string[];
}

/** Makes a shell of its parts. */
export function shellOf({ name, idOf, providerText, startProcess, linesOf }: ShellParts) {
  const text = providerText === undefined ? {} : { __provider: providerText };
  const start = async (...settings: Parameters<typeof startProcess>) => {
    const provider = await startProcess(...settings);
    return {
      check: async (args: Properties) => {
        const { inputs, failures } = await provider.check({ ...text, ...args });
        const { __provider, ...bare } = inputs;
        return { inputs: providerText === undefined ? inputs : bare, failures };
      },
      diff: async (id: string, state: Properties, inputs: Properties) => {
        const { changes, replacesList } = await provider.diff(id, state, { ...text, ...inputs });
        const isChanged = changes !== DiffResponse.DiffChanges.DIFF_NONE;
        return { isChanged, replaces: replacesList };
      },
      create: (inputs: Properties): Promise<CreateResult> =>
        provider.create({ ...text, ...inputs }).then(({ id, outs }) => {
          const state = withBareSecret(outs);
          return { id, secret: String(state.secret), state };
        }, failureOf),
      /** An empty id when the webhook is gone. */
      read: async (id: string, state: Properties) => {
        const { id: idRead, props } = await provider.read(id, { ...text, ...state });
        return { id: idRead, state: withBareSecret(props) };
      },
      /** Gives the error, if there is one. */
      delete: (id: string, state: Properties): Promise<{ error?: string }> =>
        provider.delete(id, { ...text, ...state }).then(
          () => ({}),
          ({ details }: ServiceError) => ({ error: details }),
        ),
      /** What the process has logged so far; complete when it is stopped. */
      lines: () => linesOf(provider),
      process: provider,
      [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
    };
  };
  return { name, idOf, start };
}

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
