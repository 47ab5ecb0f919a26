import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import {
  type CheckRequest,
  CheckResponse,
  type ConfigureRequest,
  ConfigureResponse,
  CreateRequest,
  GetSchemaResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { dynamicWebhookType, pluginWebhookType } from "../../common/type-tokens.js";
import { version } from "../../common/version.js";
import type { EngineMonitor } from "../../provider/command/engine-monitor.js";
import type { Notify } from "../../provider/command/reporter.js";
import {
  notConfigurableText,
  notConfiguredText,
  refused,
  unknownTypeText,
  unnamedProviderText,
} from "../../provider/messages/plugin-errors.js";
import { checkSettings } from "../../provider/rules/settings.js";
import { WebhookProvider } from "../../provider/webhook-provider.js";
import type { EngineLog } from "./engine-log.js";
import { grpcErrorOf, propertiesOf, structOf } from "./grpc-messages.js";
import schema from "./schema.json";
import { settingsSourceOf } from "./settings-source.js";
import { failuresOf, type Method, webhookMethods } from "./webhook-methods.js";

// Far larger than the arguments or the state of a webhook. Larger messages could exhaust the
// memory.
const maxMessageBytes = 64 * 1024 * 1024;

interface ResourceRequest {
  getUrn(): string;
  getType(): string;
}

type Respond<Request, Response> = (request: Request) => Promise<Response>;

/** Serves the calls of Pulumi's engine over gRPC, and passes them to the provider. */
export class PluginServer {
  readonly #engineMonitor: EngineMonitor;
  readonly #log: EngineLog;
  #hasServedSchema = false;
  #provider: WebhookProvider | undefined;

  constructor(engineMonitor: EngineMonitor, log: EngineLog) {
    this.#engineMonitor = engineMonitor;
    this.#log = log;
  }

  /** Listens on a free loopback port, and returns the port. */
  listen(): Promise<number> {
    const server = new Server({ "grpc.max_receive_message_length": maxMessageBytes });
    server.addService(ResourceProviderService, this.#handlers());
    return new Promise((resolve, reject) => {
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
  }

  /**
   * The handlers of the calls that the engine makes. gRPC responds to other calls with
   * UNIMPLEMENTED.
   */
  #handlers() {
    const { check, diff, create, read, delete: remove } = webhookMethods;
    return {
      getPluginInfo: this.#handle(async () => new PluginInfo().setVersion(version)),
      getSchema: this.#handle(async () => this.#getSchema()),
      checkConfig: this.#handle(async (request: CheckRequest) => checkConfig(request)),
      configure: this.#handle(async (request: ConfigureRequest) => this.#configure(request)),
      check: this.#handleResource(check),
      diff: this.#handleResource(diff),
      create: this.#handleResource(create),
      read: this.#handleResource(read),
      delete: this.#handleResource(remove),
      // Requests in flight complete, and the engine stores their results.
      cancel: this.#handle(async () => {
        this.#engineMonitor.stopSending();
        return new Empty();
      }),
    };
  }

  #getSchema(): GetSchemaResponse {
    this.#hasServedSchema = true;
    return new GetSchemaResponse().setSchema(JSON.stringify({ ...schema, version }));
  }

  /**
   * Accepts one configuration. Every user of this machine can connect to the port, and could
   * otherwise make the plugin send the key from the environment to another service. Pulumi sends
   * one to a process, and none to a process that it starts for the schema of a program in YAML.
   */
  #configure(request: ConfigureRequest): ConfigureResponse {
    const name = request.getName() ?? "";
    if (name === "") {
      // Without a name an explicit provider would take the key of the default one from the
      // environment.
      throw refused(unnamedProviderText);
    }
    if (this.#hasServedSchema || this.#provider !== undefined) {
      throw refused(notConfigurableText);
    }
    const source = settingsSourceOf(name, propertiesOf(request.getArgs()));
    this.#provider = new WebhookProvider(source, this.#engineMonitor);
    // Without the support of previews in this response, and without a handshake, Pulumi creates
    // nothing in a preview.
    return new ConfigureResponse();
  }

  /** Handles a call about a webhook. It fails before `Configure`. */
  #handleResource<Request extends ResourceRequest, Response>(respondTo: Method<Request, Response>) {
    return this.#handle(async (request: Request) => {
      const urn = request.getUrn();
      const type = request.getType() || (urn.split("::")[2]?.split("$").at(-1) ?? "");
      // When a webhook moves to the dynamic provider, Pulumi also renames the type of an old one
      // whose deletion is pending, and still asks this provider for the deletion.
      if (type !== pluginWebhookType && type !== dynamicWebhookType) {
        throw refused(unknownTypeText(type));
      }
      if (this.#provider === undefined) {
        throw refused(notConfiguredText);
      }
      const notify: Notify = (line, severity) => this.#log.write(urn, line, severity);
      try {
        return await respondTo(request, this.#provider, { notify, urn });
      } finally {
        // The response to a creation never waits for the log, because the response holds the only
        // copy of the secret.
        if (!(request instanceof CreateRequest)) {
          await this.#log.flush();
        }
      }
    });
  }

  #handle<Request, Response>(respondTo: Respond<Request, Response>) {
    return ({ request }: ServerUnaryCall<Request, Response>, send: sendUnaryData<Response>) => {
      void respondTo(request).then(
        (response) => send(null, response),
        (error: unknown) => send(grpcErrorOf(error)),
      );
    };
  }
}

function checkConfig(request: CheckRequest): CheckResponse {
  const olds = propertiesOf(request.getOlds());
  const news = propertiesOf(request.getNews());
  const source = settingsSourceOf(request.getName(), news);
  const { inputs, problems } = checkSettings(olds, news, source);
  return new CheckResponse().setInputs(structOf(inputs)).setFailuresList(failuresOf(problems));
}
