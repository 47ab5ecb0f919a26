// What each call of the engine about a webhook means to the provider.
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
} from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import {
  hasProviderText,
  withoutProviderText,
  withProviderText,
} from "../../common/provider-text.js";
import { importVariable } from "../../common/settings-table.js";
import { checkOperation } from "../../provider/check.js";
import { WebhookError } from "../../provider/command/errors.js";
import type { OperationOptions } from "../../provider/command/operation.js";
import { createOperation } from "../../provider/create.js";
import { deleteOperation } from "../../provider/delete.js";
import { diffOperation } from "../../provider/diff.js";
import { importOperation } from "../../provider/import.js";
import { existsText, externalWebhookText } from "../../provider/messages/plugin-errors.js";
import { readOperation } from "../../provider/read.js";
import { parseStateEntry } from "../../provider/rules/state.js";
import type { Properties } from "../../provider/rules/values.js";
import type { WebhookProvider } from "../../provider/webhook-provider.js";
import { diffResponse, propertiesOf, structOf } from "./grpc-messages.js";

type Provider = WebhookProvider;

/** The methods of Pulumi's resource providers that concern one webhook. */
export const webhookMethods = {
  check: async (request: CheckRequest, provider: Provider, options: OperationOptions) => {
    const news = withoutProviderText(propertiesOf(request.getNews()));
    const { inputs, failures = [] } = await provider.perform(checkOperation, { news }, options);
    const reasons = failures.map(({ reason }) => reason);
    return new CheckResponse()
      .setInputs(structOf(withProviderText(inputs)))
      .setFailuresList(failuresOf(reasons));
  },

  diff: async (
    request: DiffRequest,
    provider: Provider,
    options: OperationOptions,
  ): Promise<DiffResponse> => {
    const olds = propertiesOf(request.getOlds());
    const news = propertiesOf(request.getNews());
    const ignored = request.getIgnorechangesList();
    const comparison = { ...parseStateEntry(request.getId(), olds), news, ignored };
    const { replaces = [] } = await provider.perform(diffOperation, comparison, options);
    const stored = propertiesOf(request.getOldInputs());
    const oldInputs = isEmpty(stored) ? olds : stored;
    return diffResponse(replaces, oldInputs, olds, news);
  },

  create: async (request: CreateRequest, provider: Provider, options: OperationOptions) => {
    const inputs = propertiesOf(request.getProperties());
    const { id, outs } = await provider.perform(createOperation, { inputs }, options);
    return new CreateResponse().setId(id).setProperties(structOf(withProviderText(outs)));
  },

  read: async (request: ReadRequest, provider: Provider, options: OperationOptions) => {
    const id = request.getId();
    const props = propertiesOf(request.getProperties());
    const inputs = propertiesOf(request.getInputs());
    switch (purposeOf(props, inputs)) {
      case "refresh": {
        const webhook = parseStateEntry(id, props);
        const found = await provider.perform(readOperation, webhook, options);
        return found.id === "" ? new ReadResponse() : readResponse(id, found.props, inputs);
      }
      case "import": {
        if (isExistsQuestion(request.getUrn())) {
          throw new WebhookError("unchanged", existsText);
        }
        const described = { id, description: process.env[importVariable] };
        const imported = await provider.perform(importOperation, described, options);
        return readResponse(
          id,
          withProviderText(imported.props),
          withProviderText(imported.inputs),
        );
      }
      case "external":
        throw new WebhookError("unchanged", externalWebhookText);
    }
  },

  delete: async (request: DeleteRequest, provider: Provider, options: OperationOptions) => {
    const webhook = parseStateEntry(request.getId(), propertiesOf(request.getProperties()));
    await provider.perform(deleteOperation, webhook, options);
    return new Empty();
  },
};

/**
 * Says why Pulumi reads a webhook. A refresh passes what a provider of this package has stored, and
 * an import only an id: older versions of Pulumi send no properties then, newer ones an empty
 * struct. For an external webhook, `get` of a generated SDK passes what the program knows; with an
 * id alone, it cannot be told from an import.
 */
function purposeOf(props: Properties, inputs: Properties): "refresh" | "import" | "external" {
  if (hasProviderText(props) || hasProviderText(inputs)) {
    return "refresh";
  }
  return isEmpty(props) && isEmpty(inputs) ? "import" : "external";
}

/**
 * Whether `exists` of a generated SDK asks about an id: Pulumi then names a resource that no
 * program declares, and sends what it sends for an import.
 */
function isExistsQuestion(urn: string): boolean {
  return urn.split("::").at(-1)?.startsWith("__exists__") ?? false;
}

/** An empty struct means the same as no struct: versions of Pulumi differ in which they send. */
function isEmpty(properties: Properties): boolean {
  return Object.keys(properties).length === 0;
}

/** Translates failures of a check. They name no property, because Pulumi would print its value. */
export function failuresOf(reasons: readonly string[]): CheckFailure[] {
  return reasons.map((reason) => new CheckFailure().setReason(reason));
}

function readResponse(id: string, props: Properties, inputs: Properties): ReadResponse {
  return new ReadResponse().setId(id).setProperties(structOf(props)).setInputs(structOf(inputs));
}
