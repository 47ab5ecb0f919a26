import { normalizeEvents, replacingArguments } from "./arguments.js";
import type { Settings } from "./config.js";
import { WebhookError } from "./errors.js";
import { messageParts, messages, nameOfWebhook, otherBaseUrlText } from "./messages.js";
import type { Operation } from "./operation.js";
import type { RunState, WebhookRecord } from "./run-state.js";
import { addressOf, currentBaseUrl, idToAdopt } from "./state.js";
import { isSameUrl } from "./urls.js";
import { isUnknown, type Properties } from "./values.js";

/** A property that forces the replacement of a webhook, and its name in messages, with details. */
export interface Difference {
  readonly property: string;
  readonly label: string;
}

/** A stored webhook and the arguments that the program declares for it. */
export interface Comparison {
  readonly id: string;
  /** The stored outputs. */
  readonly state: Properties;
  readonly news: Properties;
  /** The settings of the provider, if they are valid. */
  readonly settings: Settings | undefined;
  /** The paths of `ignoreChanges`. */
  readonly ignored: readonly string[];
  /** Identifies the resource. The dynamic adapter does not get it. */
  readonly urn: string | undefined;
}

/**
 * Compares a webhook with the program, throws if the update must not happen, records who owns the webhook,
 * and announces a replacement. Sends nothing.
 */
export function diffWebhook(
  comparison: Comparison,
  runState: RunState,
  operation: Operation,
): readonly Difference[] {
  const { id, state, settings, urn = "" } = comparison;
  const differences = compareWebhook(comparison);
  const address = addressOf(id, state, settings);
  // From now on this run knows the webhook.
  const record = address && runState.remember(address);
  if (runState.isRefresh) {
    // A refresh compares nothing with the program, so there is nothing to refuse or to announce.
    return differences;
  }
  assertSameBaseUrl(comparison, address?.baseUrl, operation);
  if (differences.length > 0) {
    // Pulumi can compare a resource twice: first because a resource on which it depends is replaced.
    record?.owners.delete(urn);
    announceReplacement(comparison, differences, runState.imported.has(urn), operation);
  } else if (record !== undefined && runState.hasChecked) {
    recordOwner(comparison, record, operation);
  }
  return differences;
}

/** Lists what forces a replacement. A stored webhook without a secret is replaced too. */
export function compareWebhook({
  id,
  state,
  news,
  settings,
  ignored,
}: Comparison): readonly Difference[] {
  const differences: Difference[] = [];
  for (const property of replacingArguments) {
    if (isIgnored(property, ignored)) {
      continue;
    }
    if (isUnknown(news[property])) {
      differences.push({ property, label: `${property} (not known yet)` });
    } else if (!isSame(property, state[property], news[property])) {
      differences.push({ property, label: property });
    }
  }
  const baseUrl = currentBaseUrl(state, settings);
  if (settings !== undefined && baseUrl !== settings.baseUrl) {
    differences.push({
      property: "baseUrl",
      label: messageParts.baseUrlLabel(baseUrl, settings.baseUrl),
    });
  }
  const adopted = idToAdopt(news);
  if (isUnknown(adopted)) {
    differences.push({ property: "adopt", label: "adopt.id (not known yet)" });
  } else if (adopted !== undefined && adopted !== id) {
    differences.push({ property: "adopt", label: "adopt.id" });
  }
  if (!hasSecret(state)) {
    differences.push({ property: "secret", label: "secret (missing in the state)" });
  }
  return differences;
}

function hasSecret({ secret }: Properties): boolean {
  return typeof secret === "string" && secret !== "";
}

/** Whether two values of an argument mean the same, such as events in another order. */
export function isSame(property: string, old: unknown, next: unknown): boolean {
  if (property === "url" && typeof old === "string" && typeof next === "string") {
    return isSameUrl(old, next);
  }
  if (Array.isArray(old) && Array.isArray(next)) {
    return JSON.stringify(normalizeEvents(old)) === JSON.stringify(normalizeEvents(next));
  }
  return (old ?? undefined) === (next ?? undefined);
}

/**
 * Whether the program ignores an argument as a whole. Pulumi has already applied a path into an argument,
 * such as `events[0]`, to the new arguments.
 *
 * Source of the spellings: `ParsePropertyPath` in `sdk/go/common/resource/property_path.go` of
 * pulumi/pulumi.
 */
function isIgnored(property: string, ignored: readonly string[]): boolean {
  return ignored.some((path) => [property, `["${property}"]`, "*", "[*]"].includes(path));
}

/**
 * Throws if the base URL of this provider has changed: a replacement would delete the old webhook with the new
 * address and key, which fails. An explicit provider whose arguments name its base URL is not refused, because
 * the webhook may come from another provider, which deletes it with its own settings.
 */
function assertSameBaseUrl(
  { settings }: Comparison,
  baseUrl: string | undefined,
  operation: Operation,
): void {
  if (settings === undefined || baseUrl === undefined || baseUrl === settings.baseUrl) {
    return;
  }
  if (!settings.isExplicit || settings.namesFromEnvironment.includes("baseUrl")) {
    throw new WebhookError("unchanged", otherBaseUrlText(operation, settings, baseUrl, true));
  }
}

/** Warns of a replacement. Throws if the replacement would adopt the webhook that it replaces. */
function announceReplacement(
  { id, state, news }: Comparison,
  differences: readonly Difference[],
  isImported: boolean,
  operation: Operation,
): void {
  const name = nameOfWebhook(id, state.databaseId);
  const names = differences.map(({ label }) => label).join(", ");
  if (idToAdopt(news) === id) {
    throw new WebhookError("unchanged", messages.adoptedAgain(name));
  }
  operation.warn(
    isImported
      ? messages.importedOtherwise(name, names)
      : messages.replacement(name, names, hasSecret(state)),
  );
}

/** Records the owner of a webhook that stays as it is. Throws if another resource adopts the same webhook. */
function recordOwner(
  { id, state, news, urn }: Comparison,
  record: WebhookRecord,
  operation: Operation,
): void {
  const name = nameOfWebhook(id, state.databaseId);
  const hasAdopt = idToAdopt(news) !== undefined;
  // Without URNs, all resources with `adopt` look like one, and so do all without it.
  const owners = record.addOwner(urn ?? `a resource with${hasAdopt ? "" : "out"} adopt`);
  const isAdoptedElsewhere = record.isAdoptDeclared && (!hasAdopt || owners.length > 1);
  if (record.isAdopted || isAdoptedElsewhere) {
    throw new WebhookError("unchanged", messages.adoptedAndOwned(name));
  }
  operation.warn(owners.length > 1 ? messages.shared(name, owners) : undefined);
  const { secret } = (news.adopt ?? {}) as { secret?: unknown };
  if (secret !== undefined && !isUnknown(secret) && secret !== state.secret) {
    operation.notify(messages.otherAdoptedSecret(name));
  }
}
