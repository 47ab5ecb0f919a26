import { credentials, Metadata } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";
import type { Severity } from "../../provider/command/reporter.js";

// The longest time for which a line delays a response to the engine. A busy engine takes seconds.
const timeoutMs = 10_000;

const severities = { info: LogSeverity.INFO, warning: LogSeverity.WARNING };

/** The engine's log. Pulumi shows each line under its resource. */
export class EngineLog {
  readonly #client: EngineClient;
  readonly #sending = new Set<Promise<void>>();

  constructor(engineAddress: string) {
    // By default gRPC sends even loopback traffic to the proxy of `http_proxy`.
    const options = { "grpc.enable_http_proxy": 0 };
    this.#client = new EngineClient(engineAddress, credentials.createInsecure(), options);
  }

  /** Sends a line. With an empty urn it appears under the stack. */
  write(urn: string, line: string, severity: Severity): void {
    const request = new LogRequest();
    request.setSeverity(severities[severity]);
    request.setMessage(line);
    request.setUrn(urn);
    const sent = new Promise<void>((resolve) => {
      const deadline = Date.now() + timeoutMs;
      // Ignore errors: when the engine is gone, nothing reads the line.
      this.#client.log(request, new Metadata(), { deadline }, () => resolve());
    });
    this.#sending.add(sent);
    void sent.then(() => this.#sending.delete(sent));
  }

  /** Waits until the engine has received every line, or the deadlines have passed. */
  async flush(): Promise<void> {
    await Promise.all(this.#sending);
  }
}
