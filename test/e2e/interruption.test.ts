import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { javascriptProgram, type Program, yamlProgram } from "../helpers/programs.js";
import { holdCreation, noPromptFlags, shareStack, type TestStack } from "../helpers/stack.js";

/** Starts `up` and waits until the service has created a webhook, whose response it holds back. */
async function startUpAndHold({ service, start }: TestStack) {
  const { committed, release } = holdCreation(service);
  const running = start(["up", ...noPromptFlags, "--parallel", "2"]);
  await committed;
  const pid = running.child.pid ?? 0;
  /** Signals the whole process group of the command, as ^C in a terminal does. */
  const interrupt = () => process.kill(-pid, "SIGINT");
  return { ...running, pid, release, interrupt };
}

describe.each([
  { program: javascriptProgram, storedAfterInterrupt: 2 },
  // Pulumi tells the plugin of the first ^C, so that it sends no request that waits in its queue.
  { program: yamlProgram, storedAfterInterrupt: 1 },
])("A creation in flight through $program.name", ({ program, storedAfterInterrupt }) => {
  const stack = shareStack({ program });

  beforeAll(() => stack().configure({ "dbwebhooks:maxConcurrentRequests": "1" }));

  it("is undone after kill -9 of Pulumi, and the provider ends by itself", async () => {
    const { service } = stack();
    await stack().declare({ orders: {} });
    const up = await startUpAndHold(stack());

    const providers = killAllButProviders(up.pid, program);
    await up.result;
    const deleted = service.nextRequest({ on: "DELETE", stage: "finished" });
    up.release();
    await deleted;

    // For a YAML program, Pulumi starts the plugin twice: the first process is only asked for its schema.
    expect(providers).not.toEqual([]);
    await expect.poll(() => providers.filter(isAlive)).toEqual([]);
    expect(service.webhooks).toEqual([]);
    // Removes the lock of the killed update.
    await stack().pulumi(["cancel", "--yes"]);
  });

  it("is undone after a second ^C, and nothing is stored", async () => {
    const { service } = stack();
    await stack().declare({ orders: {} });
    const up = await startUpAndHold(stack());

    up.interrupt();
    await expect.poll(up.output).toMatch(/cancell?ing/i);
    const deleted = service.nextRequest({ on: "DELETE", stage: "finished" });
    up.interrupt();
    await expect.poll(up.output).toContain("Pulumi is stopping");
    up.release();
    await deleted;
    await up.result;

    expect(service.webhooks).toEqual([]);
    expect(await stack().storedWebhooks()).toEqual({});
  });

  it("is completed and stored after one ^C", async () => {
    const { service } = stack();
    await stack().declare({ orders: {}, queued: {} });
    const up = await startUpAndHold(stack());
    await expect.poll(up.output).toMatch(/orders creating/);
    await expect.poll(up.output).toMatch(/queued creating/);

    up.interrupt();
    await expect.poll(up.output).toMatch(/cancell?ing/i);
    up.release();
    const { exitCode } = await up.result;

    const ids = Object.values(await stack().storedWebhooks()).map(({ id }) => id);
    expect(exitCode).not.toBe(0);
    expect(ids).toHaveLength(storedAfterInterrupt);
    expect(ids.toSorted()).toEqual(service.webhooks.map(program.idOf).toSorted());
  });
});

/** Kills a command and all its descendants but the providers, whose process ids it returns. */
function killAllButProviders(command: number, program: Program): number[] {
  const all = descendantsOf(command);
  const providers = all.filter(({ args }) => program.processPattern.test(args));
  process.kill(command, "SIGKILL");
  // Neither a program nor its language host ends with the CLI.
  for (const other of all) {
    if (!providers.includes(other) && isAlive(other.pid)) process.kill(other.pid, "SIGKILL");
  }
  return providers.map(({ pid }) => pid);
}

function descendantsOf(ancestor: number) {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const processes = lines.map((line) => {
    const [pid, parent, ...args] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), args: args.join(" ") };
  });
  const below = (pid: number): typeof processes => {
    const children = processes.filter(({ parent }) => parent === pid);
    return children.flatMap((child) => [child, ...below(child.pid)]);
  };
  return below(ancestor);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
