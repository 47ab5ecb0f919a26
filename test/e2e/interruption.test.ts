import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { javascriptProgram, type Program, yamlProgram } from "../helpers/programs.js";
import { holdCreation, noPromptFlags, shareStack, type TestStack } from "../helpers/stack.js";

/** Starts `up` and waits until the service has created a webhook, whose response it holds back. */
async function startUpAndHold({ service, start }: TestStack) {
  const { committed, release } = holdCreation(service);
  const { child, output, result } = start(["up", ...noPromptFlags, "--parallel", "2"]);
  await committed;
  const pid = child.pid ?? 0;
  return {
    pid,
    output,
    result,
    release,
    /** Signals the whole process group of the command, as ^C in a terminal does. */
    interrupt: () => process.kill(-pid, "SIGINT"),
  };
}

describe.each([
  { program: javascriptProgram, storedAfterInterrupt: ["orders", "queued"] },
  // The plugin is told of the first ^C, and sends nothing that waits in its queue.
  { program: yamlProgram, storedAfterInterrupt: ["orders"] },
])("A creation in flight through $program.name", ({ program, storedAfterInterrupt }) => {
  const stack = shareStack({ program });

  it("is undone after kill -9 of Pulumi, and the provider ends by itself", async () => {
    const { service } = stack();
    await stack().configure({ "dbwebhooks:maxConcurrentRequests": "1" });
    await stack().declare({ orders: {} });
    const up = await startUpAndHold(stack());

    const providers = killAllButProviders(up.pid, program);
    await up.result;
    const deleted = service.nextRequest({ on: "DELETE", stage: "finished" });
    up.release();
    await deleted;

    // YAML starts the plugin twice: once for its schema, and that one is idle.
    expect(providers).not.toEqual([]);
    await expect.poll(() => providers.filter(isAlive)).toEqual([]);
    expect(service.webhooks).toEqual([]);
    // Removes the lock of the killed update.
    await stack().pulumi(["cancel", "--yes"]);
  });

  it("is undone after a second ^C, and nothing is stored", async () => {
    const { service } = stack();
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
    expect(await stack().resources()).toEqual({});
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

    expect(exitCode).not.toBe(0);
    const stored = await stack().resources();
    expect(Object.keys(stored)).toHaveLength(storedAfterInterrupt.length);
    expect(Object.values(stored).map(({ id }) => id)).toEqual(
      expect.arrayContaining(service.webhooks.map(program.idOf)),
    );
  });

  it("is not repeated by the next up, which creates what is missing", async () => {
    const { service, resources, up } = stack();

    await up();

    const ids = Object.values(await resources()).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(service.webhooks.map(program.idOf).toSorted());
    expect(service.counts).toMatchObject({ posts: 4, created: 4, deletes: 2 });
  });
});

/** Kills a command and all that it has started but the providers, whose process ids it returns. */
function killAllButProviders(command: number, program: Program): number[] {
  const all = descendantsOf(command);
  const providers = all.filter(({ args }) => program.process.test(args)).map(({ pid }) => pid);
  process.kill(command, "SIGKILL");
  // Neither a program nor its language host ends with the CLI.
  for (const { pid } of all) {
    if (!providers.includes(pid) && isAlive(pid)) process.kill(pid, "SIGKILL");
  }
  return providers;
}

function descendantsOf(ancestor: number) {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const processes = lines.map((line) => {
    const [pid, parent, ...args] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), args: args.join(" ") };
  });
  const below = (pid: number): typeof processes =>
    processes
      .filter(({ parent }) => parent === pid)
      .flatMap((child) => [child, ...below(child.pid)]);
  return below(ancestor);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
