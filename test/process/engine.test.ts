import { once } from "node:events";
import { type Fault, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { adapters, pluginAdapter, startAdapter } from "../helpers/adapters/adapters.ts";
import { someArgs } from "../helpers/builders.ts";
import { kindOf } from "../helpers/errors.ts";
import { withFields } from "../helpers/faults/faults.mts";

// When the provider stops, and what it still sends then, is tested in unit/engine.test.ts and
// unit/transport.test.ts; what follows kill -9 of Pulumi and ^C, in e2e/interruption.test.ts.

const inputs = someArgs();

/** Starts an adapter with a queued creation, and one in flight whose response meets these faults. */
async function startCreationInFlight(adapter: typeof pluginAdapter, ...faults: readonly Fault[]) {
  const service = await startLocalService();
  const { baseUrl, apiKey } = service;
  const settings = { baseUrl, apiKey, maxConcurrentRequests: "1" };
  const running = await startAdapter(adapter, settings);
  const fault: readonly Fault[] = [{ kind: "hold", commit: true }, ...faults];
  const hold = service.inject({ on: "POST", fault, times: 1 });
  const committed = service.nextRequest({ on: "POST", stage: "committed" });
  const creation = running.create(inputs);
  await committed;
  const queued = running.create(inputs);
  /** Makes a call that sends no request. A process handles calls in order, so earlier ones have begun. */
  const earlierCallsAreHandled = async () => {
    const id = adapter.idOf({ databaseId: "base_abc123", id: 999 });
    await running.read(id, { ...inputs, baseUrl, secret: "whsec_x" });
  };
  await earlierCallsAreHandled();
  return {
    service,
    running,
    /** The service has committed this creation and holds its response back until `hold` is released. */
    creation,
    hold,
    queued,
    /** The exit code and the signal of the process. */
    exited: once(running.child, "exit"),
    earlierCallsAreHandled,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await service.close();
    },
  };
}

describe.concurrent.each(adapters)("The process of $name", (adapter) => {
  it("completes the creation in flight and the queued one after SIGTERM", async ({ expect }) => {
    await using started = await startCreationInFlight(adapter);
    const { service, running, creation, queued, hold } = started;
    // Service managers send SIGTERM to all processes of a service.
    running.child.kill("SIGTERM");
    // A response shows that the signal has not ended the process.
    await started.earlierCallsAreHandled();

    hold.release();

    const results = await Promise.all([creation, queued]);
    const ids = service.webhooks.map((webhook) => ({ id: adapter.idOf(webhook) }));
    expect(results).toMatchObject(ids);
    expect(service.counts).toMatchObject({ posts: 2, deletes: 0 });
  });

  it("ends at once on SIGINT when no creation is in flight any more", async ({ expect }) => {
    await using started = await startCreationInFlight(adapter);
    started.hold.release();
    await started.queued;

    started.running.child.kill("SIGINT");

    expect(await started.exited).toEqual([null, "SIGINT"]);
  });

  it("leaves no webhook behind if the engine and the reader of stderr end", async ({ expect }) => {
    await using started = await startCreationInFlight(adapter);
    started.running.engine.close();
    started.running.child.stderr.destroy();

    // After the first response the queued creation may be sent too. The line that the dynamic
    // provider writes to stderr about the first undo must not prevent the second.
    started.hold.release();

    expect(await started.exited).toEqual([0, null]);
    expect(started.service.webhooks).toEqual([]);
  });

  it("ends by itself when the engine is gone after the last creation", async ({ expect }) => {
    await using started = await startCreationInFlight(adapter);
    started.hold.release();
    await started.queued;

    started.running.engine.close();

    expect(await started.exited).toEqual([0, null]);
  });
});

// Both adapters end a creation in the same way, so one of them is enough here.
it.each<{ kind: string; response: string; fault: Fault }>([
  { kind: "inDoubt", response: "is lost", fault: { kind: "resetAfterCommit" } },
  { kind: "undone", response: "has an unusable secret", fault: withFields({ secret: 42 }) },
])(
  "After SIGINT, the queued creation is reported as not created, and the one in flight as $kind when its response $response",
  async ({ kind, fault }) => {
    await using started = await startCreationInFlight(pluginAdapter, fault);
    const { running, hold, queued, exited } = started;

    running.child.kill("SIGINT");
    await queued;
    hold.release();
    await exited;

    const lines = running.lines().filter((line) => line.includes("base_abc123"));
    expect(lines.map((line) => kindOf({ message: line }))).toEqual(["notCreated", kind]);
  },
);
