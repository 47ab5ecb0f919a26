// The states of stacks, as `--stack` and `--state` name them.
import { readFile } from "node:fs/promises";
import { oneLine, shownValue } from "../../common/plain-text.js";
import type { Reporter } from "../../provider/command/reporter.js";
import { parseExportedState, type StackState } from "../../provider/rules/exported-state.js";
import { exportStacks } from "./stack-exports.js";
import { systemErrorText } from "./system-error.js";

/** The stacks, and files with the output of `pulumi stack export`, that a command is given. */
export interface StateOptions {
  readonly stacks: readonly string[];
  readonly stateFiles: readonly string[];
}

/** A state that a command is given. */
export interface GivenState extends StackState {
  /** Its name in messages, such as `stack dev`. */
  readonly name: string;
  /** Whether it was read from a file, and may be older than its stack. */
  readonly isSaved: boolean;
}

type Result = GivenState | { readonly problem: string };

/**
 * Reads all given states, and says how old those of files are. Throws an error with all problems
 * unless all webhooks of all states are known.
 */
export async function readStates(
  { stacks, stateFiles }: StateOptions,
  reporter: Reporter,
): Promise<readonly GivenState[]> {
  const saved = await Promise.all(stateFiles.map(readSavedState));
  const states = assertUsable([...(await readStacks(stacks, reporter)), ...saved]);
  for (const { name, isSaved, changedAt = "an unknown time" } of states) {
    if (isSaved) {
      reporter.warn(`${name} has the state of ${changedAt}. What its stack got later is missing.`);
    }
  }
  return states;
}

/**
 * Exports the stacks of states once more; a saved state stays as it is.
 *
 * Pulumi stores a creation before it begins, and its result after it. So the states that are read
 * after a list was requested have whatever the list shows, if they have it at all. A webhook that
 * moves between two stacks may be in neither state of one reading. Then it is in a state of the
 * reading before, because Pulumi stores the destination first.
 */
export async function readStatesAgain(
  { stacks }: StateOptions,
  states: readonly GivenState[],
  reporter: Reporter,
): Promise<readonly GivenState[]> {
  const exported = assertUsable(await readStacks(stacks, reporter));
  return [...exported, ...states.filter(({ isSaved }) => isSaved)];
}

async function readStacks(
  stacks: readonly string[],
  reporter: Reporter,
): Promise<readonly Result[]> {
  const names = [...new Set(stacks)];
  const exported = await exportStacks(names);
  return exported.map((result, at) => {
    const name = `stack ${shownValue(names[at] ?? "")}`;
    return "problem" in result
      ? { problem: `Cannot export ${name}: ${reporter.redact(result.problem, 500)}` }
      : parse(name, result.text, false);
  });
}

async function readSavedState(file: string): Promise<Result> {
  const name = oneLine(file, 300);
  try {
    return parse(name, await readFile(file, "utf8"), true);
  } catch (error) {
    return { problem: `Cannot read the state of ${name}: ${systemErrorText(error)}.` };
  }
}

function parse(name: string, text: string, isSaved: boolean): Result {
  const state = parseExportedState(text);
  return "problem" in state
    ? { problem: `Cannot use the state of ${name}: ${state.problem}.` }
    : { ...state, name, isSaved };
}

function assertUsable(results: readonly Result[]): readonly GivenState[] {
  const problems = results.flatMap((result) => ("problem" in result ? [result.problem] : []));
  if (problems.length > 0) {
    throw new Error(problems.join("\n"));
  }
  return results.flatMap((result) => ("problem" in result ? [] : [result]));
}
