import { once } from "node:events";
import { type Fault, type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { someArgs } from "../helpers/builders.js";
import { withFields } from "../helpers/faults/faults.mjs";
import { kindOf } from "../helpers/kind-of.js";
import { startPlugin } from "../helpers/shells/native-shell.js";
import type { CreateResult, RunningShell, Shell } from "../helpers/shells/shell.js";
import { shells } from "../helpers/shells/shells.js";

// What core makes of the engine is in unit/engine.test.ts and unit/transport.test.ts.

const inputs = someArgs();

interface Parts {
  readonly service: LocalService;
  readonly running: RunningShell;
  /** A creation that the service has committed, and answers when it is released. */
  readonly creation: Promise<CreateResult>;
  readonly release: () => void;
  /** Another creation, queued behind the first. */
  readonly next: Promise<CreateResult>;
  /** The exit code and the signal of the process. */
  readonly ended: Promise<unknown[]>;
}

async function withHeldPost(shell: Shell, use: (parts: Parts) => Promise<void>): Promise<void> {
  await using service = await startLocalService();
  await using running = await shell.start({
    "dbwebhooks:baseUrl": service.baseUrl,
    "dbwebhooks:apiKey": service.apiKey,
    "dbwebhooks:maxConcurrentRequests": "1",
  });
  const held = service.inject({ on: "POST", fault: { kind: "hold", commit: true }, times: 1 });
  const committed = service.nextRequest({ on: "POST", stage: "committed" });
  const ended = once(running.process.child, "exit");
  const creation = running.create(inputs);
  await committed;
  const next = running.create(inputs);
  // Answered after the creation has been called: calls are handled in order.
  await running.read(...nowhere(shell, service));
  await use({ service, running, creation, release: () => held.release(), next, ended });
}

/** The id and the state of a webhook that nobody has. */
function nowhere(shell: Shell, { baseUrl }: LocalService): [string, Record<string, unknown>] {
  const id = shell.idOf({ databaseId: "base_abc123", id: 999 });
  return [id, { ...inputs, baseUrl, secret: "whsec_x" }];
}

describe.concurrent.each(shells)("A creation in flight through $name", (shell) => {
  it("is undone when the engine is gone, and the process ends, without the next", ({ expect }) =>
    withHeldPost(shell, async ({ service, running, creation, release, ended, next }) => {
      running.process.engine.close();
      // It may begin while the process finds out, which takes far less than its answer.
      service.inject({ on: "POST", fault: { kind: "delay", ms: 500 } });

      release();

      expect(await ended).toEqual([0, null]);
      const { posts, created, deleted } = service.counts;
      expect(posts).toBeLessThanOrEqual(2);
      expect(deleted).toBe(created);
      expect(await creation).toHaveProperty("error");
      expect(await next).toHaveProperty("error");
    }));

  it("is undone once however often the engine says stop, and ends it, too", ({ expect }) =>
    withHeldPost(shell, async ({ service, running, release, ended, next }) => {
      running.process.child.kill("SIGINT");
      await expect.poll(() => running.lines().join()).toContain("Pulumi is stopping");
      running.process.child.kill("SIGINT");

      const { error } = (await next) as { error: string };
      expect(kindOf({ message: error })).toBe("notCreated");
      release();
      await ended;

      expect(service.counts).toMatchObject({ posts: 1, deletes: 1, created: 1, deleted: 1 });
    }));

  it("is finished on SIGTERM; with none in flight a signal ends at once", ({ expect }) =>
    withHeldPost(shell, async ({ service, running, creation, next, release, ended }) => {
      // Service managers send it to all processes.
      running.process.child.kill("SIGTERM");
      // Answered by a process that lives.
      await running.read(...nowhere(shell, service));
      release();

      const results = await Promise.all([creation, next]);
      const ids = service.webhooks.map((webhook) => ({ id: shell.idOf(webhook) }));
      expect(results).toMatchObject(ids);
      expect(service.counts).toMatchObject({ posts: 2, deletes: 0 });
      running.process.child.kill("SIGINT");
      expect(await ended).toEqual([null, "SIGINT"]);
    }));

  it("leaves a process that ends by itself when the engine is gone later", ({ expect }) =>
    withHeldPost(shell, async ({ running, next, release, ended }) => {
      release();
      await next;

      running.process.engine.close();

      expect(await ended).toEqual([0, null]);
    }));
});

describe("After the engine has said stop", () => {
  it("says what is left of creations that cannot be undone, or need not be", async () => {
    // A database each, so that one process shows all of them.
    const ends: [databaseId: string, Fault][] = [
      ["base_inDoubt", { kind: "resetAfterCommit" }],
      ["base_undone", withFields({ secret: undefined })],
      ["base_leftBehind", { kind: "delay", ms: 0 }],
    ];
    await using service = await startLocalService();
    const { baseUrl, apiKey } = service;
    await using plugin = await startPlugin({ baseUrl, apiKey });
    const ended = once(plugin.child, "exit");
    const output = () => plugin.engine.lines.map(({ line }) => line);
    const rules = ends.map(([databaseId, end]) => {
      plugin.create({ ...inputs, databaseId }).catch(() => {});
      return service.inject({
        databaseId,
        on: "POST",
        fault: [{ kind: "hold", commit: true }, end],
      });
    });
    const refusal: Fault = { kind: "respond", statusCode: 403 };
    service.inject({ on: "DELETE", databaseId: "base_leftBehind", fault: refusal });
    await expect.poll(() => service.webhooks).toHaveLength(ends.length);
    plugin.child.kill("SIGINT");
    await expect.poll(output).toContainEqual(expect.stringContaining("Pulumi is stopping"));

    for (const rule of rules) {
      rule.release();
    }
    await ended;

    const linesOf = (name: string) => output().filter((line) => line.includes(name));
    for (const [name] of ends) {
      const kinds = linesOf(name).map((line) => kindOf({ message: line }));
      expect(kinds).toEqual([name.replace("base_", "")]);
    }
    const left = service.webhooks.find(({ databaseId }) => databaseId === "base_leftBehind");
    expect(linesOf("base_leftBehind").join()).toContain(`created webhook ${left?.id}`);
  });
});
