/** `node deploy.mts preview|up|destroy --stack NAME`; README.md has the options and exit codes. */
import { rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  ConcurrentUpdateError,
  LocalWorkspace,
  type Stack,
  StackNotFoundError,
} from "@pulumi/pulumi/automation/index.js";
import { watchForInterruption } from "./interruption.mts";

const exitCodes = { succeeded: 0, failed: 1, locked: 3, interrupted: 4 } as const;
const wrongUsageExitCode = 2;
const lockRetryMs = 5_000;
const commandNames = ["preview", "up", "destroy"] as const;

type Changes = Readonly<Record<string, number>>;

interface Outcome {
  readonly result: keyof typeof exitCodes;
  /** The number of resources by operation. Pulumi does not report it for a failed update. */
  readonly changes?: Changes;
}

const { command, stackName, summaryFile, lockSeconds } = readArguments();
const interruption = watchForInterruption();
// Do not add `onEvent`: Pulumi's output masks secrets, but its events contain them in clear text.
const output = {
  onOutput: (text: string) => void process.stdout.write(text),
  onError: (text: string) => void process.stderr.write(text),
  suppressProgress: true,
  signal: interruption.signal,
};
type Run = (stack: Stack) => Promise<Changes | undefined>;
const commands: Readonly<Record<(typeof commandNames)[number], Run>> = {
  preview: async (stack) => (await stack.preview(output)).changeSummary,
  up: async (stack) => (await stack.up(output)).summary.resourceChanges,
  destroy: async (stack) => (await stack.destroy(output)).summary.resourceChanges,
};

if (summaryFile !== undefined) {
  // If this script is killed, the summary of an earlier run must not look like the summary of this
  // run.
  await rm(summaryFile, { force: true });
}
const { result, changes = {} } = await deploy();
interruption.close();
if (summaryFile !== undefined) {
  const summary = { command, stack: stackName, result, exitCode: exitCodes[result], changes };
  await writeFile(summaryFile, `${JSON.stringify(summary, undefined, 2)}\n`);
}
process.exitCode = exitCodes[result];

async function deploy(): Promise<Outcome> {
  const stack = await selectStack();
  const giveUpAt = Date.now() + lockSeconds * 1000;
  while (stack !== undefined && !interruption.isRequested()) {
    try {
      return { result: "succeeded", changes: (await commands[command](stack)) ?? {} };
    } catch (error) {
      if (!(error instanceof ConcurrentUpdateError)) {
        // Pulumi has already printed the reason.
        return { result: interruption.isRequested() ? "interrupted" : "failed" };
      }
    }
    // `pulumi cancel` would remove the lock, although the other update may still be running.
    if (Date.now() >= giveUpAt) {
      return { result: "locked" };
    }
    process.stderr.write("Another update of this stack is running. Waiting for its end.\n");
    await sleep(Math.min(lockRetryMs, giveUpAt - Date.now()));
  }
  return { result: interruption.isRequested() ? "interrupted" : "failed" };
}

/**
 * Never creates a stack: under a mistyped name, a new stack would create every webhook a second
 * time.
 */
async function selectStack(): Promise<Stack | undefined> {
  try {
    return await LocalWorkspace.selectStack({ stackName, workDir: import.meta.dirname });
  } catch (error) {
    const advice = `There is no such stack. Create it once: pulumi stack init ${stackName}`;
    const text = error instanceof StackNotFoundError ? advice : (error as Error).message;
    process.stderr.write(`${text}\n`);
    return undefined;
  }
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        stack: { type: "string" },
        summary: { type: "string" },
        "wait-for-lock": { type: "string", default: "600" },
      },
    });
    const command = commandNames.find((name) => name === positionals[0]);
    const lockSeconds = Number(values["wait-for-lock"]);
    if (command === undefined || positionals.length > 1 || !values.stack) {
      throw new Error("Pass one command and --stack.");
    }
    if (!(lockSeconds >= 0)) {
      throw new Error("--wait-for-lock must be a number of seconds.");
    }
    return { command, stackName: values.stack, summaryFile: values.summary, lockSeconds };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}
Usage: node deploy.mts preview|up|destroy --stack NAME [--summary FILE] [--wait-for-lock SECONDS]
`);
    process.exit(wrongUsageExitCode);
  }
}
