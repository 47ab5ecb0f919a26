import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";

/** Stands in for Pulumi's engine on a free loopback port, and collects what providers log. */
export async function startEngine() {
  const server = new Server();
  const lines: { urn: string; line: string; severity: number }[] = [];
  const log = ({ request }: ServerUnaryCall<LogRequest, Empty>, respond: sendUnaryData<Empty>) => {
    const [urn, line] = [request.getUrn(), request.getMessage()];
    lines.push({ urn, line, severity: request.getSeverity() });
    respond(null, new Empty());
  };
  server.addService(EngineService as never, { log } as never);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  /** Ends as after `kill -9`: all connections break, and nothing listens on the port. */
  const close = () => server.forceShutdown();
  return { port, lines, close };
}
