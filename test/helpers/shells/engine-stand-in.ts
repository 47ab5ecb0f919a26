import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";

/** Stands in for Pulumi's engine: it listens, and takes what providers log. */
export interface EngineStandIn {
  readonly port: number;
  /** What was logged, in order. */
  readonly lines: readonly {
    readonly urn: string;
    readonly line: string;
    readonly severity: number;
  }[];
  /** Ends it as `kill -9` does: connections break, and nothing listens any more. */
  close(): void;
}

/** Starts an engine stand-in on a free port of loopback. */
export async function startEngine(): Promise<EngineStandIn> {
  const server = new Server();
  const lines: EngineStandIn["lines"][number][] = [];
  const log = (
    { request }: ServerUnaryCall<LogRequest, Empty>,
    respond: sendUnaryData<Empty>,
  ): void => {
    lines.push({
      urn: request.getUrn(),
      line: request.getMessage(),
      severity: request.getSeverity(),
    });
    respond(null, new Empty());
  };
  server.addService(EngineService as never, { log } as never);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { port, lines, close: () => server.forceShutdown() };
}
