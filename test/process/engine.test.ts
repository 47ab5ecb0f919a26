import { once } from "node:events";
import { type Fault, type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import type { ProviderProcess } from "../helpers/grpc-provider.js";
import { type FailedOutcome, outcomeOf } from "../helpers/outcome-of.js";
import { webhookInputs, withProviderProcess } from "../helpers/provider-process.js";

async function withHeldPost(
  use: (parts: {
    service: LocalService;
    provider: ProviderProcess;
    /** Lets the service answer the creation that it has committed. */
    release: () => void;
    /** Ends as the call of the creation does. */
    creation: Promise<{ id: string } | Error>;
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
  await withProviderProcess(config, async (provider) => {
    const held = service.inject({
      on: "POST",
      fault: [{ kind: "hold", commit: true }, ...faults],
      times: 1,
    });
    const committed = service.nextRequest({ on: "POST", stage: "committed" });
    const ended = once(provider.child, "exit");
    const creation = provider.create(webhookInputs()).catch((error: Error) => error);
    await committed;
    await use({ service, provider, release: () => held.release(), creation, ended });
  });
}

/** What the process has written about the webhook, as its answer no longer reaches the engine. */
function lineAboutCreation({ output }: ProviderProcess): string {
  return output()
    .split("\n")
    .filter((line) => line.includes("base_abc123"))
    .join();
}

describe("A creation in flight", () => {
  it("is undone when the engine is gone by the time of the answer, and the process ends", async () => {
    await withHeldPost(async ({ service, provider, release, creation, ended }) => {
      provider.engine.close();

      release();
      await ended;

      expect(service.counts).toMatchObject({ posts: 1, deletes: 1, created: 1, deleted: 1 });
      expect(await creation).toBeInstanceOf(Error);
    });
  });

  it("is undone when the engine says stop, and the process ends", async () => {
    await withHeldPost(async ({ service, provider, release, ended }) => {
      provider.child.kill("SIGINT");
      await expect.poll(provider.output).toContain("stopping");

      release();
      await ended;

      expect(service.counts).toMatchObject({ posts: 1, deletes: 1, created: 1, deleted: 1 });
    });
  });

  it("is undone once however often the engine says stop", async () => {
    await withHeldPost(async ({ service, provider, release, ended }) => {
      provider.child.kill("SIGINT");
      await expect.poll(provider.output).toContain("stopping");
      provider.child.kill("SIGINT");

      release();
      await ended;

      expect(service.counts).toMatchObject({ posts: 1, deletes: 1 });
    });
  });

  it("keeps others from being sent when the engine says stop", async () => {
    await withHeldPost(
      async ({ service, provider, release, ended }) => {
        const second = provider.create(webhookInputs()).catch((error: Error) => error);
        // Answered after the creation has been called: calls are handled in order.
        await provider.read("1", webhookInputs());
        provider.child.kill("SIGINT");

        const failure = await second;
        release();
        await ended;

        expect(outcomeOf(failure as Error)).toBe("not created");
        expect(service.counts).toMatchObject({ posts: 1, deletes: 1 });
      },
      { "dbwebhooks:maxConcurrentRequests": "1" },
    );
  });

  it("is undone at once although the service has asked all requests to wait", async () => {
    // Longer than any test may take.
    const settings = { "dbwebhooks:retrySeconds": "6000" };
    await withHeldPost(async ({ service, provider, release, ended }) => {
      const throttled = service.inject({
        on: "DELETE",
        fault: { kind: "respond", statusCode: 429, headers: { "retry-after": "3000" } },
        times: 1,
      });
      const deletion = provider.delete("999", webhookInputs({ baseUrl: service.baseUrl }));
      deletion.catch(() => {});
      await expect.poll(provider.output).toContain("3000 s");
      throttled.remove();
      provider.child.kill("SIGINT");
      await expect.poll(provider.output).toContain("stopping");

      release();
      await ended;

      expect(service.webhooks).toEqual([]);
    }, settings);
  });

  it("is finished as usual on SIGTERM, which service managers send to all processes", async () => {
    await withHeldPost(async ({ service, provider, release, creation }) => {
      provider.child.kill("SIGTERM");
      // Answered by a process that lives.
      await provider.read("1", webhookInputs());

      release();

      expect(await creation).toMatchObject({ id: String(service.webhooks[0]?.id) });
      expect(service.counts).toMatchObject({ posts: 1, deletes: 0 });
    });
  });

  it("names what is left when it cannot be undone", async () => {
    await withHeldPost(async ({ service, provider, release, ended }) => {
      service.inject({ on: "DELETE", fault: { kind: "respond", statusCode: 403 } });
      provider.child.kill("SIGINT");
      await expect.poll(provider.output).toContain("stopping");

      release();
      await ended;

      const line = lineAboutCreation(provider);
      expect(line).toMatch(new RegExp(`\\b${service.webhooks[0]?.id}\\b.*\\b403\\b`));
      expect(outcomeOf({ message: line })).toBeUndefined();
    });
  });

  it.each<[string, Fault, FailedOutcome]>([
    ["breaks the connection", { kind: "resetAfterCommit" }, "in doubt"],
    ["answers 502", { kind: "respond", statusCode: 502, commit: true }, "in doubt"],
    ["sends no id", { kind: "fields", remove: ["id"] }, "in doubt"],
    ["sends no secret", { kind: "fields", remove: ["secret"] }, "undone"],
  ])(
    "says what is left when the service %s after the engine said stop",
    async (_, fault, outcome) => {
      await withHeldPost(
        async ({ provider, release, ended }) => {
          provider.child.kill("SIGINT");
          await expect.poll(provider.output).toContain("stopping");

          release();
          await ended;

          expect(outcomeOf({ message: lineAboutCreation(provider) })).toBe(outcome);
        },
        {},
        fault,
      );
    },
  );

  it("ends the process when it fails and the engine is gone", async () => {
    await withHeldPost(
      async ({ provider, release, ended }) => {
        provider.engine.close();

        release();
        await ended;

        expect(outcomeOf({ message: lineAboutCreation(provider) })).toBe("in doubt");
      },
      {},
      { kind: "resetAfterCommit" },
    );
  });

  it("keeps others from being sent when the engine is gone", async () => {
    await withHeldPost(
      async ({ service, provider, release, ended }) => {
        const others = [1, 2, 3].map(() => provider.create(webhookInputs()).catch(() => {}));
        // Answered after the creations have been called: calls are handled in order.
        await provider.read("1", webhookInputs());
        provider.engine.close();
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

describe("A provider process with nothing in flight", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("ends at once on %s", async (signal) => {
    await withHeldPost(async ({ provider, release, creation }) => {
      release();
      await creation;

      provider.child.kill(signal);
      const [code, endedBy] = await once(provider.child, "exit");

      expect([code, endedBy]).toEqual([null, signal]);
    });
  });
});
