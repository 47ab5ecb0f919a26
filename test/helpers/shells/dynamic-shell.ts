import type { ServiceError } from "@grpc/grpc-js";
import { partialCreationOf } from "./grpc-provider.js";
import { providerText, startDynamicProvider } from "./provider-process.js";
import type { CreateResult, Properties, Shell } from "./shell.js";

/** Pulumi's own provider process with the built package in it. */
export const dynamicShell: Shell = {
  name: "the dynamic provider",
  idOf: ({ id }) => String(id),
  start: async (config, environment) => {
    const provider = await startDynamicProvider(config, environment);
    return {
      check: async (inputs) => {
        const checked = await provider.check(withText(inputs));
        return { ...checked, inputs: withoutText(checked.inputs) };
      },
      diff: async (id, state, inputs) => {
        const { changes, replacesList } = await provider.diff(id, state, withText(inputs));
        return { isChanged: changes !== 1, replaces: replacesList };
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
      lines: () => provider.output().split("\n"),
      process: provider,
      [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
    };
  },
};

/** What a failed creation says, and whether Pulumi is to store the webhook all the same. */
export function failureOf(error: ServiceError): CreateResult {
  const partial = partialCreationOf(error);
  return {
    error: error.details,
    ...(partial && { partial: { id: partial.getId(), reasons: partial.getReasonsList() } }),
  };
}

function withText(inputs: Properties): Properties {
  return { __provider: providerText, ...inputs };
}

function withoutText({ __provider, ...inputs }: Properties): Properties {
  return inputs;
}

/** A provider returns a secret in Pulumi's envelope, and gets it back bare. */
export function withBareSecret(outs: Properties): Properties {
  const { secret } = outs as { secret?: { value: string } };
  return secret === undefined ? outs : { ...outs, secret: secret.value };
}
