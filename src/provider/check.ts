import { oneLine } from "../common/redact.js";
import {
  normalizeEvents,
  validateArgumentNames,
  validateArguments,
  withoutAbsent,
} from "./arguments.js";
import type { ConfigResult } from "./config.js";
import { messages, nameOfWebhook } from "./messages.js";
import type { Operation } from "./operation.js";
import type { RunState } from "./run-state.js";
import { idToAdopt } from "./state.js";
import { isUnknown, type Properties, withWrappedSecret, wrapSecret } from "./values.js";

const maxFailures = 20;

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
  resource: DeclaredResource,
  { settings, problems }: ConfigResult,
  runState: RunState,
  operation: Operation,
): CheckResult {
  const { olds, news, urn } = resource;
  const { inputs, failures } = checkArguments(news, problems);
  runState.hasChecked = true;
  if (isStored(olds) && urn !== "") {
    runState.oldArguments.set(urn, olds);
  }
  if (settings === undefined || failures.length > 0) {
    return { inputs, failures };
  }
  const problem = recordAdoption(resource, inputs, settings.baseUrl, runState, operation);
  if (problem !== undefined) {
    return { inputs, failures: [problem] };
  }
  const isImported = recordImport(urn, runState, operation);
  // The url was imported as a secret, so it stays one in the state.
  return { inputs: isImported ? { ...inputs, url: wrapSecret(inputs.url) } : inputs, failures };
}

/** Records that the argument `adopt` names a webhook, if it does. Returns why the webhook cannot be adopted. */
function recordAdoption(
  { olds, urn }: DeclaredResource,
  inputs: Properties,
  baseUrl: string,
  runState: RunState,
  operation: Operation,
): string | undefined {
  const id = idToAdopt(inputs);
  const databaseId = String(inputs.databaseId);
  if (id === undefined || isUnknown([id, databaseId])) {
    return undefined;
  }
  const name = nameOfWebhook(id, databaseId);
  const old = runState.oldArguments.get(urn) ?? {};
  if (!isStored(olds) && idToAdopt(old) === id && old.databaseId === databaseId) {
    // The replacement adopts the webhook that it replaces: if its provider is replaced too, the process of
    // the old provider, which knows nothing of the adoption, would delete the webhook.
    return `adopt: ${messages.adoptedAgain(name)}`;
  }
  runState.remember({ baseUrl, databaseId, id }).isAdoptDeclared = true;
  operation.notify(isStored(olds) ? undefined : messages.adopting(name));
  return undefined;
}

/** Records the owner of a webhook that this run has imported. Returns whether there is one. */
function recordImport(urn: string, runState: RunState, operation: Operation): boolean {
  const imported = runState.imported.get(urn);
  if (imported === undefined) {
    return false;
  }
  const owners = runState.remember(imported).addOwner(urn);
  if (owners.length > 1) {
    operation.warn(messages.shared(nameOfWebhook(imported.id, imported.databaseId), owners));
  }
  return true;
}

/** Whether Pulumi has stored arguments: it has none for a new webhook, nor for the new one of a replacement. */
function isStored(olds: Properties): boolean {
  return Object.keys(olds).length > 0;
}

/** Validates the configuration and the arguments, and normalizes the arguments if there is no problem. */
function checkArguments(news: Properties, problems: readonly string[]): CheckResult {
  const inputs = withoutAbsent(news);
  const all = [...problems, ...validateArgumentNames(inputs), ...validateArguments(inputs)];
  if (all.length === 0) {
    return { inputs: normalizeInputs(inputs), failures: [] };
  }
  const more = all.length - maxFailures;
  const rest = more > 0 ? [`more: problems that are not shown here: ${more}`] : [];
  const failures = [...all.slice(0, maxFailures), ...rest].map((line) => oneLine(line, 500));
  return { inputs, failures };
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
