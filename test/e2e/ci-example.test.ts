import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { withExample } from "../helpers/example.js";
import { type CommandResult, type RunningCommand, start } from "../helpers/pulumi.js";

const up = ["up", "--stack", "test", "--summary", "summary.json"];

describe("The deployment script of examples/ci", () => {
  it.each([
    ["SIGINT", "to the script alone"],
    ["SIGTERM", "to the script alone"],
    ["SIGINT", "to all processes"],
    ["SIGTERM", "to all processes"],
  ] as const)("finishes and stores a creation after %s %s", async (signal, target) => {
    await withDeployment(async ({ service, startDeploy, summary }) => {
      const held = await startAndHold(service, () => startDeploy(up));

      process.kill((target === "to all processes" ? -1 : 1) * (held.child.pid ?? 0), signal);
      await expect.poll(held.output).toMatch(/cancell?ing/i);
      await expect.poll(held.output).toContain(`${signal}: Pulumi finishes`);
      // As a runner that loses its patience.
      held.child.kill("SIGTERM");
      held.release();
      const { exitCode, output } = await held.result;

      expect(exitCode, output).toBe(4);
      expect(await summary()).toMatchObject({ command: "up", result: "interrupted", exitCode: 4 });
      expect(service.counts).toMatchObject({ posts: 1, created: 1, deletes: 0 });
      // What the state holds is destroyed afterwards: nothing else deletes the webhook.
    });
  });

  it("leaves a stack alone that another update has locked, or waits for that one and goes on", async () => {
    await withDeployment(async ({ service, deploy, startDeploy, summary }) => {
      const held = await startAndHold(service, () => startDeploy(["up", "--stack", "test"]));

      const locked = await deploy([...up, "--wait-for-lock", "0"]);
      const summaryOfLocked = await summary();
      const waiting = startDeploy(up);
      await expect.poll(waiting.output).toContain("Waiting for its end");
      held.release();

      expect(locked.exitCode, locked.output).toBe(3);
      expect(summaryOfLocked).toMatchObject({ result: "locked", exitCode: 3, changes: {} });
      expect((await held.result).exitCode).toBe(0);
      expect((await waiting.result).exitCode).toBe(0);
      expect(await summary()).toMatchObject({ result: "succeeded", changes: { same: 2 } });
      expect(service.counts.posts).toBe(1);
    });
  });

  it("says that an update failed, and that the usage is wrong, each by an exit code", async () => {
    await withDeployment(async ({ service, deploy, summary }) => {
      const fault = service.inject({ on: "POST", fault: { kind: "respond", statusCode: 403 } });

      const failed = await deploy(up);
      fault.remove();
      const unknownStack = await deploy(["up", "--stack", "tset"]);
      const wrongUsages = await Promise.all(
        [[], ["up"], ["remove", "--stack", "test"], [...up, "--wait-for-lock", "soon"]].map(deploy),
      );

      expect(failed.exitCode, failed.output).toBe(1);
      expect(failed.output).toContain("403");
      expect(await summary()).toMatchObject({ result: "failed", exitCode: 1 });
      expect(unknownStack.exitCode).toBe(1);
      expect(unknownStack.output).toContain("pulumi stack init tset");
      expect(wrongUsages.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2]);
      expect(service.webhooks).toEqual([]);
    });
  });
});

interface Deployment {
  readonly service: LocalService;
  readonly deploy: (args: readonly string[]) => Promise<CommandResult>;
  /** Starts the script in a process group of its own. */
  readonly startDeploy: (args: readonly string[]) => RunningCommand;
  /** What the last `up` with a summary has written. */
  readonly summary: () => Promise<unknown>;
}

/** Runs `use` with a stack `test`, then destroys it with the script. */
async function withDeployment(use: (deployment: Deployment) => Promise<void>): Promise<void> {
  await using service = await startLocalService();
  await withExample("ci", async ({ directory, environment }) => {
    const options = {
      directory,
      environment: {
        ...environment,
        DBWEBHOOKS_BASE_URL: service.baseUrl,
        DBWEBHOOKS_API_KEY: service.apiKey,
      },
      isGroupLeader: true,
    };
    const startDeploy = (args: readonly string[]) =>
      start("node", ["deploy.mts", ...args], options);
    const deploy = (args: readonly string[]) => startDeploy(args).result;
    const summary = async () =>
      JSON.parse(await readFile(join(directory, "summary.json"), "utf8")) as unknown;
    await start("pulumi", ["stack", "init", "test", "--non-interactive"], options).result;

    await use({ service, deploy, startDeploy, summary });
    const { exitCode, output } = await deploy(["destroy", "--stack", "test"]);
    expect(exitCode, output).toBe(0);
  });
  expect(service.webhooks).toEqual([]);
}

/** Waits until the service has made the webhook of an update, and holds its answer back. */
async function startAndHold(
  service: LocalService,
  startUp: () => RunningCommand,
): Promise<RunningCommand & { readonly release: () => void }> {
  const held = service.inject({ on: "POST", fault: { kind: "hold", commit: true }, times: 1 });
  const committed = service.nextRequest({ on: "POST", stage: "committed" });
  const running = startUp();
  await committed;
  return { ...running, release: () => held.release() };
}
