import { credentials, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import {
  CheckRequest,
  type CheckResponse,
  CreateRequest,
  type CreateResponse,
  DeleteRequest,
  DiffRequest,
  type DiffResponse,
  ReadRequest,
  type ReadResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb.js";

export type Properties = Record<string, unknown>;

/** Makes any call of the protocol. */
export type Call = <Response>(method: string, request: unknown) => Promise<Response>;

/** Connects to the provider that listens on a port of loopback. */
export function connect(port: string): { readonly call: Call; close(): void } {
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const methods = client as unknown as Record<string, (...args: unknown[]) => void>;
  const call = (method: string, request: unknown) =>
    new Promise((resolve, reject) => {
      if (methods[method] === undefined) {
        throw new Error(`the protocol has no call ${method}`);
      }
      methods[method](request, (error: ServiceError | null, response: unknown) =>
        error === null ? resolve(response) : reject(error),
      );
    });
  return { call: call as Call, close: () => client.close() };
}

/** The calls that the engine makes for the resource with this urn. */
export function operationsOf(call: Call, urn: string) {
  return {
    async check(news: Properties, olds: Properties = {}) {
      const request = new CheckRequest().setOlds(struct(olds)).setNews(struct(news));
      const response = await call<CheckResponse>("check", request.setUrn(urn));
      const failures = response.getFailuresList();
      if (failures.some((failure) => failure.getProperty() !== "")) {
        throw new Error("a check failure names a property, whose value Pulumi would print");
      }
      const reasons = failures.map((failure) => failure.getReason());
      return { inputs: values(response.getInputs()), failures: reasons };
    },
    async diff(
      id: string,
      olds: Properties,
      news: Properties,
      { oldInputs, ignoreChanges = [] }: { oldInputs?: Properties; ignoreChanges?: string[] } = {},
    ) {
      const request = new DiffRequest().setOlds(struct(olds)).setNews(struct(news));
      request.setOldInputs(oldInputs && struct(oldInputs)).setIgnorechangesList(ignoreChanges);
      const response = await call<DiffResponse>("diff", request.setUrn(urn).setId(id));
      return response.toObject();
    },
    async create(inputs: Properties) {
      const request = new CreateRequest().setProperties(struct(inputs));
      const response = await call<CreateResponse>("create", request.setUrn(urn));
      return { id: response.getId(), outs: values(response.getProperties()) };
    },
    async read(id: string, props?: Properties, inputs: Properties = {}) {
      const request = new ReadRequest().setUrn(urn).setId(id).setInputs(struct(inputs));
      request.setProperties(props && struct(props));
      const response = await call<ReadResponse>("read", request);
      return {
        id: response.getId(),
        props: values(response.getProperties()),
        inputs: values(response.getInputs()),
      };
    },
    /** Reads a resource of which the engine knows only the id. */
    import(id: string) {
      return this.read(id);
    },
    async delete(id: string, props: Properties) {
      const request = new DeleteRequest().setProperties(struct(props));
      await call("delete", request.setUrn(urn).setId(id));
    },
  };
}

/** Converts properties to their form in messages. */
export function struct(properties: Properties): Struct {
  return Struct.fromJavaScript(properties as Record<string, JavaScriptValue>);
}

function values(response: Struct | undefined): Properties {
  return response?.toJavaScript() ?? {};
}
