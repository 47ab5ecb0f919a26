// Translates each call of the engine about a webhook for the provider.
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
import type { OperationOptions } from "../../provider/command/operation.js";
import { existsText, externalWebhookText, refused } from "../../provider/messages/plugin-errors.js";
import { importVariable } from "../../provider/rules/import-variable.js";
import { parseStateEntry } from "../../provider/rules/state.js";
import type { Properties } from "../../provider/rules/values.js";
import type { WebhookProvider } from "../../provider/webhook-provider.js";
import { diffResponse, propertiesOf, structOf } from "./grpc-messages.js";

/** Handles one call of the engine about a webhook. */
export type Method<Request, Response> = (
  request: Request,
  provider: WebhookProvider,
  options: OperationOptions,
) => Promise<Response>;

interface WebhookMethods {
  readonly check: Method<CheckRequest, CheckResponse>;
  readonly diff: Method<DiffRequest, DiffResponse>;
  readonly create: Method<CreateRequest, CreateResponse>;
  readonly read: Method<ReadRequest, ReadResponse>;
  readonly delete: Method<DeleteRequest, Empty>;
}

/** The methods of Pulumi's resource providers that concern one webhook. */
export const webhookMethods: WebhookMethods = {
  check: async (request, provider, options) => {
    const news = withoutProviderText(propertiesOf(request.getNews()));
    const { inputs, problems } = await provider.check({ news }, options);
    return new CheckResponse()
      .setInputs(structOf(withProviderText(inputs)))
      .setFailuresList(failuresOf(problems));
  },

  diff: async (request, provider, options) => {
    const olds = propertiesOf(request.getOlds());
    const news = propertiesOf(request.getNews());
    const ignored = request.getIgnorechangesList();
    const comparison = { ...parseStateEntry(request.getId(), olds), news, ignored };
    const { replaces = [] } = await provider.diff(comparison, options);
    const stored = propertiesOf(request.getOldInputs());
    const oldInputs = isEmpty(stored) ? olds : stored;
    return diffResponse(replaces, oldInputs, olds, news);
  },

  create: async (request, provider, options) => {
    const inputs = propertiesOf(request.getProperties());
    const { id, outs } = await provider.create({ inputs }, options);
    return new CreateResponse().setId(id).setProperties(structOf(withProviderText(outs)));
  },

  read: async (request, provider, options) => {
    const id = request.getId();
    const props = propertiesOf(request.getProperties());
    const inputs = propertiesOf(request.getInputs());
    switch (purposeOf(props, inputs)) {
      case "refresh": {
        const webhook = parseStateEntry(id, props);
        const found = await provider.read(webhook, options);
        return found.id === "" ? new ReadResponse() : readResponse(id, found.props, inputs);
      }
      case "import": {
        if (isExistsQuestion(request.getUrn())) {
          throw refused(existsText);
        }
        const described = { id, description: process.env[importVariable] };
        const imported = await provider.import(described, options);
        return readResponse(
          id,
          withProviderText(imported.props),
          withProviderText(imported.inputs),
        );
      }
      case "external":
        throw refused(externalWebhookText);
    }
  },

  delete: async (request, provider, options) => {
    const webhook = parseStateEntry(request.getId(), propertiesOf(request.getProperties()));
    await provider.delete(webhook, options);
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

/** Translates the problems of a check. They name no property: Pulumi would print its value. */
export function failuresOf(problems: readonly string[]): CheckFailure[] {
  return problems.map((problem) => new CheckFailure().setReason(problem));
}

function readResponse(id: string, props: Properties, inputs: Properties): ReadResponse {
  return new ReadResponse().setId(id).setProperties(structOf(props)).setInputs(structOf(inputs));
}
