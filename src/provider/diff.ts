import { idToAdopt } from "./arguments.js";
import type { Settings } from "./config.js";
import { type Comparison, compareWebhook, type Difference } from "./differences.js";
import { WebhookError } from "./errors.js";
import { otherBaseUrlText } from "./messages/deletion.js";
import { otherAdoptedSecretText } from "./messages/existing-webhooks.js";
import { nameOfWebhook } from "./messages/names.js";
import {
  adoptedAgainText,
  exchangeText,
  importedOtherwiseText,
  moveText,
  replacementText,
  returnedForCreationText,
  sharedText,
} from "./messages/replacement.js";
import type { Operation } from "./operation.js";
import type { RunState, WebhookAddress } from "./run-state.js";
import { addressOf, parseState } from "./state.js";
import { isUnknown, unwrapSecret } from "./values.js";

/** What the adapter knows about a comparison besides the state and the arguments. */
export interface DiffOptions extends Pick<Comparison, "ignored"> {
  /**
   * Whether Pulumi keeps the old settings of a default provider for its deletions. Default: false, as for
   * dynamic providers.
   */
  readonly keepsOldSettings?: boolean;
  /** Identifies the resource. The dynamic adapter does not get it. */
  readonly urn?: string | undefined;
}

/**
 * Compares a webhook with the program, throws if the update must not happen, and announces a replacement.
 * Sends nothing.
 */
export function diffWebhook(
  comparison: Comparison & DiffOptions,
  runState: RunState,
  operation: Operation,
): readonly Difference[] {
  const { id, state, settings, urn } = comparison;
  const differences = compareWebhook(comparison);
  const address = addressOf(id, state, settings);
  if (address !== undefined) {
    runState.record("inState", address);
  }
  const { checkedUrns } = runState;
  const isDeclared = urn === undefined ? checkedUrns.size > 0 : checkedUrns.has(urn);
  if (address && runState.has("read", address) && !isDeclared) {
    // A refresh compares what it has read with the arguments of the last update, and not with the program.
    return differences;
  }
  if (differences.length > 0) {
    const isMoved = address && settings && address.baseUrl !== settings.baseUrl;
    const movedFrom = isMoved ? address.baseUrl : undefined;
    assertReplaceable(comparison, movedFrom, operation);
    const isImported = runState.imports.has(urn ?? "");
    announceReplacement(comparison, differences, movedFrom, isImported, operation);
  } else {
    warnOfUnchanged(comparison, address, runState, operation);
  }
  return differences;
}

/** Throws if a replacement could not delete the old webhook, or would adopt it. */
function assertReplaceable(
  { id, state, news, settings, keepsOldSettings = false }: Comparison & DiffOptions,
  movedFrom: string | undefined,
  operation: Operation,
): void {
  if (movedFrom && settings && !canDeleteAtOldBaseUrl(settings, keepsOldSettings)) {
    throw new WebhookError("unchanged", otherBaseUrlText(operation, settings, movedFrom));
  }
  // Each database of each service numbers its own webhooks.
  const isSamePlace = movedFrom === undefined && parseState(news).databaseId === state.databaseId;
  if (isSamePlace && idToAdopt(news) === id) {
    const name = nameOfWebhook(id, state.databaseId);
    throw new WebhookError("unchanged", adoptedAgainText(name));
  }
}

/**
 * Whether the old webhook of a move to another base URL can be deleted there. An explicit provider may not be
 * the one that has the webhook, and deletes its own ones with its own arguments. The environment overrides old
 * settings too: then the deletion would go to the new address, or with the new key to the old one.
 */
function canDeleteAtOldBaseUrl(
  { isExplicit, namesFromEnvironment }: Settings,
  keepsOldSettings: boolean,
): boolean {
  if (namesFromEnvironment.includes("baseUrl")) {
    return false;
  }
  return isExplicit || (keepsOldSettings && !namesFromEnvironment.includes("apiKey"));
}

function announceReplacement(
  { id, state, news, settings }: Comparison,
  differences: readonly Difference[],
  movedFrom: string | undefined,
  isImported: boolean,
  operation: Operation,
): void {
  const name = nameOfWebhook(id, state.databaseId);
  const labels = differences.map(({ label }) => label);
  if (isImported) {
    operation.warn(importedOtherwiseText(name, labels));
    return;
  }
  const adopted = idToAdopt(news);
  const text =
    adopted === undefined || isUnknown(adopted)
      ? replacementText(name, labels)
      : exchangeText(name, nameOfWebhook(adopted, parseState(news).databaseId), labels);
  const move = movedFrom && settings ? ` ${moveText(movedFrom, settings.baseUrl)}` : "";
  operation.warn(text + move);
}

/** Warns of what looks unchanged and may still surprise: two resources of one webhook, another secret. */
function warnOfUnchanged(
  { id, state, news, urn }: Comparison & DiffOptions,
  address: WebhookAddress | undefined,
  runState: RunState,
  operation: Operation,
): void {
  const name = nameOfWebhook(id, state.databaseId);
  // Pulumi compares a renamed resource under its old URN too, which no check has named.
  const isNamed = urn !== undefined && runState.checkedUrns.has(urn);
  const holders = address && isNamed ? runState.holdersWith(address, urn) : [];
  if (holders.length > 1) {
    operation.warn(sharedText(name, holders));
  }
  if (address && runState.has("created", address)) {
    operation.warn(returnedForCreationText(name));
  }
  const { secret } = (unwrapSecret(news.adopt ?? {}) ?? {}) as { secret?: unknown };
  const given = unwrapSecret(secret);
  if (given !== undefined && !isUnknown(given) && given !== state.secret) {
    operation.warn(otherAdoptedSecretText(name));
  }
}
