import { once } from "node:events";
import {
  type Interceptor,
  loseResponse,
  respondWith,
  startLocalService,
  times,
} from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { adapters, pluginAdapter, startAdapter } from "../helpers/adapters/adapters.ts";
import { someArgs } from "../helpers/builders.ts";
import { kindOf } from "../helpers/errors.ts";
import { hold, isPost, withFields } from "../helpers/faults/faults.mts";

// When the provider stops, and what it still sends then, is tested in unit/engine.test.ts and
// unit/transport.test.ts; what follows kill -9 of Pulumi and ^C, in e2e/interruption.test.ts.

const inputs = someArgs();

/** Starts an adapter with a creation in flight that may meet a fault. */
async function startCreationInFlight(
  adapter: typeof pluginAdapter,
  { fault, held = 1 }: { readonly fault?: Interceptor; readonly held?: number } = {},
) {
  const service = await startLocalService();
  const { baseUrl, apiKey } = service;
  const running = await startAdapter(adapter, { baseUrl, apiKey });
  const { holdResponse, release } = hold();
  if (fault) service.use(times(1, fault, isPost));
  service.use(times(held, holdResponse, isPost));
  const committed = service.nextRequest((request) => isPost(request) && request.committed);
  const creation = running.create(inputs);
  await committed;
  return {
    service,
    running,
    /** The service has committed this creation and holds its response back until `release` is called. */
    creation,
    release,
    /** The exit code and the signal of the process. */
    exited: once(running.child, "exit"),
    /** Makes a call that sends no request. A process handles calls in order, so earlier ones have begun. */
    earlierCallsAreHandled: async () => {
      const id = adapter.idOf({ databaseId: "base_abc123", id: 999 });
      await running.read(id, { ...inputs, baseUrl, secret: "whsec_x" });
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await service.close();
    },
  };
}

describe.concurrent.each(adapters)("The process of $name", (adapter) => {
  it("completes the creation in flight after SIGTERM", async ({ expect }) => {
    await using started = await startCreationInFlight(adapter);
    const { service, running, creation, release } = started;
    // Service managers send SIGTERM to all processes of a service.
    running.child.kill("SIGTERM");
    // A response shows that the signal has not ended the process.
    await started.earlierCallsAreHandled();

    release();

    const ids = service.webhooks.map((webhook) => ({ id: adapter.idOf(webhook) }));
    expect([await creation]).toMatchObject(ids);
    expect(service.counts).toMatchObject({ posts: 1, deletes: 0 });
  });

  it("ends at once on SIGINT when no creation is in flight any more", async ({ expect }) => {
    await using started = await startCreationInFlight(adapter);
    started.release();
    await started.creation;

    started.running.child.kill("SIGINT");

    expect(await started.exited).toEqual([null, "SIGINT"]);
  });

  it("leaves no webhook behind if the engine and the reader of stderr end", async ({ expect }) => {
    await using started = await startCreationInFlight(adapter, { held: 2 });
    const { service, running, release } = started;
    const second = service.nextRequest((request) => isPost(request) && request.committed);
    void running.create(inputs).catch(() => undefined);
    await second;
    running.engine.close();
    running.child.stderr.destroy();

    // The line that the dynamic provider writes to stderr about one undo must not prevent the other.
    release();

    expect(await started.exited).toEqual([0, null]);
    expect(started.service.webhooks).toEqual([]);
  });

  it("ends by itself when the engine is gone after the last creation", async ({ expect }) => {
    await using started = await startCreationInFlight(adapter);
    started.release();
    await started.creation;

    started.running.engine.close();

    expect(await started.exited).toEqual([0, null]);
  });
});

// Both adapters end a creation in the same way, so one of them is enough here.
it.each<{ kind: string; response: string; fault: Interceptor }>([
  { kind: "inDoubt", response: "is lost", fault: loseResponse() },
  { kind: "undone", response: "has an unusable secret", fault: withFields({ secret: 42 }) },
])(
  "After SIGINT, a creation that waits is not created, and one in flight ends as $kind when its response $response",
  async ({ kind, fault }) => {
    await using started = await startCreationInFlight(pluginAdapter, { fault });
    const { service, running, release, exited } = started;
    service.use(times(1, respondWith(429, { headers: { "retry-after": "60" } }), isPost));
    const throttled = service.nextRequest(({ statusCode }) => statusCode === 429);
    const waiting = running.create(inputs);
    await throttled;

    running.child.kill("SIGINT");
    await waiting;
    release();
    await exited;

    const lines = running.lines().filter((line) => line.includes("base_abc123"));
    const kinds = lines.map((line) => kindOf({ message: line })).filter(Boolean);
    expect(kinds).toEqual(["notCreated", kind]);
  },
);
