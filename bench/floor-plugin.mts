#!/usr/bin/env node
// A native plugin that returns at once, so that only the times of Pulumi and of a plugin's start are measured.
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import schema from "../src/adapters/plugin/schema-template.json" with { type: "json" };

// The key and value by which Pulumi recognizes a secret.
const secretMark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
let lastId = 0;

const unaryHandler =
  <Request, Response>(respond: (request: Request) => Response) =>
  ({ request }: ServerUnaryCall<Request, Response>, done: sendUnaryData<Response>) =>
    done(null, respond(request));

const checkHandler = unaryHandler((request: messages.CheckRequest) =>
  new messages.CheckResponse().setInputs(request.getNews()),
);

const handlers = {
  getPluginInfo: unaryHandler(() => new PluginInfo().setVersion("0.0.0")),
  getSchema: unaryHandler(() =>
    new messages.GetSchemaResponse().setSchema(JSON.stringify({ ...schema, version: "0.0.0" })),
  ),
  checkConfig: checkHandler,
  configure: unaryHandler(() => new messages.ConfigureResponse()),
  check: checkHandler,
  diff: unaryHandler(() =>
    new messages.DiffResponse().setChanges(messages.DiffResponse.DiffChanges.DIFF_NONE),
  ),
  create: unaryHandler((request: messages.CreateRequest) => {
    lastId += 1;
    const properties = Struct.fromJavaScript({
      ...request.getProperties()?.toJavaScript(),
      baseUrl: "http://127.0.0.1:10000",
      webhookId: String(lastId),
      secret: { ...secretMark, value: `whsec_${"x".repeat(43)}=` },
    });
    return new messages.CreateResponse().setId(`base_abc123/${lastId}`).setProperties(properties);
  }),
  read: unaryHandler((request: messages.ReadRequest) =>
    new messages.ReadResponse()
      .setId(request.getId())
      .setProperties(request.getProperties())
      .setInputs(request.getInputs()),
  ),
  delete: unaryHandler(() => new Empty()),
  cancel: unaryHandler(() => new Empty()),
};

const server = new Server();
server.addService(
  ResourceProviderService as never,
  handlers as unknown as UntypedServiceImplementation,
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_, port) => {
  process.stdout.write(`${port}\n`);
});
