import { join } from "node:path";
import type { ServiceError } from "@grpc/grpc-js";
import { ConfigureRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import { providerText } from "../../../src/common/provider-text.ts";
import { start } from "../commands.ts";
import { repository } from "../directory.ts";
import { startEngine } from "./engine-stand-in.ts";
import { type Call, connect, operationsOf, type Properties, struct } from "./provider-calls.ts";

/** Pulumi's own provider process, which loads the built package. */
export const dynamicAdapter = {
  name: "the dynamic provider",
  /** The resource type of a webhook. */
  type: "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
  program: process.execPath,
  args: [join(repository, "node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js")],
  /** The prefix of each setting's name when the engine configures the provider. */
  settingPrefix: "dbwebhooks:",
  /** The inputs that are added to the arguments of each webhook. */
  addedInputs: { __provider: providerText } as Properties,
};

/** One of the two ways in which the package reaches Pulumi. */
export type Adapter = typeof dynamicAdapter;

export const pluginAdapter: Adapter = {
  name: "the plugin",
  type: "dbwebhooks:index:Webhook",
  /** The file that `npm run build` writes. */
  program: join(repository, "plugin/pulumi-resource-dbwebhooks"),
  args: [],
  settingPrefix: "",
  addedInputs: dynamicAdapter.addedInputs,
};

/** Both adapters, for `describe.each`. */
export const adapters: readonly Adapter[] = [dynamicAdapter, pluginAdapter];

/**
 * Starts an adapter in a process of its own, configures it, and calls it over gRPC as Pulumi's
 * engine does. The names of the settings have no prefix; the environment is added to that of the
 * tests.
 */
export async function startAdapter(
  { type, program, args, settingPrefix, addedInputs }: Adapter,
  settings: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
) {
  const engine = await startEngine();
  // With logging or tracing on, the engine puts flags before its address.
  const flags = ["--logtostderr", "-v=1", `127.0.0.1:${engine.port}`];
  const options = { directory: repository, environment };
  const { child, output, stdout, waitFor, result } = start(program, [...args, ...flags], options);
  // The first line that a provider writes to its standard output is its port.
  const client = connect(await waitFor(/^(\d+)\n/, stdout));
  const errors: ServiceError[] = [];
  const call: Call = (method, request) =>
    client.call(method, request).catch((error: ServiceError) => {
      errors.push(error);
      throw error;
    }) as never;
  const config = Object.entries(settings).map(([name, value]) => [settingPrefix + name, value]);
  const configuration = new ConfigureRequest().setArgs(struct(Object.fromEntries(config)));
  await call("configure", configuration.setName("default_0_1_0"));
  const callsFor = (name: string) =>
    operationsOf(call, `urn:pulumi:test::webhooks::${type}::${name}`);
  const calls = callsFor("orders");
  const withAddedInputs = (properties: Properties) => ({ ...addedInputs, ...properties });
  return {
    check: (webhookArgs: Properties) => calls.check(withAddedInputs(webhookArgs)),
    diff: (id: string, state: Properties, inputs: Properties) =>
      calls.diff(id, state, withAddedInputs(inputs)),
    create: (inputs: Properties, name = "orders") =>
      callsFor(name)
        .create(withAddedInputs(inputs))
        .then(({ id, outs }) => {
          const { secret } = outs as { secret?: { value: string } };
          return { id, secret: secret?.value ?? "" };
        }, failedCreation),
    read: (id: string, state: Properties) => calls.read(id, withAddedInputs(state)),
    /** Returns the message of the error; empty if the deletion succeeded. */
    delete: (id: string, state: Properties): Promise<string> =>
      calls.delete(id, withAddedInputs(state)).then(
        () => "",
        ({ details }: ServiceError) => details,
      ),
    /** The lines that the process has logged or printed so far; complete once it has stopped. */
    lines: () => [...engine.lines.map(({ line }) => line), ...output().split("\n")],
    /** The calls of the protocol, to which nothing is added. */
    calls,
    child,
    engine,
    /** The errors of all calls that failed. */
    errors,
    async [Symbol.asyncDispose]() {
      client.close();
      engine.close();
      child.kill("SIGKILL");
      await result;
    },
  };
}

function failedCreation({ details, metadata }: ServiceError) {
  // With these details Pulumi would store the webhook although its creation failed.
  if (metadata.get("grpc-status-details-bin").length > 0) {
    throw new Error("a partial creation");
  }
  return { error: details };
}
