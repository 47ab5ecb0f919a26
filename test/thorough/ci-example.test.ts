import { cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { repository } from "../helpers/directory.js";
import { yamlProgram } from "../helpers/programs.js";
import { type RunningCommand, start } from "../helpers/pulumi.js";
import { holdCreation, type TestStack, withStack } from "../helpers/stack.js";

const up = ["up", "--stack", "test", "--summary", "summary.json"];

describe("The deployment script of examples/ci", () => {
  it.each([
    ["SIGTERM", "to the script alone", 1],
    ["SIGINT", "to all processes", -1],
  ] as const)("finishes and stores a creation after %s %s", async (signal, _, group) => {
    await withDeployment(async ({ service, startDeploy, summary }) => {
      const held = await startAndHold(service, () => startDeploy(up));

      process.kill(group * (held.child.pid ?? 0), signal);
      await expect.poll(held.output).toMatch(/cancell?ing/i);
      await expect.poll(held.output).toContain(`${signal}: Pulumi finishes`);
      // A runner repeats the signal before it kills the job.
      held.child.kill("SIGTERM");
      held.release();
      const { exitCode, output } = await held.result;

      expect(exitCode, output).toBe(4);
      expect(await summary()).toMatchObject({ command: "up", result: "interrupted", exitCode: 4 });
      expect(service.counts).toMatchObject({ posts: 1, created: 1, deletes: 0 });
      // The helper destroys the stack and expects an empty service, so the state must hold the webhook.
    });
  });

  it("has an exit code for each failure, waits for a locked stack as long as told, and destroys", async () => {
    await withDeployment(async ({ service, deploy, startDeploy, summary }) => {
      const fault = service.inject({ on: "POST", fault: { kind: "respond", statusCode: 403 } });
      const failed = await deploy(up);
      const summaryOfFailed = await summary();
      fault.remove();
      const [unknownStack, wrongUsage] = await Promise.all(
        [
          ["up", "--stack", "tset"],
          [...up, "--wait-for-lock", "soon"],
        ].map(deploy),
      );
      const held = await startAndHold(service, () => startDeploy(["up", "--stack", "test"]));
      const locked = await deploy([...up, "--wait-for-lock", "0"]);
      const summaryOfLocked = await summary();
      const waiting = startDeploy(up);
      await expect.poll(waiting.output).toContain("Waiting for its end");
      held.release();

      expect([failed.exitCode, summaryOfFailed], failed.output).toMatchObject([
        1,
        { result: "failed", exitCode: 1 },
      ]);
      expect(failed.output).toContain("403");
      expect([unknownStack?.exitCode, wrongUsage?.exitCode]).toEqual([1, 2]);
      expect(unknownStack?.output).toContain("pulumi stack init tset");
      expect(locked.exitCode, locked.output).toBe(3);
      expect(summaryOfLocked).toMatchObject({ result: "locked", exitCode: 3, changes: {} });
      expect((await held.result).exitCode).toBe(0);
      expect((await waiting.result).exitCode).toBe(0);
      expect(await summary()).toMatchObject({ result: "succeeded", changes: { same: 2 } });
      expect(service.counts).toMatchObject({ posts: 2, created: 1 });

      const destroyed = await deploy(["destroy", "--stack", "test"]);
      expect([destroyed.exitCode, service.webhooks], destroyed.output).toEqual([0, []]);
    });
  });
});

/** Runs `use` with the script in a YAML project, which starts faster than the example's own program. */
async function withDeployment(
  use: (deployment: ReturnType<typeof deploymentOf>) => Promise<void>,
): Promise<void> {
  await withStack(
    async (stack) => {
      const { declare, directory } = stack;
      await declare({ orders: {} });
      await symlink(join(repository, "node_modules"), join(directory, "node_modules"));
      for (const file of ["deploy.mts", "interruption.mts", "package.json"]) {
        await cp(join(repository, "examples/ci", file), join(directory, file));
      }
      await use(deploymentOf(stack));
    },
    { program: yamlProgram },
  );
}

function deploymentOf({ service, directory, environment }: TestStack) {
  const startDeploy = (args: readonly string[]) =>
    start("node", ["deploy.mts", ...args], { directory, environment, isGroupLeader: true });
  return {
    service,
    startDeploy,
    deploy: (args: readonly string[]) => startDeploy(args).result,
    /** Reads the summary of the last command that wrote one. */
    summary: async () =>
      JSON.parse(await readFile(join(directory, "summary.json"), "utf8")) as unknown,
  };
}

/** Starts an update, waits until the service has created its webhook, and holds the response back. */
async function startAndHold(service: LocalService, startUp: () => RunningCommand) {
  const { committed, release } = holdCreation(service);
  const running = startUp();
  await committed;
  return { ...running, release };
}
