import { once } from "node:events";
import { type Fault, type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import {
  type Adapter,
  adapters,
  type CreateResult,
  pluginAdapter,
  type RunningAdapter,
  startAdapter,
} from "../helpers/adapters/adapters.js";
import { someArgs } from "../helpers/builders.js";
import { withFields } from "../helpers/faults/faults.mjs";
import { kindOf } from "../helpers/kind-of.js";

// The tests of the rules without processes are unit/engine.test.ts and unit/transport.test.ts.

const inputs = someArgs();

interface CreationInFlight {
  readonly service: LocalService;
  readonly running: RunningAdapter;
  /** The service has committed this creation and holds its response back until `release`. */
  readonly creation: Promise<CreateResult>;
  readonly release: () => void;
  /** Another creation, queued behind the first. */
  readonly queued: Promise<CreateResult>;
  /** The exit code and the signal of the process. */
  readonly exited: Promise<unknown[]>;
}

async function withCreationInFlight(
  adapter: Adapter,
  use: (creation: CreationInFlight) => Promise<void>,
): Promise<void> {
  await using service = await startLocalService();
  const { baseUrl, apiKey } = service;
  const settings = { baseUrl, apiKey, maxConcurrentRequests: "1" };
  await using running = await startAdapter(adapter, settings);
  const held = service.inject({ on: "POST", fault: { kind: "hold", commit: true }, times: 1 });
  const committed = service.nextRequest({ on: "POST", stage: "committed" });
  const exited = once(running.process.child, "exit");
  const creation = running.create(inputs);
  await committed;
  const queued = running.create(inputs);
  // A process handles calls in order, so it has begun with the queued creation after this response.
  await callThatSendsNothing(adapter, running, service);
  await use({ service, running, creation, release: () => held.release(), queued, exited });
}

async function callThatSendsNothing(
  adapter: Adapter,
  running: RunningAdapter,
  { baseUrl }: LocalService,
): Promise<void> {
  const id = adapter.idOf({ databaseId: "base_abc123", id: 999 });
  await running.read(id, { ...inputs, baseUrl, secret: "whsec_x" });
}

describe.concurrent.each(adapters)("A creation in flight through $name", (adapter) => {
  it("is undone when the engine is gone, and the process ends", ({ expect }) =>
    withCreationInFlight(adapter, async ({ service, running, release, ...others }) => {
      running.process.engine.close();
      // The queued creation may begin while the process finds out, which takes less than this delay.
      service.inject({ on: "POST", fault: { kind: "delay", ms: 500 } });

      release();

      expect(await others.exited).toEqual([0, null]);
      expect(await others.creation).toHaveProperty("error");
      expect(await others.queued).toHaveProperty("error");
      expect(service.webhooks).toEqual([]);
      expect(service.counts.posts).toBeLessThanOrEqual(2);
    }));

  it("is undone once when the engine says stop twice", ({ expect }) =>
    withCreationInFlight(adapter, async ({ service, running, release, exited, queued }) => {
      running.process.child.kill("SIGINT");
      await expect.poll(() => running.lines().join()).toContain("Pulumi is stopping");
      running.process.child.kill("SIGINT");

      const { error } = (await queued) as { error: string };
      release();
      await exited;

      expect(kindOf({ message: error })).toBe("notCreated");
      expect(service.counts).toMatchObject({ posts: 1, deletes: 1, created: 1, deleted: 1 });
    }));

  it("completes after SIGTERM, and so does the queued one", ({ expect }) =>
    withCreationInFlight(adapter, async ({ service, running, creation, queued, release }) => {
      // Service managers send SIGTERM to all processes of a service.
      running.process.child.kill("SIGTERM");
      await callThatSendsNothing(adapter, running, service);

      release();

      const results = await Promise.all([creation, queued]);
      expect(results).toMatchObject(
        service.webhooks.map((webhook) => ({ id: adapter.idOf(webhook) })),
      );
      expect(service.counts).toMatchObject({ posts: 2, deletes: 0 });
    }));

  it("leaves a process that ends at once on SIGINT when it has completed", ({ expect }) =>
    withCreationInFlight(adapter, async ({ running, queued, release, exited }) => {
      release();
      await queued;

      running.process.child.kill("SIGINT");

      expect(await exited).toEqual([null, "SIGINT"]);
    }));

  it("leaves a process that ends by itself when the engine is gone later", ({ expect }) =>
    withCreationInFlight(adapter, async ({ running, queued, release, exited }) => {
      release();
      await queued;

      running.process.engine.close();

      expect(await exited).toEqual([0, null]);
    }));
});

describe("A creation that ends after the engine has said stop", () => {
  /** Starts a creation that gets this response after the stop; returns the lines about it. */
  async function linesOfStoppedCreation(service: LocalService, response: Fault) {
    const { baseUrl, apiKey } = service;
    await using plugin = await startAdapter(pluginAdapter, { baseUrl, apiKey });
    const exited = once(plugin.process.child, "exit");
    const held = service.inject({ on: "POST", fault: [{ kind: "hold", commit: true }, response] });
    const committed = service.nextRequest({ on: "POST", stage: "committed" });
    const creation = plugin.create(inputs);
    await committed;
    plugin.process.child.kill("SIGINT");
    await expect.poll(() => plugin.lines().join()).toContain("Pulumi is stopping");

    held.release();
    await creation;
    await exited;

    return plugin.lines().filter((line) => line.includes("base_abc123"));
  }

  it.each<{ kind: string; response: string; fault: Fault }>([
    { kind: "inDoubt", response: "is lost", fault: { kind: "resetAfterCommit" } },
    { kind: "undone", response: "lacks the secret", fault: withFields({ secret: undefined }) },
  ])("is reported as $kind when its response $response", async ({ kind, fault }) => {
    await using service = await startLocalService();

    const lines = await linesOfStoppedCreation(service, fault);

    expect(lines.map((line) => kindOf({ message: line }))).toEqual([kind]);
  });

  it("is reported as left behind, with its id, when it cannot be undone", async () => {
    await using service = await startLocalService();
    service.inject({ on: "DELETE", fault: { kind: "respond", statusCode: 403 } });

    const lines = await linesOfStoppedCreation(service, { kind: "delay", ms: 0 });

    expect(lines.map((line) => kindOf({ message: line }))).toEqual(["leftBehind"]);
    expect(lines.join()).toContain(`created webhook ${service.webhooks[0]?.id}`);
  });
});
