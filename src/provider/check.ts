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
import { nameOfWebhook } from "./messages/names.js";
import { adoptingText, namedTwiceText } from "./messages/notices.js";
import type { Operation } from "./operation.js";
import type { RunState, WebhookAddress } from "./run-state.js";
import { isUnknown, type Properties, withWrappedSecret, wrapSecret } from "./values.js";

/** Normalized inputs, and one message per problem. */
interface CheckedArguments {
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

/** Checks the arguments of a webhook, and notes which webhook they adopt. */
export function checkWebhook(
  { olds, news, urn }: DeclaredResource,
  { settings, problems }: ConfigResult,
  runState: RunState,
  operation: Operation,
): CheckedArguments {
  const { inputs, failures } = checkArguments(news, problems);
  runState.checkedUrns.add(urn);
  const adopted = settings && adoptedWebhook(news, settings.baseUrl);
  if (adopted !== undefined) {
    const name = nameOfWebhook(adopted.id, adopted.databaseId);
    const isNew = Object.keys(olds).length === 0;
    // Noted whatever else is wrong: another resource of the program may delete this webhook.
    const isFirstOfTwo = !isNew && !adopts(olds, adopted);
    const check = { urn, isFirstOfTwo, isSecondOfTwo: isNew };
    if (!runState.claimForAdoption(adopted, check)) {
      return { inputs, failures: [...failures, `adopt: ${namedTwiceText(name)}`] };
    }
    if (isNew && failures.length === 0) {
      operation.notify(adoptingText(name));
    }
  }
  // The url was imported as a secret, so it stays one in the state.
  const isImported = runState.importedUrns.has(urn) && failures.length === 0;
  return { inputs: isImported ? { ...inputs, url: wrapSecret(inputs.url) } : inputs, failures };
}

/** Returns the webhook that arguments adopt, if they adopt one and it is known which. */
export function adoptedWebhook(args: Properties, baseUrl: string): WebhookAddress | undefined {
  const { databaseId } = args;
  const id = webhookIdOf(idToAdopt(args));
  return id === undefined || typeof databaseId !== "string" || isUnknown(databaseId)
    ? undefined
    : { baseUrl, databaseId, id };
}

function adopts(args: Properties, { databaseId, id }: WebhookAddress): boolean {
  return args.databaseId === databaseId && idToAdopt(args) === id;
}

/** Validates the configuration and the arguments, and normalizes the arguments if there is no problem. */
function checkArguments(news: Properties, problems: readonly string[]): CheckedArguments {
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
