import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import {
  javascriptProgram,
  javascriptProgramOfPlugin,
  type Program,
  yamlProgram,
} from "../helpers/programs.js";
import { type TestStack, webhookArgs, withStack } from "../helpers/stack.js";

/** Starts `up` and waits until the service has made the webhook, whose answer it holds back. */
async function startUpAndHold({ service, declare, start }: TestStack) {
  await declare({ orders: { args: webhookArgs() } });
  const held = service.inject({ on: "POST", fault: { kind: "hold", commit: true }, times: 1 });
  const committed = service.nextRequest({ on: "POST", stage: "committed" });
  const command = start(["up", "--yes", "--skip-preview"]);
  await committed;
  return { ...command, release: () => held.release() };
}

/** Signals a command's whole process group, as ^C in a terminal does. */
function interrupt(pid: number | undefined, signal: NodeJS.Signals): void {
  process.kill(-(pid ?? 0), signal);
}

/** The provider processes among the descendants of a process. */
function providerProcesses(program: Program, ancestor: number | undefined): number[] {
  return descendantsOf(ancestor)
    .filter(({ args }) => program.process.test(args))
    .map(({ pid }) => pid);
}

function descendantsOf(ancestor: number | undefined) {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const processes = lines.map((line) => {
    const [pid, parent, ...args] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), args: args.join(" ") };
  });
  const below = (pid: number): typeof processes =>
    processes
      .filter(({ parent }) => parent === pid)
      .flatMap((child) => [child, ...below(child.pid)]);
  return below(ancestor ?? 0);
}

/** Kills a command and what it has started: neither a program nor its language host ends with it. */
function killAllBut(providers: readonly number[], command: number | undefined): void {
  const others = descendantsOf(command).map(({ pid }) => pid);
  process.kill(command ?? 0, "SIGKILL");
  for (const pid of others.filter((other) => !providers.includes(other) && isAlive(other))) {
    process.kill(pid, "SIGKILL");
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const programs = [javascriptProgram, yamlProgram];

describe("The native plugin with nothing in flight", () => {
  it("ends by itself when the CLI is killed", async () => {
    await withStack(
      async (stack) => {
        await stack.declareText(`
          const pulumi = require("@pulumi/pulumi");
          new pulumi.CustomResource("dbwebhooks:index:Webhook", "orders", ${JSON.stringify(webhookArgs())});
          setInterval(() => {}, 1_000);
        `);
        const { child, output, result } = stack.start(["up", "--yes", "--skip-preview"]);
        await expect.poll(output).toMatch(/Webhook orders created/);
        const providers = providerProcesses(javascriptProgramOfPlugin, child.pid);
        expect(providers).toHaveLength(1);

        killAllBut(providers, child.pid);
        await result;

        await expect.poll(() => providers.filter(isAlive)).toEqual([]);
        expect(stack.service.counts).toMatchObject({ posts: 1, deletes: 0 });
        await stack.pulumi(["cancel", "--yes"]);
      },
      { program: javascriptProgramOfPlugin },
    );
  });
});

describe("The native plugin at the first ^C", () => {
  it("sends nothing that waits in its queue, and the next up creates each webhook once", async () => {
    await withStack(
      async (stack) => {
        const { service } = stack;
        await stack.configure({ "dbwebhooks:maxConcurrentRequests": "2" });
        const names = ["a", "b", "c", "d", "e", "f"];
        await stack.declare(
          Object.fromEntries(
            names.map((name) => [name, { args: webhookArgs({ databaseId: `base_${name}` }) }]),
          ),
        );
        const held = service.inject({ on: "POST", fault: { kind: "hold", commit: true } });
        const { child, output, result } = stack.start([
          ...["up", "--yes", "--skip-preview", "--parallel", "6"],
        ]);
        await expect.poll(() => service.webhooks).toHaveLength(2);

        interrupt(child.pid, "SIGINT");
        await expect.poll(output).toContain("because Pulumi is stopping");
        held.release();
        held.remove();
        await result;

        expect(service.counts).toMatchObject({ posts: 2, created: 2, deletes: 0 });
        expect(Object.keys(await stack.resources())).toHaveLength(2);
        await stack.up();
        expect(service.counts).toMatchObject({ posts: 6, created: 6 });
      },
      { program: yamlProgram },
    );
  });
});

describe.each(programs)("An update that is interrupted in a creation through $name", (program) => {
  it.each(["SIGINT", "SIGTERM"] as const)("stores the webhook after one %s", async (signal) => {
    await withStack(
      async (stack) => {
        const { child, output, release, result } = await startUpAndHold(stack);

        interrupt(child.pid, signal);
        await expect.poll(output).toMatch(/cancell?ing/i);
        release();
        const { exitCode } = await result;

        expect(exitCode).not.toBe(0);
        const [webhook] = stack.service.webhooks;
        expect((await stack.resources()).orders).toMatchObject({
          id: webhook && program.idOf(webhook),
        });
        expect(stack.service.counts).toMatchObject({ posts: 1, deletes: 0 });
        await stack.up();
        expect(await stack.outputs()).toEqual({ ordersSecret: webhook?.secret });
        expect(stack.service.counts.posts).toBe(1);
      },
      { program },
    );
  });

  it("deletes the webhook again after two SIGINTs", async () => {
    await withStack(
      async (stack) => {
        const { child, output, release, result } = await startUpAndHold(stack);

        interrupt(child.pid, "SIGINT");
        await expect.poll(output).toMatch(/cancell?ing/i);
        const deleted = stack.service.nextRequest({ on: "DELETE", stage: "finished" });
        interrupt(child.pid, "SIGINT");
        await expect.poll(output).toContain("Pulumi is stopping");
        release();
        await deleted;
        await result;

        expect(stack.service.webhooks).toEqual([]);
        expect(await stack.resources()).toEqual({});
      },
      { program },
    );
  });

  it("deletes the webhook again when the CLI is killed, and leaves no process", async () => {
    await withStack(
      async (stack) => {
        const { child, release, result } = await startUpAndHold(stack);
        const providers = providerProcesses(program, child.pid);
        // YAML starts the plugin twice: once for its schema.
        expect(providers).not.toEqual([]);

        killAllBut(providers, child.pid);
        await result;
        const deleted = stack.service.nextRequest({ on: "DELETE", stage: "finished" });
        release();
        await deleted;

        expect(stack.service.webhooks).toEqual([]);
        await expect.poll(() => providers.filter(isAlive)).toEqual([]);
        await stack.pulumi(["cancel", "--yes"]);
        await stack.up();
        expect(stack.service.webhooks).toHaveLength(1);
        expect(stack.service.counts).toMatchObject({ posts: 2, deletes: 1 });
      },
      { program },
    );
  });
});
