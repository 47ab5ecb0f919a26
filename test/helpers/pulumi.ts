import { type ChildProcess, spawn } from "node:child_process";
import { hermeticEnvironment } from "../../tools/pulumi-cli/environment.mts";
import { resolvePulumiCli } from "../../tools/pulumi-cli/resolve.mts";

/** Vitest's global set-up: gets the Pulumi CLI, or fails, before any test of a tier that needs it. */
export async function setup(): Promise<void> {
  const cli = await resolvePulumiCli({ languages: ["yaml"] });
  for (const name of Object.keys(process.env)) {
    if (/^(PULUMI|DBWEBHOOKS)_|_proxy$/i.test(name)) {
      delete process.env[name];
    }
  }
  Object.assign(process.env, cli.environment);
}

/** What Pulumi needs in its environment to keep everything below one directory. */
export async function stackEnvironment(directory: string): Promise<Record<string, string>> {
  const entries = Object.entries(await hermeticEnvironment(directory));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

export interface CommandResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams, in the order in which they came. */
  readonly output: string;
}

export interface CommandOptions {
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it leads a process group of its own, as a command does that a terminal starts. */
  readonly isGroupLeader?: boolean;
}

/** Runs a command to its end, whatever its exit code. */
export function run(...command: Parameters<typeof start>): Promise<CommandResult> {
  return start(...command).result;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  /** What it has written so far. */
  readonly output: () => string;
  readonly result: Promise<CommandResult>;
}

export function start(
  command: string,
  args: readonly string[],
  { directory, environment, isGroupLeader = false }: CommandOptions,
): RunningCommand {
  const child = spawn(command, args, {
    cwd: directory,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: isGroupLeader,
  });
  const texts = { stdout: "", stderr: "", output: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
      texts.output += text;
    });
  }
  const result = new Promise<CommandResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolve({ exitCode, ...texts }));
  });
  return { child, output: () => texts.output, result };
}
