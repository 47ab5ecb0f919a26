// What to do about settings that are missing or not valid.
import { settingCommand, settingsTable } from "../../common/settings-table.js";
import type { AccountOperationKind } from "../command/operation.js";
import type { SettingProblem } from "../rules/settings.js";
import { sentences } from "./sentences.js";

const correctProvider = sentences(
  `Correct the arguments of the Provider, or declare it again if it has left the program, and run "pulumi up", or`,
  `"pulumi destroy --run-program" to destroy the stack.`,
);

/** Says how to correct settings with which an operation cannot run. */
export function settingsAdvice(
  operation: AccountOperationKind,
  problems: readonly SettingProblem[],
  isExplicit: boolean,
): string {
  const stored = problems.filter(({ isFromEnvironment }) => !isFromEnvironment);
  if (stored.length === 0) {
    return "Correct or unset the variable, and run the command again.";
  }
  if (isExplicit) {
    return correctProvider;
  }
  const setVariables = `Set ${listOf(stored.map(({ name }) => settingsTable[name].variable))} for this command`;
  const commands = listOf(stored.map(({ name }) => `"${settingCommand(name)}"`));
  switch (operation) {
    case "create":
      return `${setVariables}, or run ${commands}.`;
    // Pulumi would create a second webhook if the user ran "pulumi up" in its place.
    case "import":
      return `${setVariables}.`;
    case "read":
    case "delete":
      return sentences(
        `${setVariables}, or run ${commands} and add --run-program to the refresh or destroy:`,
        `without it, Pulumi uses the settings of the last update.`,
      );
  }
}

/** Says what is wrong with a setting, and what to run, to somebody who runs the program. */
export function settingProblemText({ name, text, isMissing }: SettingProblem): string {
  return isMissing
    ? `${text}; run "${settingCommand(name)}" or set ${settingsTable[name].variable}`
    : text;
}

function listOf(texts: readonly string[]): string {
  return texts.join(" and ");
}
