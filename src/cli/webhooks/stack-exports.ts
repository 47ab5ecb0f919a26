// Runs "pulumi stack export", without a shell and without input.
import { type ExecFileException, execFile } from "node:child_process";
import { promisify } from "node:util";
import { systemErrorText } from "./system-error.js";

const run = promisify(execFile);

// A file backend can fail to read a state while an update writes it.
const attempts = 3;
// Twenty at once take 1.3 GB.
const maxAtOnce = 4;
// Below the longest string of Node.js, beyond which it throws where nothing can catch it.
const maxLength = 2 ** 28;
const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
// Pulumi takes options from variables, too: with these, it would export an earlier state, write to a
// file, or ask for the passphrase.
const unset = {
  PULUMI_OPTION_VERSION: undefined,
  PULUMI_OPTION_FILE: undefined,
  PULUMI_OPTION_SHOW_SECRETS: undefined,
};

/** The output of an export, or why there is none. */
export type StackExport = { readonly text: string } | { readonly problem: string };

/**
 * Exports the states of stacks, a few at a time, in the order of the stacks.
 *
 * @param timeoutSeconds The limit of one export: the CLI has none, and a backend may not respond.
 */
export async function exportStacks(
  stacks: readonly string[],
  timeoutSeconds = 60,
): Promise<readonly StackExport[]> {
  const stop = new AbortController();
  // If this process alone gets a signal, the CLI would outlive it.
  const onSignal = (signal: NodeJS.Signals) => {
    stop.abort();
    // This listener is gone, so the signal ends the process.
    process.kill(process.pid, signal);
  };
  for (const signal of signals) {
    process.once(signal, onSignal);
  }
  try {
    const limits = { signal: stop.signal, timeoutSeconds };
    const exported: StackExport[] = [];
    for (let at = 0; at < stacks.length; at += maxAtOnce) {
      const few = stacks.slice(at, at + maxAtOnce);
      exported.push(...(await Promise.all(few.map((stack) => exportStack(stack, limits)))));
    }
    return exported;
  } finally {
    for (const signal of signals) {
      process.off(signal, onSignal);
    }
  }
}

async function exportStack(
  stack: string,
  limits: { readonly signal: AbortSignal; readonly timeoutSeconds: number },
  attemptNumber = 1,
): Promise<StackExport> {
  const args = ["stack", "export", `--stack=${stack}`, "--non-interactive", "--color=never"];
  try {
    const running = run("pulumi", args, {
      env: { ...process.env, ...unset },
      maxBuffer: maxLength,
      killSignal: "SIGKILL",
      signal: limits.signal,
      timeout: limits.timeoutSeconds * 1000,
    });
    running.child.stdin?.end();
    return { text: (await running).stdout };
  } catch (error) {
    const failure = error as FailedRun;
    return typeof failure.code === "number" && attemptNumber < attempts
      ? exportStack(stack, limits, attemptNumber + 1)
      : { problem: problemText(failure, limits.timeoutSeconds) };
  }
}

/** The error of `execFile`. `code` is that of the exit, or of an error of the system. */
interface FailedRun extends Omit<ExecFileException, "code"> {
  readonly code?: number | string | null;
  readonly stderr?: string;
}

function problemText(failure: FailedRun, timeoutSeconds: number): string {
  const { code, killed, signal, stderr = "" } = failure;
  if (code === "ENOENT") {
    return "there is no pulumi on PATH, or it is a script without its interpreter";
  }
  if (typeof code === "string") {
    return systemErrorText(failure);
  }
  if (killed) {
    return `pulumi did not end within ${timeoutSeconds} s`;
  }
  const lastLines = stderr.trim().split("\n").slice(-3).join(" ");
  return lastLines || `pulumi ended with ${code ?? signal}`;
}
