// The states of stacks, as `--state` names them.
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { getSystemErrorMessage } from "node:util";
import { oneLine } from "../../common/plain-text.js";
import { parseExportedState, type StackState } from "../../provider/rules/exported-state.js";

/** Reads files, and standard input for `-`. Throws unless all webhooks of all states are known. */
export async function readStates(files: readonly string[]): Promise<readonly StackState[]> {
  const results = await Promise.all(files.map(readState));
  const problems = results.flatMap((result) => ("problem" in result ? [result.problem] : []));
  if (problems.length > 0) {
    throw new Error(problems.join("\n"));
  }
  return results.flatMap((result) => ("problem" in result ? [] : [result]));
}

async function readState(file: string): Promise<StackState | { readonly problem: string }> {
  const name = file === "-" ? "standard input" : oneLine(file, 300);
  try {
    const content = await (file === "-" ? text(process.stdin) : readFile(file, "utf8"));
    const state = parseExportedState(content);
    return "problem" in state
      ? { problem: `Cannot use the state in ${name}: ${state.problem}.` }
      : state;
  } catch (error) {
    return { problem: `Cannot read the state in ${name}: ${systemErrorText(error)}.` };
  }
}

/** Returns the text of an error of the file system, which would otherwise repeat the path. */
export function systemErrorText(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return errno === undefined ? oneLine(message, 300) : getSystemErrorMessage(errno);
}
