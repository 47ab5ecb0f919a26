import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { holdCreations } from "../helpers/faults/faults.mts";
import { javascriptProgram, yamlProgram } from "../helpers/programs.ts";
import { noPromptFlags, type TestStack, withStack } from "../helpers/stack.ts";

/** Starts `up` and waits until the service has created a webhook, whose response it holds back. */
async function startUpAndHold({ service, start }: TestStack) {
  const { committed, release } = holdCreations(service);
  const running = start(["up", ...noPromptFlags]);
  await committed;
  // Signals the process group of Pulumi, as ^C in a terminal does. Providers have process groups of
  // their own.
  const interrupt = () => process.kill(-Number(running.child.pid), "SIGINT");
  return { ...running, release, interrupt };
}

type HeldUp = Awaited<ReturnType<typeof startUpAndHold>>;

/** Matches the command lines of both adapters. */
const adapters = /dynamic-provider|pulumi-resource-dbwebhooks/;

describe.each([javascriptProgram, yamlProgram])("A creation in flight through $name", (program) => {
  const onStack = (title: string, play: (stack: TestStack, up: HeldUp) => Promise<void>) =>
    it(title, () =>
      withStack(
        async (stack) => {
          await stack.declare({ orders: {} });
          await play(stack, await startUpAndHold(stack));
        },
        { program },
      ),
    );

  onStack(
    "is undone after kill -9 of Pulumi, and the provider ends by itself",
    async (stack, up) => {
      const providers = killAllBut(adapters, Number(up.child.pid));
      await up.result;
      up.release();

      expect(providers).not.toEqual([]);
      await expect.poll(() => processes().filter(({ pid }) => providers.includes(pid))).toEqual([]);
      expect(stack.service.webhooks).toEqual([]);
    },
  );

  onStack("is undone after a second ^C, and nothing is stored", async (stack, up) => {
    up.interrupt();
    await expect.poll(up.output).toMatch(/cancell?ing/i);
    up.interrupt();
    await expect.poll(up.output).toContain("Pulumi is stopping");
    up.release();
    await up.result;

    await expect.poll(() => stack.service.webhooks).toEqual([]);
    expect(await stack.storedWebhooks()).toEqual({});
  });

  onStack("is completed and stored after one ^C", async (stack, up) => {
    up.interrupt();
    await expect.poll(up.output).toMatch(/cancell?ing/i);
    up.release();
    const { exitCode } = await up.result;

    const ids = Object.values(await stack.storedWebhooks()).map(({ id }) => id);
    expect(exitCode).not.toBe(0);
    expect(ids).toHaveLength(1);
    expect(ids).toEqual(stack.service.webhooks.map(({ id }) => String(id)));
  });
});

/**
 * Kills a process and its descendants except those whose command line matches; returns the ids of
 * these.
 */
function killAllBut(pattern: RegExp, pid: number): number[] {
  const all = processes();
  const spared: number[] = [];
  const kill = (id: number) => {
    killUnlessEnded(id);
    for (const child of all.filter(({ parent }) => parent === id)) {
      if (pattern.test(child.args)) {
        spared.push(child.pid);
      } else {
        kill(child.pid);
      }
    }
  };
  kill(pid);
  return spared;
}

/** A child can have ended because its parent was killed. */
function killUnlessEnded(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
      throw error;
    }
  }
}

function processes() {
  const table = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" });
  const rows = [...table.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)];
  return rows.map(([, pid, parent, args = ""]) => {
    return { pid: Number(pid), parent: Number(parent), args };
  });
}
