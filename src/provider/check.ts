import { oneLine } from "../common/plain-text.js";
import type { LocalOperation } from "./command/operation.js";
import { settingProblemText } from "./messages/invalid-settings.js";
import {
  validateArgumentNames,
  validateArguments,
  withoutNullish,
  withSortedEvents,
} from "./rules/arguments.js";
import type { Properties } from "./rules/values.js";

/** Normalized inputs and one failure per problem, as Pulumi's dynamic providers return them. */
interface CheckResult {
  readonly inputs: Properties;
  readonly failures?: { property: string; reason: string }[];
}

/** Reports every problem of the settings and of the arguments. */
export const checkOperation: LocalOperation<{ readonly news: Properties }, CheckResult> = {
  kind: "local",
  name: () => "Check webhook",
  sensitive: ({ news }) => ({ properties: news }),
  run: ({ settingsResult }, { news }) => {
    const inputs = withoutNullish(news);
    const problems = [
      ...settingsResult.problems.map(settingProblemText),
      ...validateArgumentNames(inputs),
      ...validateArguments(inputs),
    ];
    if (problems.length === 0) {
      return { inputs: withSortedEvents(inputs) };
    }
    // Name no property: Pulumi prints the value of a named one, and a url is often a credential.
    const failures = problems.map((line) => ({ property: "", reason: oneLine(line, 500) }));
    return { inputs, failures };
  },
};
