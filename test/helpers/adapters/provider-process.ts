import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { ServiceError } from "@grpc/grpc-js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { repository } from "../directory.js";
import { startEngine } from "./engine-stand-in.js";
import { type Call, connect, operationsOf, type Properties, struct } from "./provider-calls.mjs";

/** Environment variables that the process gets in addition to those of the tests. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Starts a provider, configures it and calls it over gRPC as Pulumi's engine does. Disposing kills the
 * process.
 */
export async function startProviderProcess(
  [command, ...args]: readonly [string, ...string[]],
  type: string,
  config: Properties,
  environment: Environment = {},
) {
  const engine = await startEngine();
  // With logging or tracing on, the engine puts flags before its address.
  const flags = ["--logtostderr", "-v=1", `127.0.0.1:${engine.port}`];
  const child = spawn(command, [...args, ...flags], {
    cwd: repository,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  const lines: string[] = [];
  // The first line that a provider prints is its port.
  const firstLine = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      resolve(line);
      lines.push(line);
    });
    createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`provider process ended with ${code}`)));
  });
  const client = connect(await firstLine);
  const errors: ServiceError[] = [];
  const call: Call = (method, request) =>
    client.call(method, request).catch((error: ServiceError) => {
      errors.push(error);
      throw error;
    }) as never;
  const stop = async () => {
    client.close();
    engine.close();
    child.kill("SIGKILL");
    await closed;
  };
  try {
    await call("configure", new messages.ConfigureRequest().setArgs(struct(config)));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...operationsOf(call, `urn:pulumi:test::webhooks::${type}::orders`),
    call,
    /** The errors of all calls that failed. */
    errors,
    child,
    engine,
    /** Everything that the process has written after its port. */
    output: () => lines.slice(1).join("\n"),
    [Symbol.asyncDispose]: stop,
  };
}

/** The details of an error after which Pulumi stores the resource although its creation failed. */
export function partialCreationOf(error: unknown): messages.ErrorResourceInitFailed | undefined {
  const [bytes] = (error as ServiceError).metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Buffer)) {
    return undefined;
  }
  const [detail] = Status.deserializeBinary(bytes).getDetailsList();
  return detail && messages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
}
