import { once } from "node:events";
import { createServer } from "node:net";
import { type Fault, type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { someArgs } from "../helpers/builders.js";
import { dynamicShell } from "../helpers/shells/dynamic-shell.js";
import type { CreateResult, RunningShell, Shell } from "../helpers/shells/shell.js";
import { shells } from "../helpers/shells/shells.js";

const inputs = someArgs();
const heldDatabase = "base_abc123";

async function withHeldPost(
  shell: Shell,
  use: (parts: {
    service: LocalService;
    running: RunningShell;
    /** Everything that was logged so far. */
    output: () => string;
    /** Lets the service answer the creation that it has committed. */
    release: () => void;
    creation: Promise<CreateResult>;
    ended: Promise<unknown>;
  }) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
  ...faults: Fault[]
): Promise<void> {
  await using service = await startLocalService();
  const config = {
    "dbwebhooks:baseUrl": service.baseUrl,
    "dbwebhooks:apiKey": service.apiKey,
    "dbwebhooks:retrySeconds": "60",
    ...settings,
  };
  await using running = await shell.start(config);
  const held = service.inject({
    on: "POST",
    fault: [{ kind: "hold", commit: true }, ...faults],
    times: 1,
  });
  const committed = service.nextRequest({ on: "POST", stage: "committed" });
  const ended = once(running.process.child, "exit");
  const creation = running.create(inputs);
  await committed;
  const output = () => running.lines().join("\n");
  await use({ service, running, output, release: () => held.release(), creation, ended });
}

/** The id and the state of a webhook that nobody has. */
function nowhere(shell: Shell, service: LocalService): [string, Record<string, unknown>] {
  const { databaseId } = inputs as { databaseId: string };
  return [
    shell.idOf({ databaseId, id: 999 }),
    { ...inputs, baseUrl: service.baseUrl, secret: "whsec_x" },
  ];
}

describe.each(shells)("A creation in flight through $name", (shell) => {
  it("is undone when the engine is gone by the time of the answer, and the process ends", async () => {
    await withHeldPost(shell, async ({ service, running, release, creation, ended }) => {
      running.process.engine.close();

      release();
      await ended;

      expect(service.counts).toMatchObject({ posts: 1, deletes: 1, created: 1, deleted: 1 });
      expect(await creation).toHaveProperty("error");
    });
  });

  it("is undone once however often the engine says stop, and the process ends", async () => {
    await withHeldPost(shell, async ({ service, running, output, release, ended }) => {
      running.process.child.kill("SIGINT");
      await expect.poll(output).toContain("Pulumi is stopping");
      running.process.child.kill("SIGINT");

      release();
      await ended;

      expect(service.counts).toMatchObject({ posts: 1, deletes: 1, created: 1, deleted: 1 });
    });
  });

  it("keeps others from being sent when the engine says stop", async () => {
    await withHeldPost(
      shell,
      async ({ service, running, release, ended }) => {
        const second = running.create(inputs);
        // Answered after the creation has been called: calls are handled in order.
        await running.read(...nowhere(shell, service));
        running.process.child.kill("SIGINT");

        const failure = await second;
        release();
        await ended;

        expect(failure).toMatchObject({
          error: expect.stringContaining("was not sent, because Pulumi is stopping"),
        });
        expect(service.counts).toMatchObject({ posts: 1, deletes: 1 });
      },
      { "dbwebhooks:maxConcurrentRequests": "1" },
    );
  });

  it("is undone at once although the service has asked all requests to wait, and nothing else is sent", async () => {
    // Longer than any test may take.
    const settings = { "dbwebhooks:retrySeconds": "6000" };
    const throttle = (seconds: string): Fault => ({
      kind: "respond",
      statusCode: 429,
      headers: { "retry-after": seconds },
    });
    await withHeldPost(
      shell,
      async ({ service, running, output, release, ended }) => {
        service.inject({ on: "DELETE", fault: throttle("3000"), times: 1 });
        void running.delete(...nowhere(shell, service));
        await expect.poll(output).toContain("all requests wait");
        const second = running.create(inputs);
        // Answered after the creation has been called: calls are handled in order.
        await running.read(...nowhere(shell, service));
        service.inject({ on: "DELETE", fault: throttle("1"), times: 1 });
        running.process.child.kill("SIGINT");
        await expect.poll(output).toContain("Pulumi is stopping");

        release();
        await ended;

        expect(service.webhooks).toEqual([]);
        // Of the deletions one is not of a webhook, and one was asked to wait.
        expect(service.counts).toMatchObject({ posts: 1, created: 1, deletes: 3, deleted: 1 });
        expect(await second).toHaveProperty("error");
      },
      settings,
    );
  });

  it("is undone when the engine's port accepts a connection, and nothing answers", async () => {
    await withHeldPost(shell, async ({ service, running, release, ended }) => {
      const { engine } = running.process;
      engine.close();
      // What the kernel does while it takes a killed process down.
      const dying = createServer((socket) => socket.destroy()).listen(engine.port, "127.0.0.1");
      await once(dying, "listening");

      release();
      await expect.poll(() => service.counts).toMatchObject({ created: 1, deletes: 1 });

      expect(service.webhooks).toEqual([]);
      dying.close();
      await ended;
    });
  });

  it("is finished as usual on SIGTERM, which service managers send to all processes", async () => {
    await withHeldPost(shell, async ({ service, running, release, creation }) => {
      running.process.child.kill("SIGTERM");
      // Answered by a process that lives.
      await running.read(...nowhere(shell, service));

      release();

      const [webhook] = service.webhooks;
      expect(await creation).toMatchObject({ id: webhook && shell.idOf(webhook) });
      expect(service.counts).toMatchObject({ posts: 1, deletes: 0 });
    });
  });

  it("says what is left when it ends in another way after the engine said stop", async () => {
    // A database each, so that one process shows all of them.
    const ends: Record<string, { fault: Fault; kind: string }> = {
      broken: { fault: { kind: "resetAfterCommit" }, kind: "inDoubt" },
      answered_502: {
        fault: { kind: "respond", statusCode: 502, commit: true },
        kind: "inDoubt",
      },
      without_id: { fault: { kind: "fields", remove: ["id"] }, kind: "inDoubt" },
      without_secret: {
        fault: { kind: "fields", remove: ["secret"] },
        kind: "undone",
      },
    };
    await withHeldPost(shell, async ({ service, running, output, release, ended }) => {
      service.inject({
        on: "DELETE",
        databaseId: heldDatabase,
        fault: { kind: "respond", statusCode: 403 },
      });
      const others = Object.entries(ends).map(([databaseId, { fault }]) =>
        service.inject({ on: "POST", databaseId, fault: [{ kind: "hold", commit: true }, fault] }),
      );
      for (const databaseId of Object.keys(ends)) {
        void running.create({ ...inputs, databaseId });
      }
      await expect.poll(() => service.webhooks).toHaveLength(5);
      running.process.child.kill("SIGINT");
      await expect.poll(output).toContain("Pulumi is stopping");

      release();
      for (const { release: releaseOther } of others) {
        releaseOther();
      }
      await ended;

      const lines = running.lines();
      for (const [databaseId, { kind }] of Object.entries(ends)) {
        expect(lines.filter((line) => line.includes(databaseId)).join("\n")).toContain(`[${kind}]`);
      }
      const [webhook] = service.webhooks;
      const ofHeld = lines.filter((line) => line.includes(heldDatabase)).join("\n");
      expect(webhook?.databaseId).toBe(heldDatabase);
      expect(ofHeld).toContain(`the service created webhook ${webhook?.id}`);
      expect(ofHeld).toContain("[leftBehind]");
    });
  });

  it("ends the process when it fails and the engine is gone", async () => {
    await withHeldPost(
      shell,
      async ({ service, running, output, release, ended }) => {
        running.process.engine.close();

        release();
        await ended;

        // The lines of the plugin go to the engine alone.
        if (shell === dynamicShell) {
          expect(output()).toContain("[inDoubt]");
        }
        expect(service.counts).toMatchObject({ posts: 1, deletes: 0 });
      },
      {},
      { kind: "resetAfterCommit" },
    );
  });

  it("keeps others from being sent when the engine is gone", async () => {
    await withHeldPost(
      shell,
      async ({ service, running, release, ended }) => {
        const others = [1, 2, 3].map(() => running.create(inputs));
        // Answered after the creations have been called: calls are handled in order.
        await running.read(...nowhere(shell, service));
        running.process.engine.close();
        // One more may begin while the process finds out, which takes far less than its answer.
        service.inject({ on: "POST", fault: { kind: "delay", ms: 500 } });

        release();
        await ended;
        await Promise.all(others);

        const { posts, created, deleted } = service.counts;
        expect(posts).toBeLessThanOrEqual(2);
        expect(deleted).toBe(created);
      },
      { "dbwebhooks:maxConcurrentRequests": "1" },
    );
  });
});

describe.each(shells)("$name with nothing in flight", (shell) => {
  it.each(["SIGINT", "SIGTERM"] as const)("ends at once on %s", async (signal) => {
    await withHeldPost(shell, async ({ running, release, creation }) => {
      release();
      await creation;

      running.process.child.kill(signal);
      const [code, endedBy] = await once(running.process.child, "exit");

      expect([code, endedBy]).toEqual([null, signal]);
    });
  });

  it("ends by itself when the engine is gone", async () => {
    await withHeldPost(shell, async ({ running, release, creation }) => {
      release();
      await creation;
      const ended = once(running.process.child, "exit");

      running.process.engine.close();

      expect(await ended).toEqual([0, null]);
    });
  });
});
