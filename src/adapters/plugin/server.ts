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
import { shownValue } from "../../common/redact.js";
import { version } from "../../common/version.js";
import { webhookIdOf } from "../../common/webhook-id.js";
import type { Engine, Notify } from "../../provider/engine.js";
import { PartialCreationError } from "../../provider/errors.js";
import { WebhookProvider } from "../../provider/provider.js";
import { withWrappedSecret } from "../../provider/values.js";
import { checkProvider, configSourceOf } from "./configuration.js";
import { diffResponse } from "./diff-response.js";
import type { EngineLog } from "./engine-log.js";
import { partsOfPulumiId, pulumiIdOf } from "./pulumi-id.js";
import schema from "./schema.json";
import { RequestError, serviceErrorOf } from "./service-error.js";
import { propertiesOf, structOf } from "./structs.js";

/** What every request about a resource has. */
interface ResourceRequest {
  getUrn(): string;
  getType(): string;
}

/** Serves the rules of the webhook to Pulumi's engine over gRPC. */
export class PluginServer {
  readonly #engine: Engine;
  readonly #log: EngineLog;
  #configuration: unknown;
  #provider: WebhookProvider | undefined;

  constructor(engine: Engine, log: EngineLog) {
    this.#engine = engine;
    this.#log = log;
  }

  /** Listens on a free port of loopback, and returns it. */
  listen(): Promise<number> {
    // Without a limit: what the engine sends is as large as the state of a resource.
    const server = new Server({ "grpc.max_receive_message_length": -1 });
    server.addService(ResourceProviderService as never, this.#handlers() as never);
    return new Promise((resolve, reject) => {
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
  }

  /** The calls that the engine makes; gRPC answers UNIMPLEMENTED to all others. */
  #handlers() {
    return {
      getPluginInfo: this.#handle(async () => new PluginInfo().setVersion(version)),
      getSchema: this.#handle(async () =>
        new messages.GetSchemaResponse().setSchema(JSON.stringify({ ...schema, version })),
      ),
      checkConfig: this.#handle(async (request: messages.CheckRequest) =>
        checkProvider(request, this.#log),
      ),
      configure: this.#handle(async (request: messages.ConfigureRequest) => {
        this.#configure(request);
        return new messages.ConfigureResponse();
      }),
      check: this.#handleResource(async (request: messages.CheckRequest, provider, notify) => {
        const olds = propertiesOf(request.getOlds());
        const news = propertiesOf(request.getNews());
        const result = await provider.check(olds, news, notify, { urn: request.getUrn() });
        const response = new messages.CheckResponse();
        response.setInputs(structOf(result.inputs));
        for (const reason of result.failures) {
          // Without a property: Pulumi prints the value of a named one, and a url can be a credential.
          response.addFailures(new messages.CheckFailure().setReason(reason));
        }
        return response;
      }),
      diff: this.#handleResource(async (request: messages.DiffRequest, provider, notify) => {
        const { webhookId } = parseId(request.getId(), "Compare");
        const olds = propertiesOf(request.getOlds());
        const news = propertiesOf(request.getNews());
        const options = { ignored: request.getIgnorechangesList(), urn: request.getUrn() };
        const differences = await provider.diff(webhookId, olds, news, notify, options);
        const oldInputs = request.hasOldInputs() ? propertiesOf(request.getOldInputs()) : olds;
        return diffResponse(differences, oldInputs, olds, news);
      }),
      create: this.#handleResource(async (request: messages.CreateRequest, provider, notify) => {
        if (request.getPreview()) {
          // Configure does not offer previews of creations. If one is requested, create nothing.
          return new messages.CreateResponse().setProperties(request.getProperties());
        }
        const inputs = propertiesOf(request.getProperties());
        const created = await provider
          .create(inputs, notify, { urn: request.getUrn(), timeoutSeconds: request.getTimeout() })
          .catch((error: unknown) => {
            throw error instanceof PartialCreationError
              ? withPulumiId(error, inputs.databaseId)
              : error;
          });
        const response = new messages.CreateResponse();
        response.setId(pulumiIdOf(inputs.databaseId, created.id));
        response.setProperties(structOf({ ...created.properties, webhookId: created.id }));
        return response;
      }),
      read: this.#handleResource(async (request: messages.ReadRequest, provider, notify) => {
        const { databaseId, webhookId } = parseId(request.getId(), "Read");
        const response = new messages.ReadResponse();
        const props = propertiesOf(request.getProperties());
        const inputs = propertiesOf(request.getInputs());
        // What Pulumi manages has inputs; what a program only reads has a secret, once it was read.
        const isExternal = Object.keys(inputs).length === 0;
        if (isExternal && !props.secret) {
          const imported = await provider.import(webhookId, databaseId, notify, {
            urn: request.getUrn(),
            isExternal: request.hasProperties(),
          });
          response.setId(request.getId());
          response.setProperties(structOf({ ...imported.properties, webhookId }));
          response.setInputs(structOf(imported.inputs));
          return response;
        }
        const declared = isExternal ? undefined : inputs;
        const found = await provider.read(webhookId, props, notify, { isExternal, declared });
        if (found !== undefined) {
          response.setId(request.getId());
          response.setProperties(structOf(found.properties));
          response.setInputs(request.getInputs());
        }
        return response;
      }),
      // No difference is an update; should Pulumi ever ask, the old outputs stay.
      update: this.#handleResource(async (request: messages.UpdateRequest) =>
        new messages.UpdateResponse().setProperties(
          structOf(withWrappedSecret(propertiesOf(request.getOlds()))),
        ),
      ),
      delete: this.#handleResource(async (request: messages.DeleteRequest, provider, notify) => {
        const { webhookId } = parseId(request.getId(), "Delete");
        const props = propertiesOf(request.getProperties());
        const options = { urn: request.getUrn(), timeoutSeconds: request.getTimeout() };
        await provider.delete(webhookId, props, notify, options);
        return new Empty();
      }),
      // What has not been sent is not sent any more; what is in flight completes, and is stored.
      cancel: this.#handle(async () => {
        this.#engine.cancel();
        return new Empty();
      }),
    };
  }

  /**
   * Takes the configuration once. The port is open to everybody on this machine, so nobody may point the
   * provider, which reads secrets from its environment, to a service of their own.
   */
  #configure(request: messages.ConfigureRequest): void {
    const configuration = { name: request.getName(), args: propertiesOf(request.getArgs()) };
    if (this.#provider !== undefined && !isDeepStrictEqual(configuration, this.#configuration)) {
      throw new RequestError(
        "Configure failed: pulumi-resource-dbwebhooks is configured already, with other values. Nothing was changed.",
        status.FAILED_PRECONDITION,
      );
    }
    this.#configuration = configuration;
    this.#provider ??= new WebhookProvider(configSourceOf(request), this.#engine);
  }

  /** Answers calls about a webhook, once there is a configuration. */
  #handleResource<Request extends ResourceRequest, Response>(
    answer: (request: Request, provider: WebhookProvider, notify: Notify) => Promise<Response>,
  ) {
    return this.#handle(async (request: Request) => {
      const type = request.getType() || (request.getUrn().split("::")[2]?.split("$").at(-1) ?? "");
      if (type !== resourceType) {
        throw new RequestError(
          `There is no resource type ${type} in dbwebhooks: write ${resourceType}.`,
          status.INVALID_ARGUMENT,
        );
      }
      if (this.#provider === undefined) {
        throw new RequestError(
          "pulumi-resource-dbwebhooks got a request before Configure.",
          status.FAILED_PRECONDITION,
        );
      }
      const notify: Notify = (line, severity) => this.#log.write(request.getUrn(), line, severity);
      try {
        return await answer(request, this.#provider, notify);
      } finally {
        // The answer to a creation holds the secret: lines do not delay it.
        if (!(request instanceof messages.CreateRequest)) {
          await this.#log.flush();
        }
      }
    });
  }

  #handle<Request, Response>(answer: (request: Request) => Promise<Response>) {
    return ({ request }: ServerUnaryCall<Request, Response>, respond: sendUnaryData<Response>) => {
      // Until the answer is on its way, the process does not end.
      this.#engine.begin();
      void answer(request)
        .then(
          (response) => respond(null, response),
          (error: unknown) => respond(serviceErrorOf(error)),
        )
        .then(() => this.#log.flush())
        .finally(() => this.#engine.end());
    };
  }
}

const resourceType = "dbwebhooks:index:Webhook";

function withPulumiId(error: PartialCreationError, databaseId: unknown): PartialCreationError {
  const { id, properties } = error;
  return error.storedAs(pulumiIdOf(databaseId, id), { ...properties, webhookId: id });
}

function parseId(
  id: string,
  verb: string,
): { readonly databaseId: string; readonly webhookId: string } {
  const parts = partsOfPulumiId(id);
  if (parts === undefined) {
    const hint =
      webhookIdOf(id) === undefined
        ? ""
        : " A number alone is the id of a webhook of the dynamic provider: an alias cannot move it here. Move it with an import, and take it out of the other state.";
    throw new RequestError(
      `${verb} webhook failed: its id must be <databaseId>/<webhookId>, such as base_abc123/42, not "${shownValue(id)}".${hint} Nothing was changed.`,
      status.INVALID_ARGUMENT,
    );
  }
  return parts;
}
