import { credentials, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
// Node.js finds no named exports in these two generated files.
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import structs, {
  type JavaScriptValue,
  type Struct,
} from "google-protobuf/google/protobuf/struct_pb.js";

export type Properties = Record<string, unknown>;

/** What the engine asks of a provider. */
export interface Operations {
  check(news: Properties, olds?: Properties): Promise<{ inputs: Properties; failures: string[] }>;
  diff(
    id: string,
    olds: Properties,
    news: Properties,
    oldInputs?: Properties,
  ): Promise<messages.DiffResponse.AsObject>;
  create(inputs: Properties, timeoutSeconds?: number): Promise<{ id: string; outs: Properties }>;
  read(id: string, props: Properties): Promise<{ id: string; props: Properties }>;
  /** Reads what the engine knows nothing of but its id. */
  import(id: string): Promise<{ id: string; props: Properties; inputs: Properties }>;
  update(id: string, olds: Properties, news: Properties): Promise<Properties>;
  delete(id: string, props: Properties, timeoutSeconds?: number): Promise<void>;
}

/** Makes any call of the protocol. */
export type Call = <Response>(method: string, request: unknown) => Promise<Response>;

/** Connects to the provider that listens on a port of loopback. */
export function connect(port: string): { readonly call: Call; close(): void } {
  const address = `127.0.0.1:${port}`;
  const client = new ResourceProviderClient(
    address,
    credentials.createInsecure(),
  ) as unknown as Client;
  return {
    call: (method, request) => callOf(client, method, request),
    close: () => client.close(),
  };
}

/** What the engine asks of a provider for the resource with this urn. */
export function operationsOf(call: Call, urn: string): Operations {
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
    async diff(id, olds, news, oldInputs) {
      const request = new messages.DiffRequest()
        .setUrn(urn)
        .setId(id)
        .setOlds(struct(olds))
        .setNews(struct(news))
        .setOldInputs(oldInputs && struct(oldInputs));
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

interface Client {
  close(): void;
  [method: string]: unknown;
}

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
  return structs.Struct.fromJavaScript(properties as Record<string, JavaScriptValue>);
}

function values(response: Struct | undefined): Properties {
  return response?.toJavaScript() ?? {};
}

function expectNoProperty(failures: messages.CheckFailure[]): void {
  if (failures.some((failure) => failure.getProperty() !== "")) {
    throw new Error("a check failure names a property, whose value Pulumi would print");
  }
}
