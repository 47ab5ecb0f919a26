#!/usr/bin/env node
// A native plugin that responds at once, so that only Pulumi and the start of a plugin are measured.
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
import schema from "../src/adapters/plugin/schema.json" with { type: "json" };

const secretMark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
let lastId = 0;

const answer =
  <Request, Response>(respond: (request: Request) => Response) =>
  ({ request }: ServerUnaryCall<Request, Response>, done: sendUnaryData<Response>) =>
    done(null, respond(request));

const handlers = {
  getPluginInfo: answer(() => new PluginInfo().setVersion("0.0.0")),
  getSchema: answer(() =>
    new messages.GetSchemaResponse().setSchema(JSON.stringify({ ...schema, version: "0.0.0" })),
  ),
  checkConfig: answer((request: messages.CheckRequest) =>
    new messages.CheckResponse().setInputs(request.getNews()),
  ),
  configure: answer(() => new messages.ConfigureResponse()),
  check: answer((request: messages.CheckRequest) =>
    new messages.CheckResponse().setInputs(request.getNews()),
  ),
  diff: answer(() =>
    new messages.DiffResponse().setChanges(messages.DiffResponse.DiffChanges.DIFF_NONE),
  ),
  create: answer((request: messages.CreateRequest) => {
    lastId += 1;
    const properties = Struct.fromJavaScript({
      ...request.getProperties()?.toJavaScript(),
      baseUrl: "http://127.0.0.1:10000",
      webhookId: String(lastId),
      secret: { ...secretMark, value: `whsec_${"x".repeat(43)}=` },
    });
    return new messages.CreateResponse().setId(`base_abc123/${lastId}`).setProperties(properties);
  }),
  read: answer((request: messages.ReadRequest) =>
    new messages.ReadResponse()
      .setId(request.getId())
      .setProperties(request.getProperties())
      .setInputs(request.getInputs()),
  ),
  delete: answer(() => new Empty()),
  cancel: answer(() => new Empty()),
};

const server = new Server();
server.addService(
  ResourceProviderService as never,
  handlers as unknown as UntypedServiceImplementation,
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_, port) => {
  process.stdout.write(`${port}\n`);
});
