import { webhookIdOf } from "../common/identifier.js";
import { oneLine } from "../common/redact.js";
import {
  idToAdopt,
  normalizeEvents,
  validateArgumentNames,
  validateArguments,
  withoutAbsent,
} from "./arguments.js";
import type { ConfigResult } from "./config.js";
import { adoptingText } from "./messages/existing-webhooks.js";
import { nameOfWebhook } from "./messages/names.js";
import { adoptedAgainText, sharedText } from "./messages/replacement.js";
import type { Operation } from "./operation.js";
import type { RunState, WebhookAddress } from "./run-state.js";
import { isUnknown, type Properties, withWrappedSecret, wrapSecret } from "./values.js";

/** The result of `check`: normalized inputs and one message per problem. */
export interface CheckResult {
  readonly inputs: Record<string, unknown>;
  readonly failures: readonly string[];
}

/** The arguments of a resource, and its URN, which is empty in the dynamic adapter. */
interface DeclaredResource {
  /** The arguments of the last update; empty for a new webhook. */
  readonly olds: Properties;
  readonly news: Properties;
  readonly urn: string;
}

/** Checks the arguments of a webhook, and records which webhook they adopt or were imported from. */
export function checkWebhook(
  { olds, news, urn }: DeclaredResource,
  { settings, problems }: ConfigResult,
  runState: RunState,
  operation: Operation,
): CheckResult {
  const { inputs, failures } = checkArguments(news, problems);
  runState.checkedUrns.add(urn);
  const adopted = settings && adoptedWebhook(news, settings.baseUrl);
  if (adopted !== undefined) {
    // Recorded whatever else is wrong: another resource of the program may delete this webhook.
    runState.record("namedByAdopt", adopted);
    const name = nameOfWebhook(adopted.id, adopted.databaseId);
    const isNewResource = Object.keys(olds).length === 0;
    if (isSameAdoption(olds, adopted)) {
      runState.record("stillNamedByAdopt", adopted);
    } else if (isNewResource && runState.has("stillNamedByAdopt", adopted)) {
      // The replacement adopts the webhook that it replaces: if its provider is replaced too, the process of
      // the old provider, which knows nothing of the adoption, would delete the webhook.
      return { inputs, failures: [...failures, `adopt: ${adoptedAgainText(name)}`] };
    }
    if (isNewResource && failures.length === 0) {
      operation.notify(adoptingText(name));
    }
  }
  const imported = runState.imports.get(urn);
  if (imported === undefined || failures.length > 0) {
    return { inputs, failures };
  }
  const holders = runState.holdersWith(imported, urn);
  if (holders.length > 1) {
    operation.warn(sharedText(nameOfWebhook(imported.id, imported.databaseId), holders));
  }
  // The url was imported as a secret, so it stays one in the state.
  return { inputs: { ...inputs, url: wrapSecret(inputs.url) }, failures };
}

/** Returns the webhook that arguments adopt, if they adopt one and it is known which. */
function adoptedWebhook(args: Properties, baseUrl: string): WebhookAddress | undefined {
  const { databaseId } = args;
  const id = webhookIdOf(idToAdopt(args));
  return id === undefined || typeof databaseId !== "string" || isUnknown(databaseId)
    ? undefined
    : { baseUrl, databaseId, id };
}

function isSameAdoption(olds: Properties, { databaseId, id }: WebhookAddress): boolean {
  return olds.databaseId === databaseId && idToAdopt(olds) === id;
}

/** Validates the configuration and the arguments, and normalizes the arguments if there is no problem. */
function checkArguments(news: Properties, problems: readonly string[]): CheckResult {
  const inputs = withoutAbsent(news);
  const all = [...problems, ...validateArgumentNames(inputs), ...validateArguments(inputs)];
  if (all.length === 0) {
    return { inputs: normalizeInputs(inputs), failures: [] };
  }
  return { inputs, failures: all.map((line) => oneLine(line, 500)) };
}

/**
 * Normalizes valid arguments for the state. The secret in `adopt` is wrapped, so that the engine encrypts
 * it even if a transformation has removed the program's own envelope.
 */
function normalizeInputs(inputs: Properties): Record<string, unknown> {
  const normalized = { ...inputs, events: normalizeEvents(inputs.events) };
  if (typeof inputs.adopt !== "object") {
    return normalized;
  }
  const { id, secret } = inputs.adopt as Record<string, unknown>;
  return { ...normalized, adopt: withWrappedSecret({ id: String(id), secret }) };
}
