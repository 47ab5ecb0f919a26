import { idToAdopt } from "./arguments.js";
import { adoptedWebhook } from "./check.js";
import type { Settings } from "./config.js";
import { type Comparison, compareWebhook, type Difference } from "./differences.js";
import { failure } from "./messages/failures.js";
import { nameOfWebhook } from "./messages/names.js";
import {
  adoptedWithUnknownsText,
  exchangeText,
  importedOtherwiseText,
  otherAdoptedSecretText,
  replacementText,
} from "./messages/notices.js";
import type { Operation, OperationOptions } from "./operation.js";
import type { RunState, WebhookAddress } from "./run-state.js";
import { addressOf } from "./state.js";
import { isUnknown } from "./values.js";

/** What the adapter knows about a comparison besides the state and the arguments. */
export type DiffOptions = Pick<Comparison, "ignored"> & Pick<OperationOptions, "urn">;

/**
 * Compares a webhook with the program, throws if the update must not happen, and announces a replacement.
 * Sends nothing.
 */
export function diffWebhook(
  comparison: Comparison & DiffOptions,
  runState: RunState,
  operation: Operation,
): readonly Difference[] {
  const { id, state, settings } = comparison;
  const address = addressOf(id, state);
  if (address !== undefined) {
    runState.noteInState(address);
    assertReachable(address, settings, operation);
  }
  const differences = compareWebhook(comparison);
  const hasUnknowns = differences.some(({ isUnknown }) => isUnknown);
  if (address !== undefined && !hasUnknowns && isOfRefresh(address, comparison, runState)) {
    return differences;
  }
  if (differences.length === 0) {
    warnOfOtherSecret(comparison, operation);
    return differences;
  }
  if (address !== undefined && adoptsItself(address, comparison)) {
    return compareAdopted(address, differences, runState, operation);
  }
  if (address !== undefined && isUnknown(idToAdopt(comparison.news))) {
    // It may turn out to be this webhook.
    runState.refuse(address, "adoptedWithUnknowns");
  }
  announceReplacement(comparison, differences, runState, operation);
  return differences;
}

/**
 * Throws if the default provider is at another address than the webhook: it has one address and one key, so it could
 * create a new webhook, but not delete the old one. An explicit provider may get a webhook from another provider,
 * which deletes it.
 */
function assertReachable(
  { baseUrl }: WebhookAddress,
  settings: Settings | undefined,
  operation: Operation,
): void {
  if (settings !== undefined && !settings.isExplicit && settings.baseUrl !== baseUrl) {
    throw failure("otherBaseUrl", operation, { provider: settings, baseUrl });
  }
}

/**
 * Whether a comparison may be that of a refresh: Pulumi compares what it has read with the arguments of the last
 * update, all of which are known, and not with the program.
 */
function isOfRefresh(
  address: WebhookAddress,
  { urn }: DiffOptions,
  { readWebhooks, checkedUrns }: RunState,
): boolean {
  const isChecked = urn === undefined ? checkedUrns.size > 0 : checkedUrns.has(urn);
  return readWebhooks.has(address) && !isChecked;
}

/** Whether the program adopts the webhook that the resource has. Each database of each service has its own numbers. */
function adoptsItself(address: WebhookAddress, { id, news, settings }: Comparison): boolean {
  const { baseUrl = address.baseUrl } = settings ?? {};
  const { databaseId } = news;
  const isSameDatabase = databaseId === address.databaseId || isUnknown(databaseId);
  return idToAdopt(news) === id && isSameDatabase && baseUrl === address.baseUrl;
}

/**
 * Decides about a webhook that differs from the program, which still adopts it: a replacement would adopt the webhook
 * that it replaces. A value that is not known yet may turn out the same, so it is no difference. But before Pulumi
 * replaces a resource with `deleteBeforeReplace`, it compares the dependents with such values, and could delete them.
 */
function compareAdopted(
  address: WebhookAddress,
  differences: readonly Difference[],
  runState: RunState,
  operation: Operation,
): readonly Difference[] {
  const known = differences.filter((difference) => !difference.isUnknown);
  const name = nameOfWebhook(address.id, address.databaseId);
  if (known.length > 0) {
    const properties = known.map(({ property }) => property);
    throw failure("stillAdopted", operation, { name, properties });
  }
  runState.refuse(address, "adoptedWithUnknowns");
  const properties = differences.map(({ property }) => property);
  operation.warn(adoptedWithUnknownsText(name, properties));
  return [];
}

function announceReplacement(
  { id, state, news, settings, urn }: Comparison & DiffOptions,
  differences: readonly Difference[],
  runState: RunState,
  operation: Operation,
): void {
  const name = nameOfWebhook(id, state.databaseId);
  const labels = differences.map(({ label }) => label);
  if (runState.importedUrns.has(urn ?? "")) {
    operation.warn(importedOtherwiseText(name, labels));
  } else if (idToAdopt(news) === undefined) {
    operation.warn(replacementText(name, labels));
  } else {
    const adopted = settings && adoptedWebhook(news, settings.baseUrl);
    const adoptedName = adopted && nameOfWebhook(adopted.id, adopted.databaseId);
    operation.warn(exchangeText(name, adoptedName ?? "the webhook that adopt names", labels));
  }
}

/** Warns that the program has another secret than the state, which keeps its own. */
function warnOfOtherSecret({ id, state, news }: Comparison, operation: Operation): void {
  const { secret } = (news.adopt ?? {}) as { secret?: unknown };
  if (secret !== undefined && !isUnknown(secret) && secret !== state.secret) {
    operation.warn(otherAdoptedSecretText(nameOfWebhook(id, state.databaseId)));
  }
}
