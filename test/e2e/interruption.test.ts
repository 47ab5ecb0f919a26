import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { javascriptProgram, type Program, yamlProgram } from "../helpers/programs.js";
import { holdCreation, type TestStack, unasked, webhookArgs, withStack } from "../helpers/stack.js";

/** Starts `up` and waits until the service has made a webhook, whose answer it holds back. */
async function startUpAndHold({ service, start }: TestStack) {
  const { committed, release } = holdCreation(service);
  const command = start(["up", ...unasked, "--parallel", "2"]);
  await committed;
  return { ...command, release };
}

/** Signals a command's whole process group, as ^C in a terminal does. */
function interrupt(pid = 0): void {
  process.kill(-pid, "SIGINT");
}

function descendantsOf(ancestor = 0) {
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

/** Kills a command and what it has started but the providers, which are to end by themselves. */
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

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.each([
  { program: javascriptProgram, sentAfterInterrupt: 1 },
  // The plugin is told of the first ^C, and sends nothing that waits in its queue.
  { program: yamlProgram, sentAfterInterrupt: 0 },
])(
  "An update through $program.name, interrupted in a creation,",
  ({ program, sentAfterInterrupt }) => {
    it("deletes the webhook after kill -9 and a second ^C, stores it after one; then up creates each once", async () => {
      await withStack(
        async (stack) => {
          const { service } = stack;
          await stack.configure({ "dbwebhooks:maxConcurrentRequests": "1" });
          await stack.declare({ orders: { args: webhookArgs() } });

          const killed = await startUpAndHold(stack);
          // YAML starts the plugin twice: once for its schema, and that one is idle.
          const providers = killAllButProviders(killed.child.pid ?? 0, program);
          expect(providers).not.toEqual([]);
          await killed.result;
          const deleted = service.nextRequest({ on: "DELETE", stage: "finished" });
          killed.release();
          await deleted;
          expect(service.webhooks).toEqual([]);
          await expect.poll(() => providers.filter(isAlive)).toEqual([]);
          await stack.pulumi(["cancel", "--yes"]);

          const twice = await startUpAndHold(stack);
          interrupt(twice.child.pid);
          await expect.poll(twice.output).toMatch(/cancell?ing/i);
          const deletedAgain = service.nextRequest({ on: "DELETE", stage: "finished" });
          interrupt(twice.child.pid);
          await expect.poll(twice.output).toContain("Pulumi is stopping");
          twice.release();
          await deletedAgain;
          await twice.result;
          expect(service.webhooks).toEqual([]);
          expect(await stack.resources()).toEqual({});
          expect(service.counts).toMatchObject({ posts: 2, deletes: 2 });

          const orders = ["orders", "queued"].map((name) => [name, { args: webhookArgs() }]);
          await stack.declare(Object.fromEntries(orders));
          const once = await startUpAndHold(stack);
          await expect.poll(once.output).toMatch(/orders creating/);
          await expect.poll(once.output).toMatch(/queued creating/);
          interrupt(once.child.pid);
          await expect.poll(once.output).toMatch(/cancell?ing/i);
          if (sentAfterInterrupt === 0) {
            await expect.poll(once.output).toContain("because Pulumi is stopping");
          }
          once.release();
          expect((await once.result).exitCode).not.toBe(0);
          expect(service.counts).toMatchObject({ posts: 3 + sentAfterInterrupt, deletes: 2 });
          const ids = Object.values(await stack.resources()).map(({ id }) => id);
          expect(ids.toSorted()).toEqual(service.webhooks.map(program.idOf).toSorted());

          await stack.up();
          expect(service.counts).toMatchObject({ posts: 4, created: 4, deletes: 2 });
          expect(Object.values(await stack.outputs()).toSorted()).toEqual(
            service.webhooks.map(({ secret }) => secret).toSorted(),
          );
        },
        { program },
      );
    });
  },
);
