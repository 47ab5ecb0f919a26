import { cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { respondWith, times } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { start } from "../helpers/commands.ts";
import { repository } from "../helpers/directory.ts";
import { holdCreations, isPost } from "../helpers/faults/faults.mts";
import { yamlProgram } from "../helpers/programs.ts";
import { shareStack } from "../helpers/stack.ts";

const upArgs = ["up", "--stack", "test", "--summary", "summary.json"];

describe("The deployment script of examples/ci", () => {
  // A YAML project starts faster than the example's own program.
  const stack = shareStack({ program: yamlProgram });
  const deploy = (args = upArgs) =>
    start("node", ["deploy.mts", ...args], { ...stack(), isGroupLeader: true });
  /** Starts an update, and holds back the response to a creation that the service has made. */
  const startAndHold = async () => {
    const { committed, release } = holdCreations(stack().service);
    const running = deploy();
    await committed;
    return { ...running, release };
  };
  /** Reads the summary of the last command that wrote one. */
  const summary = async (): Promise<unknown> =>
    JSON.parse(await readFile(join(stack().directory, "summary.json"), "utf8"));

  beforeAll(async () => {
    const { declare, directory } = stack();
    await declare({ orders: {} });
    await symlink(join(repository, "node_modules"), join(directory, "node_modules"));
    for (const file of ["deploy.mts", "interruption.mts"]) {
      await cp(join(repository, "examples/ci", file), join(directory, file));
    }
  });

  it("exits with 1 when the update fails, and shows the error", async () => {
    stack().service.use(times(1, respondWith(403), isPost));

    const { exitCode, output } = await deploy().result;

    expect(exitCode, output).toBe(1);
    expect(output).toContain("403");
    expect(await summary()).toMatchObject({ result: "failed", exitCode: 1 });
  });

  it.each([
    { exitCode: 1, cause: "an unknown stack", args: ["--stack", "new"], advice: "stack init new" },
    { exitCode: 2, cause: "wrong usage", args: ["--wait-for-lock", "soon"], advice: "Usage: " },
  ])("exits with $exitCode for $cause, and says what to do", async ({ args, ...expected }) => {
    const { exitCode, output } = await deploy([...upArgs, ...args]).result;

    expect(exitCode, output).toBe(expected.exitCode);
    expect(output).toContain(expected.advice);
  });

  it.each([
    { signal: "SIGTERM", to: "the script alone", isSentToGroup: false },
    { signal: "SIGINT", to: "all processes", isSentToGroup: true },
  ] as const)(
    "finishes and stores a creation after $signal to $to, and exits with 4",
    async ({ signal, isSentToGroup }) => {
      const { service, destroy } = stack();
      service.clearRequests();
      const running = await startAndHold();
      const pid = Number(running.child.pid);

      process.kill(isSentToGroup ? -pid : pid, signal);
      await expect.poll(running.output).toMatch(/cancell?ing/i);
      await expect.poll(running.output).toContain(`${signal}: Pulumi finishes`);
      // A runner may send another signal before it kills the job. Passed on, it would make Pulumi
      // store nothing.
      running.child.kill("SIGTERM");
      running.release();
      const { exitCode, output } = await running.result;

      expect(exitCode, output).toBe(4);
      expect(await summary()).toMatchObject({ command: "up", result: "interrupted", exitCode: 4 });
      expect(service.requests.map(({ method }) => method)).toEqual(["POST"]);
      expect(await stack().storedWebhooks()).toHaveProperty("orders");
      await destroy();
    },
  );

  it("exits with 3 while another update has locked the stack, and waits for its end by default", async () => {
    const running = await startAndHold();
    const locked = await deploy([...upArgs, "--wait-for-lock", "0"]).result;
    const summaryOfLocked = await summary();
    const waiting = deploy();
    await expect.poll(waiting.output).toContain("Waiting for its end");
    running.release();
    await running.result;
    const waited = await waiting.result;

    expect(locked.exitCode, locked.output).toBe(3);
    const result = { result: "locked", exitCode: 3, changes: {} };
    expect(summaryOfLocked).toEqual({ command: "up", stack: "test", ...result });
    expect(waited.exitCode, waited.output).toBe(0);
    expect(await summary()).toMatchObject({ result: "succeeded", changes: { same: 2 } });
    expect(stack().service.webhooks).toHaveLength(1);
  });

  it("destroys the stack", async () => {
    const { exitCode, output } = await deploy(["destroy", "--stack", "test"]).result;

    expect(exitCode, output).toBe(0);
    expect(stack().service.webhooks).toEqual([]);
  });
});
