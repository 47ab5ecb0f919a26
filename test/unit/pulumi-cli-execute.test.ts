import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const execute = pathToFileURL(join(__dirname, "../../tools/pulumi-cli/execute.mts"));

interface Running {
  /** The wrapper's, and its process group's. */
  pid: number;
  /** What the program has printed so far. */
  output: () => string;
  exitCode: Promise<number>;
}

/** A process group of its own: the wrapper and, under it, a Node that runs `program`. */
function start(program: string): Running {
  const wrapping = `
    import { execute } from ${JSON.stringify(execute)};
    process.exitCode = await execute(process.execPath, ["--eval", ${JSON.stringify(program)}], {});`;
  const wrapper = spawn(process.execPath, ["--input-type=module", "--eval", wrapping], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = wrapper.pid ?? Number.NaN;
  onTestFinished(() => {
    if (wrapper.exitCode === null && wrapper.signalCode === null) process.kill(-pid, "SIGKILL");
  });
  let output = "";
  wrapper.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  return { pid, output: () => output, exitCode: once(wrapper, "close").then(([code]) => code) };
}

/** Prints its process id and the signals it gets, and ends with exit code 7 at SIGUSR2. */
const listening = `
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => console.log(signal));
  process.on("SIGUSR2", () => process.exit(7));
  setInterval(() => {}, 2 ** 31 - 1);
  console.log(process.pid);`;

async function startListening(): Promise<Running> {
  const running = start(listening);
  await expect.poll(running.output, patiently).toMatch(/^\d+\n/);
  return running;
}

/**
 * Sends SIGHUP to the wrapper until the program gets it, which it does when the wrapper is done
 * with the signal before, and then ends the program.
 */
async function hangUp(running: Running): Promise<number> {
  const sending = setInterval(() => process.kill(running.pid, "SIGHUP"), 50);
  await expect.poll(running.output, patiently).toContain("SIGHUP");
  clearInterval(sending);
  process.kill(Number.parseInt(running.output(), 10), "SIGUSR2");
  return await running.exitCode;
}

const patiently = { timeout: 10_000 };

describe("a signal", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "%s to the process group arrives once",
    async (signal) => {
      const running = await startListening();

      process.kill(-running.pid, signal);
      // npm hands on to us what it gets from the terminal.
      process.kill(running.pid, signal);

      expect(await hangUp(running)).toBe(7);
      expect(
        running
          .output()
          .split("\n")
          .filter((line) => line === signal),
      ).toHaveLength(1);
    },
  );

  it.each(["SIGINT", "SIGTERM"] as const)(
    "%s to the wrapper alone arrives once",
    async (signal) => {
      const running = await startListening();

      process.kill(running.pid, signal);

      await expect.poll(running.output, patiently).toContain(signal);
      expect(await hangUp(running)).toBe(7);
      expect(
        running
          .output()
          .split("\n")
          .filter((line) => line === signal),
      ).toHaveLength(1);
    },
  );
});

describe("the exit code", () => {
  it("is the program's", async () => {
    expect(await start("process.exitCode = 3").exitCode).toBe(3);
  });

  it("is 128 and the signal's number when a signal ended the program", async () => {
    expect(await start(`process.kill(process.pid, "SIGTERM")`).exitCode).toBe(143);
  });
});
