import { oneLine } from "../common/plain-text.js";
import type { LocalOperation } from "./command/operation.js";
import { settingProblemText } from "./messages/invalid-settings.js";
import { validateArgumentNames, validateArguments, withSortedEvents } from "./rules/arguments.js";
import { type Properties, withoutNullish } from "./rules/values.js";

export interface CheckRequest {
  readonly news: Properties;
}

/** Normalized inputs, and one line for each problem. */
export interface CheckResult {
  readonly inputs: Properties;
  readonly problems: readonly string[];
}

/** Reports every problem of the settings and of the arguments. */
export const checkOperation: LocalOperation<CheckRequest, CheckResult> = {
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
    return problems.length === 0
      ? { inputs: withSortedEvents(inputs), problems }
      : { inputs, problems: problems.map((problem) => oneLine(problem, 500)) };
  },
};
