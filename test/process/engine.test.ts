import {
  type Interceptor,
  loseResponse,
  respondWith,
  times,
} from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { adapters, pluginAdapter } from "../helpers/adapters/adapters.ts";
import { startCreationInFlight } from "../helpers/adapters/creation-in-flight.ts";
import { someArgs } from "../helpers/builders.ts";
import { kindOf } from "../helpers/errors.ts";
import { countsOf, isPost, withFields } from "../helpers/faults/faults.mts";

// When the provider stops, and what it still sends then, is tested in unit/engine.test.ts and
// unit/transport.test.ts; what follows kill -9 of Pulumi and ^C, in e2e/interruption.test.ts.

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
    expect(countsOf(service)).toMatchObject({ posts: 1, deletes: 0 });
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
    void running.create(someArgs()).catch(() => undefined);
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
    const waiting = running.create(someArgs());
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
