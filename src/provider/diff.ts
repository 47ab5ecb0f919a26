import type { WebhookAddress } from "../api/client.js";
import { isSameUrl } from "../common/url.js";
import { replacingArguments } from "./arguments.js";
import type { Settings } from "./config.js";
import { WebhookError } from "./errors.js";
import { baseUrlChangedText, lines, nameOfWebhook } from "./messages.js";
import type { Operation } from "./operation.js";
import type { RunState } from "./run-state.js";
import { addressOf, adoptedId, currentBaseUrl } from "./state.js";
import { isUnknown, normalizeEvents, type Properties } from "./values.js";

/** A property that forces the replacement of a webhook, and why. */
export interface Difference {
  readonly property: string;
  readonly reason: string;
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
  /** Tells resources apart, where Pulumi gives it. */
  readonly urn: string | undefined;
}

/**
 * Compares a webhook with the program, remembers who owns it, refuses what must not happen, and announces
 * what will. Sends nothing.
 */
export function diffWebhook(
  comparison: Comparison,
  runState: RunState,
  operation: Operation,
): readonly Difference[] {
  const { id, state, settings } = comparison;
  const differences = compareWebhook(comparison);
  const address = addressOf(id, state, settings);
  if (address !== undefined) {
    // From now on this run knows the webhook.
    runState.recordOf(address);
  }
  if (runState.hasRead && !runState.hasChecked) {
    // A refresh does not run the program, so there is nothing to refuse or to announce.
    return differences;
  }
  const isStaying = differences.length === 0 && runState.hasChecked;
  const owners = isStaying && address ? rememberOwner(comparison, address, runState) : [];
  refuseConflict(comparison, differences, owners, address, runState);
  announce(comparison, differences, owners, runState, operation);
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
      differences.push({ property, reason: `${property} is not known yet` });
    } else if (!isSame(property, state[property], news[property])) {
      differences.push({ property, reason: `${property} changes` });
    }
  }
  const baseUrl = currentBaseUrl(state, settings);
  if (settings !== undefined && baseUrl !== settings.baseUrl) {
    differences.push({
      property: "baseUrl",
      reason: lines.baseUrlReason(baseUrl, settings.baseUrl),
    });
  }
  const adopted = adoptedId(news);
  if (isUnknown(adopted)) {
    differences.push({ property: "adopt", reason: "adopt.id is not known yet" });
  } else if (adopted !== undefined && adopted !== id) {
    differences.push({ property: "adopt", reason: "adopt.id names another webhook" });
  }
  if (typeof state.secret !== "string" || state.secret === "") {
    differences.push({ property: "secret", reason: "its state holds no secret" });
  }
  return differences;
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

/** Notes that a resource keeps its webhook. */
function rememberOwner(
  { news, urn }: Comparison,
  address: WebhookAddress,
  runState: RunState,
): readonly string[] {
  const withoutUrn = adoptedId(news) === undefined ? "a resource without adopt" : "one with adopt";
  return runState.noteOwner(address, urn ?? withoutUrn);
}

function refuseConflict(
  { id, state, news, settings }: Comparison,
  differences: readonly Difference[],
  owners: readonly string[],
  address: WebhookAddress | undefined,
  runState: RunState,
): void {
  const name = nameOfWebhook(id, state.databaseId);
  const isMoved = settings !== undefined && address && address.baseUrl !== settings.baseUrl;
  if (isMoved && !settings.isExplicit) {
    throw new WebhookError("unchanged", baseUrlChangedText(settings, name, address.baseUrl));
  }
  const isAdopting = adoptedId(news) !== undefined;
  if (differences.length > 0 && adoptedId(news) === id) {
    throw new WebhookError("unchanged", lines.adoptedAgain(name, reasonsOf(differences)));
  }
  if (owners.length === 0 || address === undefined) {
    return;
  }
  const { isAdopted, isNamedByAdopt } = runState.recordOf(address);
  if (isAdopted || (isNamedByAdopt && (!isAdopting || owners.length > 1))) {
    throw new WebhookError("unchanged", lines.adoptedAndOwned(name));
  }
}

function announce(
  { id, state, news, urn }: Comparison,
  differences: readonly Difference[],
  owners: readonly string[],
  runState: RunState,
  operation: Operation,
): void {
  const name = nameOfWebhook(id, state.databaseId);
  if (differences.length > 0) {
    const isImported = urn !== undefined && runState.imported.has(urn);
    const line = isImported ? lines.importedOtherwise : lines.replacement;
    operation.warn(line(name, reasonsOf(differences)));
    return;
  }
  operation.warn(lines.shared(name, owners));
  const { secret } = (news.adopt ?? {}) as { secret?: unknown };
  if (secret !== undefined && !isUnknown(secret) && secret !== state.secret) {
    operation.notify(lines.otherAdoptedSecret(name));
  }
}

function reasonsOf(differences: readonly Difference[]): string {
  return differences.map(({ reason }) => reason).join(", ");
}
