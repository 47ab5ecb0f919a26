import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { credentials } from "@grpc/grpc-js";
import { type Memory, memoryOf } from "./memory.mts";

const require = createRequire(import.meta.url);
const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb.js");
const messages = require("@pulumi/pulumi/proto/provider_pb.js");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js");

const repository = join(import.meta.dirname, "..");

/** A file that is a provider, and the type of its resource. */
export interface ProviderFile {
  readonly file: string;
  readonly type: string;
}

/** Pulumi's provider process, which loads this package for webhooks. */
export const dynamicProvider: ProviderFile = {
  file: join(repository, "node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js"),
  type: "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
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
};

type Properties = Readonly<Record<string, unknown>>;

/** A provider in a process of its own, driven as the engine does. */
export interface ProviderProcess extends AsyncDisposable {
  /** How long it took from the start of the process to the line with its port. */
  readonly startMs: number;
  readonly check: (news: Properties) => Promise<Properties>;
  readonly diff: (olds: Properties, news: Properties) => Promise<void>;
  /** What it returns are the outputs, and the id. */
  readonly create: (inputs: Properties) => Promise<Properties & { readonly id: string }>;
  readonly delete: (id: string, outputs: Properties) => Promise<void>;
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
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const call = (method: string, request: unknown) =>
    // biome-ignore lint/suspicious/noExplicitAny: the generated code has no types for this.
    new Promise<any>((resolve, reject) => {
      client[method](request, (error: Error | null, response: unknown) =>
        error === null ? resolve(response) : reject(error),
      );
    });
  const struct = (properties: Properties) => Struct.fromJavaScript(properties);
  await call("configure", new messages.ConfigureRequest().setArgs(struct(config)));
  const urn = `urn:pulumi:bench::bench::${type}::hook`;
  return {
    startMs,
    check: async (news) => {
      const request = new messages.CheckRequest().setUrn(urn);
      request.setOlds(struct({})).setNews(struct(news));
      return (await call("check", request)).getInputs().toJavaScript();
    },
    diff: async (olds, news) => {
      const request = new messages.DiffRequest().setUrn(urn);
      request.setId(file === plugin.file ? `${olds.databaseId}/1` : "1");
      await call("diff", request.setOlds(struct(olds)).setNews(struct(news)));
    },
    create: async (inputs) => {
      const request = new messages.CreateRequest().setUrn(urn).setProperties(struct(inputs));
      const response = await call("create", request);
      return { ...response.getProperties().toJavaScript(), id: response.getId() };
    },
    delete: async (id, outputs) => {
      const request = new messages.DeleteRequest().setUrn(urn);
      await call("delete", request.setId(id).setProperties(struct(outputs)));
    },
    memory: () => memoryOf(child.pid),
    [Symbol.asyncDispose]: async () => {
      client.close();
      engine.close();
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
