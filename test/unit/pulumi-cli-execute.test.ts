import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";

const execute = pathToFileURL(join(__dirname, "../../tools/pulumi-cli/execute.mts"));
const script = ["node", "wrapper.mjs"];
const npmScript = ["npm", "run", "--silent", "wrapper"];
const ctrlC = "\x03";

/** Prints the signals that it gets, and ends with exit code 7 at SIGUSR2. */
const listening = `
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => console.log(signal));
  process.on("SIGUSR2", () => process.exit(7));
  setInterval(() => {}, 2 ** 31 - 1);
  console.log("program " + process.pid + ", ready");`;

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "pulumi-cli-execute-"));
  const scripts = { wrapper: "exec node wrapper.mjs" };
  await writeFile(join(directory, "package.json"), JSON.stringify({ scripts }));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly end: Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts a command that ends in a wrapper, which executes a Node that runs `program`. */
async function start(command: readonly string[], program = listening): Promise<Running> {
  const wrapper = `
    import { execute } from ${JSON.stringify(execute)};
    console.log("wrapper " + process.pid + ", parent " + process.ppid);
    const args = ["--eval", ${JSON.stringify(program)}];
    const options = { cwd: process.cwd(), env: process.env };
    process.exitCode = await execute(process.execPath, args, options);`;
  await writeFile(join(directory, "wrapper.mjs"), wrapper);
  const [name = "", ...args] = command;
  // The tests themselves may run in a script of npm.
  const { npm_lifecycle_event: _, ...env } = process.env;
  const child = spawn(name, args, {
    cwd: directory,
    // The shell that runs a command in a terminal.
    env: { ...env, SHELL: "/bin/sh" },
    detached: true,
    // None of them may be the terminal that the tests run in.
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const running = {
    child,
    output: () => output,
    end: once(child, "close").then(([exitCode, signal]) => ({ exitCode, signal })),
  };
  onTestFinished(() => {
    for (const pid of [child.pid, pidOf(running, "wrapper"), pidOf(running, "program")]) {
      killIfRunning(pid);
    }
  });
  return running;
}

async function startListening(command: readonly string[]): Promise<Running> {
  const running = await start(command);
  await expect.poll(running.output).toContain("ready");
  return running;
}

/** Runs the command in a terminal, whose keyboard is the standard input of the child. */
function inTerminal(command: readonly string[]): string[] {
  // Without `exec` the shell waits for the command, gets ^C too, and ends with its own exit code.
  const line = `exec ${command.join(" ")}`;
  return ["script", "--quiet", "--return", "--command", line, "/dev/null"];
}

function pidOf({ output }: Running, name: "program" | "wrapper" | "parent"): number {
  return Number(new RegExp(`${name} (\\d+)`).exec(output())?.[1]);
}

function killIfRunning(pid: number | undefined): void {
  try {
    if (pid) process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/**
 * Ends the program and counts the SIGINTs that it got. Two SIGTERMs take the same way first, one
 * after the other: an earlier signal and its copy arrive before the second.
 */
async function interruptsOf(running: Running, target: "program" | "parent"): Promise<number> {
  await expect.poll(running.output).toContain("SIGINT");
  for (const count of [1, 2]) {
    process.kill(pidOf(running, target), "SIGTERM");
    await expect.poll(() => countOf(running, "SIGTERM")).toBeGreaterThanOrEqual(count);
  }
  process.kill(pidOf(running, "program"), "SIGUSR2");
  expect(await running.end).toMatchObject({ exitCode: 7 });
  return countOf(running, "SIGINT");
}

function countOf({ output }: Running, signal: string): number {
  return output().split(signal).length - 1;
}

describe.skipIf(process.platform === "win32")("a program", () => {
  it("takes the place of the wrapper", async () => {
    const running = await startListening(script);

    expect(pidOf(running, "program")).toBe(pidOf(running, "wrapper"));
  });

  it.each<[string, readonly string[], "program" | "parent"]>([
    ["itself", script, "program"],
    ["npm", npmScript, "parent"],
  ])("gets a signal to %s alone once", async (_, command, target) => {
    const running = await startListening(command);

    process.kill(pidOf(running, target), "SIGINT");

    expect(await interruptsOf(running, target)).toBe(1);
  });

  it("gets a signal to its process group once", async () => {
    const running = await startListening(script);

    process.kill(-Number(running.child.pid), "SIGINT");

    expect(await interruptsOf(running, "program")).toBe(1);
  });

  // macOS has another program of the name "script".
  it.runIf(process.platform === "linux").each<[string, readonly string[], "program" | "parent"]>([
    ["", script, "program"],
    [" under npm", npmScript, "parent"],
  ])("gets ^C in a terminal once%s", async (_, command, target) => {
    const running = await startListening(inTerminal(command));

    running.child.stdin?.write(ctrlC);

    expect(await interruptsOf(running, target)).toBe(1);
  });

  it.each([
    ["", script],
    [" under npm", npmScript],
  ])("gives its exit code%s", async (_, command) => {
    const running = await start(command, "process.exitCode = 3");

    expect(await running.end).toEqual({ exitCode: 3, signal: null });
  });

  it("ends as a signal ends it", async () => {
    const running = await start(script, `process.kill(process.pid, "SIGTERM")`);

    expect(await running.end).toEqual({ exitCode: null, signal: "SIGTERM" });
  });

  it("has 128 and the signal's number as its exit code under npm", async () => {
    const running = await start(npmScript, `process.kill(process.pid, "SIGTERM")`);

    expect(await running.end).toEqual({ exitCode: 143, signal: null });
  });
});
