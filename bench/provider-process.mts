import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import { connect, operationsOf, struct } from "../test/helpers/adapters/provider-calls.mts";
import { executablePlugin, ourPlugin } from "./contenders.mts";
import { memoryOf } from "./memory.mts";

const repository = join(import.meta.dirname, "..");

/** A provider whose process is measured, and what the engine sends to it. */
export interface Provider {
  readonly program: string;
  readonly args: readonly string[];
  readonly type: string;
  /** A webhook's id in the form of this provider. */
  readonly exampleId: string;
  /** The prefix of each key of the configuration. */
  readonly keyPrefix: string;
  /** Inputs besides a webhook's arguments: the provider text that Pulumi's provider process evaluates. */
  readonly extraInputs: Readonly<Record<string, string>>;
}

/** The native plugin. */
export const nativeProvider: Provider = {
  program: process.execPath,
  args: [join(ourPlugin, "pulumi-resource-dbwebhooks")],
  type: "dbwebhooks:index:Webhook",
  exampleId: "base_abc123/1",
  keyPrefix: "",
  extraInputs: {},
};

/** The native plugin with Node.js in it. */
export const executableProvider: Provider = {
  ...nativeProvider,
  program: join(executablePlugin, "pulumi-resource-dbwebhooks"),
  args: [],
};

/** Returns Pulumi's provider process with the dynamic provider that this text defines. */
export const dynamicProvider = (text: string): Provider => ({
  program: process.execPath,
  args: [join(repository, "node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js")],
  type: "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
  exampleId: "1",
  keyPrefix: "dbwebhooks:",
  extraInputs: { __provider: text },
});

/** Starts a provider's process and configures it as the engine does. */
export async function startProvider(provider: Provider) {
  // The provider checks that the engine is still there before it returns a creation.
  const engine = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
  await once(engine, "listening");
  const address = `127.0.0.1:${(engine.address() as AddressInfo).port}`;
  const startedAt = performance.now();
  const child = spawn(provider.program, [...provider.args, address], {
    cwd: repository,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = await once(createInterface({ input: child.stdout }), "line");
  const startMs = performance.now() - startedAt;
  const client = connect(port);
  const config = struct({
    [`${provider.keyPrefix}baseUrl`]: "https://tables.example.com",
    [`${provider.keyPrefix}apiKey`]: "key",
  });
  await client.call("configure", new messages.ConfigureRequest().setArgs(config));
  return {
    ...operationsOf(client.call, `urn:pulumi:bench::bench::${provider.type}::hook`),
    /** The time from the start of the process to the line with its port. */
    startMs,
    memory: () => memoryOf(child.pid),
    [Symbol.asyncDispose]: async () => {
      client.close();
      engine.close();
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
