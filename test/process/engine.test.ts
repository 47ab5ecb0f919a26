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

// When the provider stops, and what it still sends then, is tested in unit/engine.test.ts and
// unit/transport.test.ts; what happens when Pulumi is killed or gets a second ^C, in e2e/interruption.test.ts.

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
  const hold = service.inject({ on: "POST", fault: { kind: "hold", commit: true }, times: 1 });
  const committed = service.nextRequest({ on: "POST", stage: "committed" });
  const exited = once(running.child, "exit");
  const creation = running.create(inputs);
  await committed;
  const queued = running.create(inputs);
  await waitUntilCallsAreHandled(adapter, running, service);
  await use({ service, running, creation, release: () => hold.release(), queued, exited });
}

/** Makes a call that sends no request. A process handles calls in order, so earlier ones have begun. */
async function waitUntilCallsAreHandled(
  adapter: Adapter,
  running: RunningAdapter,
  { baseUrl }: LocalService,
): Promise<void> {
  const id = adapter.idOf({ databaseId: "base_abc123", id: 999 });
  await running.read(id, { ...inputs, baseUrl, secret: "whsec_x" });
}

describe.concurrent.each(adapters)("The process of $name", (adapter) => {
  it("completes the creation in flight and the queued one after SIGTERM", ({ expect }) =>
    withCreationInFlight(adapter, async ({ service, running, creation, queued, release }) => {
      // Service managers send SIGTERM to all processes of a service.
      running.child.kill("SIGTERM");
      await waitUntilCallsAreHandled(adapter, running, service);

      release();

      const results = await Promise.all([creation, queued]);
      const ids = service.webhooks.map((webhook) => ({ id: adapter.idOf(webhook) }));
      expect(results).toMatchObject(ids);
      expect(service.counts).toMatchObject({ posts: 2, deletes: 0 });
    }));

  it("ends at once on SIGINT when no creation is in flight any more", ({ expect }) =>
    withCreationInFlight(adapter, async ({ running, queued, release, exited }) => {
      release();
      await queued;

      running.child.kill("SIGINT");

      expect(await exited).toEqual([null, "SIGINT"]);
    }));

  it("undoes the creation in flight when the engine and the reader of stderr are gone", ({
    expect,
  }) =>
    withCreationInFlight(adapter, async ({ service, running, release, exited }) => {
      running.engine.close();
      running.child.stderr.destroy();

      // The queued creation fails and writes a line before the other one is undone.
      release();

      expect(await exited).toEqual([0, null]);
      expect(service.webhooks).toEqual([]);
    }));

  it("ends by itself when the engine is gone after the last creation", ({ expect }) =>
    withCreationInFlight(adapter, async ({ running, queued, release, exited }) => {
      release();
      await queued;

      running.engine.close();

      expect(await exited).toEqual([0, null]);
    }));
});

// Both adapters end a creation in the same way, so one of them is enough here.
describe("A creation that ends after SIGINT", () => {
  it.each<{ kind: string; response: string; fault: Fault }>([
    { kind: "inDoubt", response: "is lost", fault: { kind: "resetAfterCommit" } },
    { kind: "undone", response: "has no secret", fault: withFields({ secret: undefined }) },
  ])("is reported as $kind when its response $response", async ({ kind, fault }) => {
    await using service = await startLocalService();
    const { baseUrl, apiKey } = service;
    await using plugin = await startAdapter(pluginAdapter, { baseUrl, apiKey });
    const exited = once(plugin.child, "exit");
    const hold = service.inject({ on: "POST", fault: [{ kind: "hold", commit: true }, fault] });
    const committed = service.nextRequest({ on: "POST", stage: "committed" });
    const creation = plugin.create(inputs);
    await committed;

    plugin.child.kill("SIGINT");
    await expect.poll(() => plugin.lines().join()).toContain("Pulumi is stopping");
    hold.release();
    await creation;
    await exited;

    const lines = plugin.lines().filter((line) => line.includes("base_abc123"));
    expect(lines.map((line) => kindOf({ message: line }))).toEqual([kind]);
  });
});
