// What each call of the engine about a webhook means to the provider.
import { status } from "@grpc/grpc-js";
import {
  CheckFailure,
  type CheckRequest,
  CheckResponse,
  type CreateRequest,
  CreateResponse,
  type DeleteRequest,
  type DiffRequest,
  type DiffResponse,
  type ReadRequest,
  ReadResponse,
  type UpdateRequest,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { externalWebhookText } from "../../common/external-webhook.js";
import { importSecretVariable } from "../../common/setting-names.js";
import { checkOperation } from "../../provider/check.js";
import { createOperation } from "../../provider/create.js";
import { deleteOperation } from "../../provider/delete.js";
import { diffOperation } from "../../provider/diff.js";
import { importOperation } from "../../provider/import.js";
import { readOperation } from "../../provider/read.js";
import { parseStoredWebhook } from "../../provider/rules/state.js";
import type { Properties } from "../../provider/rules/values.js";
import type { OperationOptions } from "../../provider/run/operation.js";
import { updateOperation } from "../../provider/update.js";
import type { WebhookProvider } from "../../provider/webhook-provider.js";
import { diffResponse, propertiesOf, RequestError, structOf } from "./grpc-messages.js";
import { parsePulumiId, pulumiIdOf } from "./pulumi-id.js";

type Provider = WebhookProvider;

/** The methods of Pulumi's resource providers that concern one webhook. */
export const webhookMethods = {
  check: async (request: CheckRequest, provider: Provider, options: OperationOptions) => {
    const news = propertiesOf(request.getNews());
    const { inputs, failures = [] } = await provider.run(checkOperation, { news }, options);
    const reasons = failures.map(({ reason }) => reason);
    return new CheckResponse().setInputs(structOf(inputs)).setFailuresList(failuresOf(reasons));
  },

  diff: async (
    request: DiffRequest,
    provider: Provider,
    options: OperationOptions,
  ): Promise<DiffResponse> => {
    const id = parsePulumiId(request.getId(), "Compare");
    const olds = propertiesOf(request.getOlds());
    const news = propertiesOf(request.getNews());
    const ignored = request.getIgnorechangesList();
    const comparison = { ...parseStoredWebhook(id, olds), news, ignored };
    const { replaces = [] } = await provider.run(diffOperation, comparison, options);
    const oldInputs = request.hasOldInputs() ? propertiesOf(request.getOldInputs()) : olds;
    return diffResponse(replaces, oldInputs, olds, news);
  },

  create: async (request: CreateRequest, provider: Provider, options: OperationOptions) => {
    if (request.getPreview()) {
      // `Configure` does not offer previews of creations, but nothing must be created in one.
      return new CreateResponse().setProperties(request.getProperties());
    }
    const inputs = propertiesOf(request.getProperties());
    const { id, outs } = await provider.run(createOperation, { inputs }, options);
    return new CreateResponse()
      .setId(pulumiIdOf(inputs.databaseId, id))
      .setProperties(structOf({ ...outs, webhookId: id }));
  },

  read: async (request: ReadRequest, provider: Provider, options: OperationOptions) => {
    const id = request.getId();
    const props = propertiesOf(request.getProperties());
    const inputs = propertiesOf(request.getInputs());
    const [hasProps, hasInputs] = [props, inputs].map((one) => Object.keys(one).length > 0);
    if (("secret" in props && "baseUrl" in props) || (hasProps && hasInputs)) {
      const webhook = parseStoredWebhook(parsePulumiId(id, "Read"), props);
      const found = await provider.run(readOperation, webhook, options);
      return found.id === "" ? new ReadResponse() : readResponse(id, found.props, inputs);
    }
    // An import passes no properties. `Webhook.get` and the option `id` pass those that the program knows.
    if (request.hasProperties() || hasInputs) {
      throw new RequestError(
        `Read webhook failed: ${externalWebhookText}`,
        status.INVALID_ARGUMENT,
      );
    }
    const key = parsePulumiId(id, "Import");
    const variable = process.env[importSecretVariable] ?? "";
    const imported = await provider.run(importOperation, { ...key, variable }, options);
    return readResponse(id, { ...imported.props, webhookId: key.id }, imported.inputs);
  },

  update: async (request: UpdateRequest, provider: Provider, options: OperationOptions) => {
    const olds = propertiesOf(request.getOlds());
    const { outs } = await provider.run(updateOperation, { olds }, options);
    return new UpdateResponse().setProperties(structOf(outs));
  },

  delete: async (request: DeleteRequest, provider: Provider, options: OperationOptions) => {
    const id = parsePulumiId(request.getId(), "Delete");
    const webhook = parseStoredWebhook(id, propertiesOf(request.getProperties()));
    await provider.run(deleteOperation, webhook, options);
    return new Empty();
  },
};

/** Translates failures of a check. They name no property, because Pulumi would print its value. */
export function failuresOf(reasons: readonly string[]): CheckFailure[] {
  return reasons.map((reason) => new CheckFailure().setReason(reason));
}

function readResponse(id: string, props: Properties, inputs: Properties): ReadResponse {
  return new ReadResponse().setId(id).setProperties(structOf(props)).setInputs(structOf(inputs));
}
