// The advice about settings that are missing or not valid.
import { settingCommand, settingsTable } from "../../common/settings-table.js";
import type { SettingProblem } from "../rules/settings.js";
import { sentences } from "./sentences.js";

const correctProvider = sentences(
  `Correct the arguments of the Provider, or declare it again if it has left the program, and run "pulumi up", or`,
  `"pulumi destroy --run-program" to destroy the stack.`,
);

/**
 * Says how to correct settings with which an operation cannot run. A refresh and a deletion have the
 * settings of the last update, and "pulumi up" in place of an import would create a second webhook,
 * so a variable helps every operation, and "pulumi config set" does not.
 */
export function settingsAdvice(problems: readonly SettingProblem[], isExplicit: boolean): string {
  const inEnvironment = problems.filter(({ isFromEnvironment }) => isFromEnvironment);
  const stored = problems.filter(({ isFromEnvironment }) => !isFromEnvironment);
  const setVariables = `Set ${variablesOf(stored)} for this command.`;
  return sentences(
    inEnvironment.length > 0 && `Correct or unset ${variablesOf(inEnvironment)}.`,
    stored.length > 0 && (isExplicit ? correctProvider : setVariables),
  );
}

/** Says what is wrong with a setting, and what to run, to somebody who runs the program. */
export function settingProblemText({ name, text, isMissing }: SettingProblem): string {
  return isMissing
    ? `${text}; run "${settingCommand(name)}" or set ${settingsTable[name].variable}`
    : text;
}

function variablesOf(problems: readonly SettingProblem[]): string {
  return problems.map(({ name }) => settingsTable[name].variable).join(" and ");
}
