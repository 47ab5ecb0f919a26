import { oneLine } from "../common/redact.js";
import { normalizeEvents, validateArguments, withoutAbsent } from "./arguments.js";
import { type Properties, withWrappedSecret } from "./values.js";

const maxFailures = 20;

/** The result of `check`: normalized inputs and one message per problem. */
export interface CheckResult {
  readonly inputs: Record<string, unknown>;
  readonly failures: readonly string[];
}

/** Checks arguments. `problems` are those of the configuration, which are reported together with them. */
export function checkArguments(news: Properties, problems: readonly string[]): CheckResult {
  const inputs = withoutAbsent(news);
  const all = [...problems, ...validateArguments(inputs)];
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
