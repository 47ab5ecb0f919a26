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

/**
 * Checks the arguments of a webhook, and records which webhook they adopt or were imported from.
 *
 * @param args The old arguments, which are empty for a new webhook, and the new ones. The URN is empty in the
 * dynamic adapter, which does not get it.
 */
export function checkWebhook(
  {
    olds,
    news,
    urn,
  }: { readonly olds: Properties; readonly news: Properties; readonly urn: string },
  { settings, problems }: ConfigResult,
  runState: RunState,
  operation: Operation,
): CheckResult {
  const { inputs, failures } = checkArguments(news, problems);
  const isNew = Object.keys(olds).length === 0;
  runState.hasChecked = true;
  if (!isNew && urn !== "") {
    runState.oldArguments.set(urn, olds);
  }
  if (settings === undefined || failures.length > 0) {
    return { inputs, failures };
  }
  const id = idToAdopt(inputs);
  const databaseId = String(inputs.databaseId);
  if (id !== undefined && !isUnknown([id, databaseId])) {
    const name = nameOfWebhook(id, databaseId);
    const old = runState.oldArguments.get(urn) ?? {};
    if (isNew && idToAdopt(old) === id && old.databaseId === databaseId) {
      // The replacement adopts the webhook that it replaces: if its provider is replaced too, the process of
      // the old provider, which knows nothing of the adoption, would delete the webhook.
      const problem = messages.adoptedAgain(name);
      return { inputs, failures: [`adopt: ${problem}`] };
    }
    runState.remember({ baseUrl: settings.baseUrl, databaseId, id }).isAdoptDeclared = true;
    operation.notify(isNew ? messages.adopting(name) : undefined);
  }
  const imported = runState.imported.get(urn);
  if (imported === undefined) {
    return { inputs, failures };
  }
  const owners = runState.remember(imported).addOwner(urn);
  if (owners.length > 1) {
    operation.warn(messages.shared(nameOfWebhook(imported.id, imported.databaseId), owners));
  }
  // A url that was imported as a secret stays one.
  return { inputs: { ...inputs, url: wrapSecret(inputs.url) }, failures };
}

/** Validates the configuration and the arguments, and normalizes the arguments if there is no problem. */
function checkArguments(news: Properties, problems: readonly string[]): CheckResult {
  const inputs = withoutAbsent(news);
  const all = [...problems, ...validateArgumentNames(inputs), ...validateArguments(inputs)];
  if (all.length === 0) {
    return { inputs: normalizeInputs(inputs), failures: [] };
  }
  const more = all.length - maxFailures;
  const rest = more > 0 ? [`more: there are ${more} further problems like these`] : [];
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
