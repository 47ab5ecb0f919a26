import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { credentials, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { type EngineStandIn, startEngine } from "./engine-stand-in.js";

export type Properties = Record<string, unknown>;

/** A provider over gRPC, driven as the engine does. Disposing kills its process. */
export interface ProviderProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  /** The engine that it was started by. */
  readonly engine: EngineStandIn;
  /** Everything the process wrote after its port. */
  readonly output: () => string;
  /** The errors that calls have ended with, as they came. */
  readonly errors: readonly ServiceError[];
  /** Makes any call of the protocol. */
  call<Response>(method: string, request: unknown): Promise<Response>;
  check(news: Properties, olds?: Properties): Promise<{ inputs: Properties; failures: string[] }>;
  diff(id: string, olds: Properties, news: Properties): Promise<messages.DiffResponse.AsObject>;
  create(inputs: Properties, timeoutSeconds?: number): Promise<{ id: string; outs: Properties }>;
  read(id: string, props: Properties): Promise<{ id: string; props: Properties }>;
  /** Reads what the engine knows nothing of but its id. */
  import(id: string): Promise<{ id: string; props: Properties; inputs: Properties }>;
  update(id: string, olds: Properties, news: Properties): Promise<Properties>;
  delete(id: string, props: Properties, timeoutSeconds?: number): Promise<void>;
}

/** A program that is a provider: it gets the engine's address as its last argument. */
export interface ProviderProgram {
  readonly command: readonly [string, ...string[]];
  /** The directory it runs in. */
  readonly directory: string;
  /** The type of its resource. */
  readonly type: string;
  /** What `Configure` hands over; without it, there is no such call. */
  readonly config?: Properties | undefined;
  /** Added to this process's own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Starts a provider, which prints its port as the first line of its output, and configures it. */
export async function startProvider({
  command: [command, ...args],
  directory,
  type,
  config,
  environment,
}: ProviderProgram): Promise<ProviderProcess> {
  const engine = await startEngine();
  // With logging or tracing on, the engine puts flags before its address.
  const flags = ["--logtostderr", "-v=1", `127.0.0.1:${engine.port}`];
  const child = spawn(command, [...args, ...flags], {
    cwd: directory,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const closed = once(child, "close");
  const firstLine = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      resolve(line);
      lines.push(line);
    });
    createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`provider process ended with ${code}`)));
  });
  const port = await firstLine;
  const client = new ResourceProviderClient(
    `127.0.0.1:${port}`,
    credentials.createInsecure(),
  ) as unknown as Client;
  const errors: ServiceError[] = [];
  const call: Call = (method, request) =>
    callOf(client, method, request).catch((error: ServiceError) => {
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
    if (config !== undefined) {
      await call("configure", new messages.ConfigureRequest().setArgs(struct(config)));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const output = () => lines.slice(1).join("\n");
  return {
    ...operationsOf(call, `urn:pulumi:test::webhooks::${type}::orders`),
    call,
    errors,
    child,
    engine,
    output,
    [Symbol.asyncDispose]: stop,
  };
}

type Operation = "check" | "diff" | "create" | "read" | "import" | "update" | "delete";

function operationsOf(call: Call, urn: string): Pick<ProviderProcess, Operation> {
  return {
    async check(news, olds = {}) {
      const request = new messages.CheckRequest()
        .setUrn(urn)
        .setOlds(struct(olds))
        .setNews(struct(news));
      const response = await call<messages.CheckResponse>("check", request);
      const failures = response.getFailuresList();
      expectNoProperty(failures);
      return {
        inputs: values(response.getInputs()),
        failures: failures.map((failure) => failure.getReason()),
      };
    },
    async diff(id, olds, news) {
      const request = new messages.DiffRequest()
        .setUrn(urn)
        .setId(id)
        .setOlds(struct(olds))
        .setNews(struct(news));
      return (await call<messages.DiffResponse>("diff", request)).toObject();
    },
    async create(inputs, timeoutSeconds = 0) {
      const request = new messages.CreateRequest()
        .setUrn(urn)
        .setProperties(struct(inputs))
        .setTimeout(timeoutSeconds);
      const response = await call<messages.CreateResponse>("create", request);
      return { id: response.getId(), outs: values(response.getProperties()) };
    },
    async read(id, props) {
      const request = new messages.ReadRequest().setUrn(urn).setId(id).setProperties(struct(props));
      const response = await call<messages.ReadResponse>("read", request);
      return { id: response.getId(), props: values(response.getProperties()) };
    },
    async import(id) {
      const request = new messages.ReadRequest().setUrn(urn).setId(id);
      const response = await call<messages.ReadResponse>("read", request);
      return {
        id: response.getId(),
        props: values(response.getProperties()),
        inputs: values(response.getInputs()),
      };
    },
    async update(id, olds, news) {
      const request = new messages.UpdateRequest()
        .setUrn(urn)
        .setId(id)
        .setOlds(struct(olds))
        .setNews(struct(news));
      const response = await call<messages.UpdateResponse>("update", request);
      return values(response.getProperties());
    },
    async delete(id, props, timeoutSeconds = 0) {
      const request = new messages.DeleteRequest()
        .setUrn(urn)
        .setId(id)
        .setProperties(struct(props))
        .setTimeout(timeoutSeconds);
      await call("delete", request);
    },
  };
}

/** What a failed call carries when Pulumi is to store a resource all the same. */
export function partialCreationOf(error: unknown): messages.ErrorResourceInitFailed | undefined {
  const [bytes] = (error as ServiceError).metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Buffer)) {
    return undefined;
  }
  const [detail] = Status.deserializeBinary(bytes).getDetailsList();
  return detail && messages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
}

interface Client {
  close(): void;
  [method: string]: unknown;
}

type Call = <Response>(method: string, request: unknown) => Promise<Response>;

function callOf<Response>(client: Client, method: string, request: unknown): Promise<Response> {
  type Send = (
    request: unknown,
    callback: (error: ServiceError | null, response: Response) => void,
  ) => void;
  return new Promise((resolve, reject) => {
    (client[method] as Send).call(client, request, (error, response) => {
      if (error === null) {
        resolve(response);
      } else {
        reject(error);
      }
    });
  });
}

/** Properties as they travel. */
export function struct(properties: Properties): Struct {
  return Struct.fromJavaScript(properties as Record<string, JavaScriptValue>);
}

function values(response: Struct | undefined): Properties {
  return response?.toJavaScript() ?? {};
}

function expectNoProperty(failures: messages.CheckFailure[]): void {
  if (failures.some((failure) => failure.getProperty() !== "")) {
    throw new Error("a check failure names a property, whose value Pulumi would print");
  }
}
