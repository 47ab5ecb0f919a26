import { oneLine } from "../common/redact.js";
import {
  normalizeEvents,
  validateArgumentNames,
  validateArguments,
  withoutAbsent,
} from "./rules/arguments.js";
import type { ConfigResult } from "./rules/config.js";
import type { Properties } from "./rules/values.js";

/** The arguments, normalized if they are valid, and one message per problem. */
interface CheckedArguments {
  readonly inputs: Properties;
  readonly failures: readonly string[];
}

/** Validates the configuration and the arguments of a webhook. */
export function checkWebhook(news: Properties, { problems }: ConfigResult): CheckedArguments {
  const inputs = withoutAbsent(news);
  const failures = [
    ...problems,
    ...validateArgumentNames(inputs),
    ...validateArguments(inputs),
  ].map((line) => oneLine(line, 500));
  const isValid = failures.length === 0;
  return {
    inputs: isValid ? { ...inputs, events: normalizeEvents(inputs.events) } : inputs,
    failures,
  };
}
