import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import {
  connect,
  type Operations,
  operationsOf,
  struct,
} from "../test/helpers/shells/provider-calls.mts";
import { type Memory, memoryOf } from "./memory.mts";

const repository = join(import.meta.dirname, "..");

/** A file that is a provider, and the type of its resource. */
export interface ProviderFile {
  readonly file: string;
  readonly type: string;
  /** An id as this provider writes them. */
  readonly someId: string;
}

/** Pulumi's provider process, which loads this package for webhooks. */
export const dynamicProvider: ProviderFile = {
  file: join(repository, "node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js"),
  type: "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
  someId: "1",
};

/** What a webhook carries as `__provider`: Pulumi's provider process evaluates it. */
export const providerText = 'exports.handler = () => require("pulumi-dbwebhooks/provider")';

/** The text of a provider that does nothing. */
export const emptyProviderText = `exports.handler = () => ({
  check: async (olds, { __provider, ...inputs }) => ({ inputs }),
  diff: async () => ({ changes: false }),
})`;

/** The native plugin, as `npm run build:plugin` writes it. */
export const plugin: ProviderFile = {
  file: join(repository, "dist-plugin/pulumi-resource-dbwebhooks"),
  type: "dbwebhooks:index:Webhook",
  someId: "base_abc123/1",
};

/** A provider in a process of its own, driven as the engine does. */
export interface ProviderProcess
  extends Pick<Operations, "check" | "diff" | "create">,
    AsyncDisposable {
  /** How long it took from the start of the process to the line with its port. */
  readonly startMs: number;
  /** Resident memory of the process. */
  readonly memory: () => Memory | undefined;
}

/** Starts a provider process with these settings. */
export async function startProvider(
  config: Readonly<Record<string, string>> = {},
  { file, type }: ProviderFile = dynamicProvider,
): Promise<ProviderProcess> {
  // It asks whether an engine listens before it hands over what it created.
  const engine = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
  await once(engine, "listening");
  const address = `127.0.0.1:${(engine.address() as AddressInfo).port}`;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [file, address], {
    cwd: repository,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = await once(createInterface({ input: child.stdout }), "line");
  const startMs = performance.now() - startedAt;
  const client = connect(port);
  await client.call("configure", new messages.ConfigureRequest().setArgs(struct(config)));
  return {
    ...operationsOf(client.call, `urn:pulumi:bench::bench::${type}::hook`),
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
