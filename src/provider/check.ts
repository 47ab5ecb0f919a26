import * as z from "zod/mini";
import { adviceForUnknownName } from "../common/nearest-name.js";
import { oneLine } from "../common/redact.js";
import { argumentRules, webhookArguments } from "./arguments.js";
import {
  isUnknown,
  normalizeEvents,
  type Properties,
  withoutAbsent,
  withSecretMarked,
} from "./values.js";

const maxFailures = 20;

/** What `check` answers: arguments in one spelling, and what is wrong with them, a line each. */
export interface CheckResult {
  readonly inputs: Record<string, unknown>;
  readonly failures: readonly string[];
}

/** Checks arguments. `problems` is what is wrong besides, with the configuration. */
export function checkArguments(news: Properties, problems: readonly string[]): CheckResult {
  const inputs = withoutAbsent(news);
  const all = [...problems, ...problemsOfArguments(inputs)];
  if (all.length === 0) {
    return { inputs: normalizeInputs(inputs), failures: [] };
  }
  const more = all.length - maxFailures;
  const rest = more > 0 ? [`more: there are ${more} further problems like these`] : [];
  const failures = [...all.slice(0, maxFailures), ...rest].map((line) => oneLine(line, 500));
  return { inputs, failures };
}

/** Lists everything that is wrong with a webhook's arguments, one line a problem. */
export function problemsOfArguments(args: Properties): string[] {
  const mayBeOn = (value: unknown) => value === true || isUnknown(value);
  const { error } = argumentRules({
    allowUnknownEvents: mayBeOn(args.allowUnknownEvents),
    allowInsecureUrl: mayBeOn(args.allowInsecureUrl),
  }).safeParse(args);
  return (error?.issues ?? []).flatMap((issue) => {
    if (issue.code !== "unrecognized_keys") {
      return [`${z.core.toDotPath(issue.path)}: ${issue.message}`];
    }
    const known = issue.path[0] === "adopt" ? ["id", "secret"] : Object.keys(webhookArguments);
    return issue.keys.map((name) => {
      const path = z.core.toDotPath([...issue.path, name.slice(0, 100)]);
      return `${path}: ${adviceForUnknownName(name, known)}`;
    });
  });
}

/**
 * Checked arguments as they are stored: in one spelling, and the secret of a webhook to adopt marked,
 * so that the engine encrypts it even where a transformation has removed its mark.
 */
function normalizeInputs(inputs: Properties): Record<string, unknown> {
  const normalized = { ...inputs, events: normalizeEvents(inputs.events) };
  if (typeof inputs.adopt !== "object") {
    return normalized;
  }
  const { id, secret } = inputs.adopt as Record<string, unknown>;
  return { ...normalized, adopt: withSecretMarked({ id: String(id), secret }) };
}
