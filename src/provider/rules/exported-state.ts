// The output of "pulumi stack export": the webhooks in the state of a stack, of both providers.
import { isIdentifier, webhookIdOf } from "../../common/identifier.js";
import { isJsonObject, parseJson } from "../../common/json.js";
import { oneLine } from "../../common/plain-text.js";
import { dynamicWebhookType, pluginWebhookType } from "../../common/type-tokens.js";
import { parseStateEntry } from "./state.js";
import { type Properties, withExposedSecrets } from "./values.js";
import type { WebhookAddress } from "./webhook-address.js";

const webhookTypes: readonly unknown[] = [dynamicWebhookType, pluginWebhookType];

// Version 4 has the layout of version 3. Source: `DeploymentSchemaVersionLatest` in
// `sdk/go/common/apitype/core.go` of pulumi/pulumi.
const knownVersions: readonly unknown[] = [3, 4];

/** A resource of a stack, and the webhook that it has. */
export interface StackResource {
  /** Fit for one line. */
  readonly urn: string;
  readonly address: WebhookAddress;
  /** Whether Pulumi has replaced the webhook, and is still to delete it. */
  readonly isPendingDeletion: boolean;
}

/**
 * A creation or an import that was in flight when Pulumi stored the state. The service may have the
 * webhook, and no resource shows it yet.
 */
export interface PendingCreation {
  /** Fit for one line. */
  readonly urn: string;
  /** `undefined` if the state does not show it. */
  readonly databaseId: string | undefined;
}

/** The webhooks in the state of a stack. */
export interface StackState {
  /** The time of the last change, in ISO 8601, if the state shows it. */
  readonly changedAt: string | undefined;
  readonly resources: readonly StackResource[];
  readonly pendingCreations: readonly PendingCreation[];
}

/**
 * Reads the output of `pulumi stack export`, or says why it does not show all webhooks. One that
 * cannot be identified would pass for a webhook that no resource has. No problem repeats a value,
 * because a state can hold secrets in clear text.
 */
export function parseExportedState(text: string): StackState | { readonly problem: string } {
  // Some editors write a byte order mark in front of a file.
  const exported = parseJson(text.replace(/^\ufeff/, ""));
  const { version, deployment } = isJsonObject(exported) ? exported : {};
  if (!isJsonObject(deployment)) {
    return notExported;
  }
  // Pulumi leaves empty lists out.
  const { manifest, resources = [], pending_operations: operations = [] } = deployment;
  if (!isListOfObjects(resources) || !isListOfObjects(operations)) {
    return notExported;
  }
  if (!knownVersions.includes(version)) {
    return { problem: "its version is not 3 or 4, and this command knows no other one" };
  }
  const webhooks = resources.filter(isWebhook).map(parseResource);
  const unknown = webhooks.find(({ address }) => address === undefined);
  if (unknown !== undefined) {
    const advice = unknown.isEncrypted
      ? 'its outputs are encrypted: use "pulumi stack export --show-secrets"'
      : "its id, its databaseId or its baseUrl is missing or not valid";
    return { problem: `it does not say which webhook ${unknown.urn} has; ${advice}` };
  }
  const inFlight = operations
    .filter(({ type }) => type === "creating" || type === "importing")
    .map(({ resource }) => resource);
  if (!isListOfObjects(inFlight)) {
    return notExported;
  }
  const { time } = isJsonObject(manifest) ? manifest : {};
  return {
    changedAt: timeText(time),
    resources: webhooks.flatMap(toResource),
    pendingCreations: inFlight.filter(isWebhook).map(parseCreation),
  };
}

const notExported = { problem: 'it is not the output of "pulumi stack export"' };

function isListOfObjects(value: unknown): value is readonly Properties[] {
  return Array.isArray(value) && value.every(isJsonObject);
}

function isWebhook({ type }: Properties): boolean {
  return webhookTypes.includes(type);
}

/** Returns a resource, without an address if its id and its outputs do not name one webhook. */
function parseResource({ urn, id, outputs, delete: isPendingDeletion = false }: Properties) {
  const props = exposed(outputs);
  const { state } = parseStateEntry("", props);
  const { databaseId = "" } = state;
  // A base URL that no provider accepts can be a former one of the same service.
  const baseUrl = state.baseUrl ?? shownUrl(props.baseUrl);
  const webhookId = webhookIdOf(id);
  const isKnown = webhookId !== undefined && isIdentifier(databaseId) && isText(baseUrl);
  return {
    urn: urnText(urn),
    address: isKnown ? { baseUrl, databaseId, id: webhookId } : undefined,
    isEncrypted: [props.databaseId, props.baseUrl].some(isJsonObject),
    isPendingDeletion: isPendingDeletion === true,
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function toResource({ urn, address, isPendingDeletion }: ReturnType<typeof parseResource>) {
  return address === undefined ? [] : [{ urn, address, isPendingDeletion }];
}

function parseCreation({ urn, inputs }: Properties): PendingCreation {
  const { databaseId = "" } = parseStateEntry("", exposed(inputs)).state;
  return { urn: urnText(urn), databaseId: isIdentifier(databaseId) ? databaseId : undefined };
}

/** Leaves out what can be a credential: somebody has edited this base URL. */
function shownUrl(baseUrl: unknown): unknown {
  const { protocol, host, pathname } = URL.parse(String(baseUrl)) ?? {};
  return protocol === undefined ? baseUrl : `${protocol}//${host}${pathname}`.replace(/\/+$/, "");
}

function timeText(time: unknown): string | undefined {
  const date = new Date(typeof time === "string" ? time : Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function exposed(properties: unknown): Properties {
  return withExposedSecrets(isJsonObject(properties) ? properties : {});
}

function urnText(urn: unknown): string {
  return oneLine(String(urn), 1_000);
}
