import { isDeepStrictEqual } from "node:util";
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { readOnlyText } from "../../common/read-only.js";
import { pluginWebhookType } from "../../common/type-tokens.js";
import { version } from "../../common/version.js";
import type { EngineMonitor, Notify } from "../../provider/engine.js";
import type { OperationOptions } from "../../provider/operation.js";
import { withWrappedSecret } from "../../provider/values.js";
import { WebhookProvider } from "../../provider/webhook-provider.js";
import { checkConfig, configSourceOf, diffConfig } from "./configuration.js";
import type { EngineLog } from "./engine-log.js";
import {
  diffResponse,
  grpcErrorOf,
  propertiesOf,
  RequestError,
  structOf,
} from "./grpc-messages.js";
import { parsePulumiId, pulumiIdOf } from "./pulumi-id.js";
import schema from "./schema-template.json";

/** The methods that all requests about a resource have. */
interface ResourceRequest {
  getUrn(): string;
  getType(): string;
}

/** Serves the calls of Pulumi's engine over gRPC, and passes them to the provider. */
export class PluginServer {
  readonly #engineMonitor: EngineMonitor;
  readonly #log: EngineLog;
  readonly #warnings = new Set<string>();
  #configuration: unknown;
  #provider: WebhookProvider | undefined;

  constructor(engineMonitor: EngineMonitor, log: EngineLog) {
    this.#engineMonitor = engineMonitor;
    this.#log = log;
  }

  /** Listens on a free loopback port, and returns the port. */
  listen(): Promise<number> {
    // Requests are as large as the state of a resource, so no limit of gRPC applies.
    const server = new Server({ "grpc.max_receive_message_length": -1 });
    server.addService(ResourceProviderService as never, this.#handlers() as never);
    return new Promise((resolve, reject) => {
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
  }

  /** The handlers of the calls that the engine makes. gRPC responds to other calls with UNIMPLEMENTED. */
  #handlers() {
    return {
      getPluginInfo: this.#handle(async () => new PluginInfo().setVersion(version)),
      getSchema: this.#handle(async () =>
        new messages.GetSchemaResponse().setSchema(JSON.stringify({ ...schema, version })),
      ),
      checkConfig: this.#handle(async (request: messages.CheckRequest) =>
        checkConfig(request, this.#log),
      ),
      diffConfig: this.#handle(async (request: messages.DiffRequest) => {
        const { response, warning } = diffConfig(request);
        // A process that is not configured compares the provider itself, which may have no webhook.
        if (warning !== undefined && this.#provider !== undefined) {
          this.#warnOnce(warning);
        }
        await this.#log.flush();
        return response;
      }),
      configure: this.#handle(async (request: messages.ConfigureRequest) => {
        this.#configure(request);
        return new messages.ConfigureResponse();
      }),
      check: this.#handleResource(async (request: messages.CheckRequest, provider, options) => {
        const olds = propertiesOf(request.getOlds());
        const news = propertiesOf(request.getNews());
        const { inputs, failures } = await provider.check(olds, news, options);
        const response = new messages.CheckResponse().setInputs(structOf(inputs));
        // Name no property: Pulumi prints the value of a named one, and a url can be a credential.
        response.setFailuresList(failures.map((one) => new messages.CheckFailure().setReason(one)));
        return response;
      }),
      diff: this.#handleResource(async (request: messages.DiffRequest, provider, options) => {
        const { webhookId } = parsePulumiId(request.getId(), "Compare");
        const olds = propertiesOf(request.getOlds());
        const news = propertiesOf(request.getNews());
        const ignored = request.getIgnorechangesList();
        const diffOptions = { ...options, ignored, keepsOldSettings: true };
        const differences = await provider.diff(webhookId, olds, news, diffOptions);
        const oldInputs = request.hasOldInputs() ? propertiesOf(request.getOldInputs()) : olds;
        return diffResponse(differences, oldInputs, olds, news);
      }),
      create: this.#handleResource(async (request: messages.CreateRequest, provider, options) => {
        if (request.getPreview()) {
          // `Configure` does not offer previews of creations, but nothing must be created in one.
          return new messages.CreateResponse().setProperties(request.getProperties());
        }
        const inputs = propertiesOf(request.getProperties());
        const { id, properties } = await provider.create(inputs, options);
        const response = new messages.CreateResponse();
        response.setId(pulumiIdOf(inputs.databaseId, id));
        return response.setProperties(structOf({ ...properties, webhookId: id }));
      }),
      read: this.#handleResource(async (request: messages.ReadRequest, provider, options) => {
        const isInState = "secret" in propertiesOf(request.getProperties());
        if (isInState || Object.keys(propertiesOf(request.getInputs())).length > 0) {
          return refreshResponse(request, provider, options);
        }
        // An import passes no properties. `Webhook.get` and the option `id` pass those that the program knows.
        if (request.hasProperties()) {
          throw new RequestError(`Read webhook failed: ${readOnlyText}`, status.INVALID_ARGUMENT);
        }
        return importResponse(request, provider, options);
      }),
      // Every difference replaces the webhook, so an update keeps the old outputs.
      update: this.#handleResource(async (request: messages.UpdateRequest) =>
        new messages.UpdateResponse().setProperties(
          structOf(withWrappedSecret(propertiesOf(request.getOlds()))),
        ),
      ),
      delete: this.#handleResource(async (request: messages.DeleteRequest, provider, options) => {
        const { webhookId } = parsePulumiId(request.getId(), "Delete");
        const props = propertiesOf(request.getProperties());
        await provider.delete(webhookId, props, options);
        return new Empty();
      }),
      // Requests in flight complete, and the engine stores their results.
      cancel: this.#handle(async () => {
        this.#engineMonitor.stopSending();
        return new Empty();
      }),
    };
  }

  /**
   * Accepts one configuration. Every process on this machine can connect to the port, and could otherwise
   * make the plugin send the key from the environment to another service.
   */
  #configure(request: messages.ConfigureRequest): void {
    const configuration = { name: request.getName(), args: propertiesOf(request.getArgs()) };
    if (!configuration.name) {
      // Without a name an explicit provider would take the key of the default one from the environment.
      throw new RequestError(
        "Configure failed: Pulumi has sent no name of the provider. Nothing was changed. Upgrade the Pulumi CLI.",
        status.INVALID_ARGUMENT,
      );
    }
    if (this.#provider !== undefined && !isDeepStrictEqual(configuration, this.#configuration)) {
      throw new RequestError(
        "Configure failed: pulumi-resource-dbwebhooks is already configured with other values. Nothing was changed.",
        status.FAILED_PRECONDITION,
      );
    }
    this.#configuration = configuration;
    this.#provider ??= new WebhookProvider(configSourceOf(request), this.#engineMonitor);
  }

  /**
   * Shows a warning of `DiffConfig` once. Pulumi calls `DiffConfig`, and no `Diff`, for each webhook that moves to
   * another provider.
   */
  #warnOnce(warning: string): void {
    if (!this.#warnings.has(warning)) {
      this.#warnings.add(warning);
      this.#log.write("", warning, "warning");
    }
  }

  /** Handles a call about a webhook. It fails before `Configure`. */
  #handleResource<Request extends ResourceRequest, Response>(
    respondTo: (
      request: Request,
      provider: WebhookProvider,
      options: OperationOptions,
    ) => Promise<Response>,
  ) {
    return this.#handle(async (request: Request) => {
      const type = request.getType() || (request.getUrn().split("::")[2]?.split("$").at(-1) ?? "");
      if (type !== pluginWebhookType) {
        throw new RequestError(
          `There is no resource type ${type} in dbwebhooks: write ${pluginWebhookType}.`,
          status.INVALID_ARGUMENT,
        );
      }
      if (this.#provider === undefined) {
        throw new RequestError(
          "pulumi-resource-dbwebhooks received a request before Configure.",
          status.FAILED_PRECONDITION,
        );
      }
      const urn = request.getUrn();
      const notify: Notify = (line, severity) => this.#log.write(urn, line, severity);
      try {
        return await respondTo(request, this.#provider, { notify, urn });
      } finally {
        // The response to a creation never waits for the log, because the response holds the only copy of the
        // secret.
        if (!(request instanceof messages.CreateRequest)) {
          await this.#log.flush();
        }
      }
    });
  }

  #handle<Request, Response>(respondTo: (request: Request) => Promise<Response>) {
    return ({ request }: ServerUnaryCall<Request, Response>, send: sendUnaryData<Response>) => {
      // Keeps the process alive until the response and its log lines are sent.
      this.#engineMonitor.beginOperation();
      void respondTo(request)
        .then(
          (response) => send(null, response),
          (error: unknown) => send(grpcErrorOf(error)),
        )
        .then(() => this.#log.flush())
        .finally(() => this.#engineMonitor.endOperation());
    };
  }
}

async function importResponse(
  request: messages.ReadRequest,
  provider: WebhookProvider,
  options: OperationOptions,
): Promise<messages.ReadResponse> {
  const { databaseId, webhookId } = parsePulumiId(request.getId(), "Import");
  const imported = await provider.import(webhookId, databaseId, options);
  const response = new messages.ReadResponse().setId(request.getId());
  response.setProperties(structOf({ ...imported.properties, webhookId }));
  return response.setInputs(structOf(imported.inputs));
}

/** Returns an empty response for a webhook that the service no longer has. */
async function refreshResponse(
  request: messages.ReadRequest,
  provider: WebhookProvider,
  options: OperationOptions,
): Promise<messages.ReadResponse> {
  const { webhookId } = parsePulumiId(request.getId(), "Read");
  const inputs = propertiesOf(request.getInputs());
  const declared = Object.keys(inputs).length === 0 ? undefined : inputs;
  const props = propertiesOf(request.getProperties());
  const found = await provider.read(webhookId, props, options, declared);
  const response = new messages.ReadResponse();
  return found === undefined
    ? response
    : response
        .setId(request.getId())
        .setProperties(structOf(found.properties))
        .setInputs(request.getInputs());
}
