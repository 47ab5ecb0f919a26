import { describe, expect, it } from "vitest";
import { adapters, dynamicAdapter, pluginAdapter } from "../helpers/adapters/adapters.ts";
import { startCreationInFlight } from "../helpers/adapters/creation-in-flight.ts";
import { someArgs } from "../helpers/builders.ts";
import { kindOf } from "../helpers/errors.ts";
import { isDelete, isPost, loseResponse, respondWith, times } from "../helpers/faults/faults.mts";
import { recordRequests } from "../helpers/recorder.mts";
import { within } from "../helpers/within.ts";

// When the provider stops, and what it still sends then, is tested in
// unit/provider/engine-monitor.test.ts and unit/api/transport.test.ts; what follows kill -9 of
// Pulumi and ^C, in e2e/interruption.test.ts.

describe.concurrent.each(adapters)("The process of $name", (adapter) => {
  it("ends at once on SIGINT when no creation is in flight any more", async ({ expect }) => {
    await using started = await startCreationInFlight(adapter);
    started.release();
    await started.creation;

    started.running.child.kill("SIGINT");

    expect(await started.exited()).toEqual([null, "SIGINT"]);
  });

  it("returns the webhook in flight although its session ends", async ({ expect }) => {
    await using started = await startCreationInFlight(adapter);
    const { service, running, release, creation } = started;
    running.child.kill("SIGTERM");
    running.child.kill("SIGHUP");
    // The process has received both signals before it responds to another call.
    await running.read("17", {}).catch(() => undefined);

    release();

    const [webhook] = service.webhooks;
    expect(await creation).toMatchObject({ secret: webhook?.secret });
  });

  it("says which webhook it leaves behind if the engine ends and the service refuses the deletion", async ({
    expect,
  }) => {
    await using started = await startCreationInFlight(adapter);
    const { service, running, release, creation, exited } = started;
    service.use(times(1, respondWith(403), isDelete));
    running.engine.close();

    release();

    // The dynamic provider writes the line to stderr; the plugin's engine is gone, but not its
    // call.
    const result = await creation;
    await exited();
    const texts = [...running.lines(), "error" in result ? result.error : ""];
    const [webhook] = service.webhooks;
    expect(texts.map((message) => kindOf({ message }))).toContain("leftBehind");
    expect(texts.join()).toContain(`webhook ${webhook?.id}`);
  });

  it("leaves no webhook behind if the engine and the reader of stderr end", async ({ expect }) => {
    await using started = await startCreationInFlight(adapter);
    const { service, running, release } = started;
    void running.create(someArgs()).catch(() => undefined);
    await expect.poll(() => service.webhooks).toHaveLength(2);
    running.engine.close();
    running.child.stderr.destroy();

    // The line that the dynamic provider writes to stderr about one undo must not prevent the
    // other.
    release();

    expect(await started.exited()).toEqual([0, null]);
    expect(started.service.webhooks).toEqual([]);
  });
});

it("With the engine gone, an idle plugin ends, and an idle process of the dynamic provider does not", async () => {
  await using dynamic = await startCreationInFlight(dynamicAdapter);
  dynamic.release();
  await dynamic.creation;
  dynamic.running.engine.close();
  // It serves other resources of the program too. If it watched its engine, it would end before the
  // plugin, which starts only now.
  await using plugin = await startCreationInFlight(pluginAdapter);
  plugin.release();
  await plugin.creation;

  plugin.running.engine.close();

  expect(await plugin.exited()).toEqual([0, null]);
  expect(await dynamic.running.read("17", {})).toMatchObject({ id: "17" });
});

// Both adapters end a creation in the same way, so one of them is enough here.
it("After SIGINT, a creation that waits is not created, and one in flight ends with its response", async () => {
  await using started = await startCreationInFlight(pluginAdapter, { fault: loseResponse });
  const { service, running, release, exited } = started;
  service.use(times(1, respondWith(429, { headers: { "retry-after": "60" } }), isPost));
  const { requests } = recordRequests(service);
  const waiting = running.create(someArgs());
  await expect.poll(() => requests).toMatchObject([{ statusCode: 429 }]);

  running.child.kill("SIGINT");
  await within(30, waiting, () => "the creation that waits has not ended");
  release();
  await exited();

  const lines = running.lines().filter((line) => line.includes("base_abc123"));
  const kinds = lines.map((line) => kindOf({ message: line })).filter(Boolean);
  expect(kinds).toEqual(["notCreated", "inDoubt"]);
});
