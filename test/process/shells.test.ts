import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { someArgs, unknownMarkers } from "../helpers/builders.js";
import type { CreateResult, RunningShell } from "../helpers/shell.js";
import { shells } from "../helpers/shells.js";

const inputs = someArgs();
const unknown = unknownMarkers.string;

describe.each(shells)("$name", (shell) => {
  async function withShell(
    use: (running: RunningShell, service: LocalService) => Promise<void>,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    await using service = await startLocalService();
    await using running = await shell.start({
      "dbwebhooks:baseUrl": service.baseUrl,
      "dbwebhooks:apiKey": service.apiKey,
      "dbwebhooks:retrySeconds": "0",
      ...settings,
    });
    await use(running, service);
  }

  it("normalises events and keeps what is not known yet", async () => {
    await withShell(async (running) => {
      const checked = await running.check({
        ...inputs,
        events: ["record.updated", "record.created", "record.updated"],
        url: unknown,
      });

      expect(checked).toEqual({ inputs: { ...inputs, url: unknown }, failures: [] });
    });
  });

  it("reports all problems of arguments and configuration at once", async () => {
    await using running = await shell.start({ "dbwebhooks:timeoutSeconds": "soon" });

    const { failures } = await running.check({ ...inputs, databaseId: 5, url: "/hooks" });

    expect(failures.map((failure) => failure.split(": ")[0])).toEqual([
      "dbwebhooks:baseUrl",
      "dbwebhooks:apiKey",
      "dbwebhooks:timeoutSeconds",
      "databaseId",
      "url",
    ]);
  });

  it("returns the id and the secret of what it created", async () => {
    await withShell(async (running, service) => {
      const created = createdBy(await running.create(inputs));

      const [webhook] = service.webhooks;
      expect(created).toMatchObject({
        id: webhook && shell.idOf(webhook),
        secret: webhook?.secret,
      });
      expect(created.state).toMatchObject({ ...inputs, baseUrl: service.baseUrl });
    });
  });

  it("opens no more connections than requests may be in flight", async () => {
    await withShell(
      async (running, service) => {
        await Promise.all(Array.from({ length: 60 }, () => running.create(inputs)));

        const connections = new Set(service.requests.map(({ connection }) => connection));
        expect(service.webhooks).toHaveLength(60);
        expect(connections.size).toBeLessThanOrEqual(4);
      },
      { "dbwebhooks:maxConcurrentRequests": "4" },
    );
  });

  it("says explicitly that nothing changes", async () => {
    await withShell(async (running) => {
      const { id, state } = createdBy(await running.create(inputs));

      expect(await running.diff(id, state, inputs)).toEqual({ isChanged: false, replaces: [] });
    });
  });

  it("names what replaces, in its answer and in one line of output", async () => {
    await withShell(async (running) => {
      const { id, state } = createdBy(await running.create(inputs));

      const difference = await running.diff(id, state, {
        ...inputs,
        url: "https://example.com/other-path-token",
        tableId: unknown,
      });

      expect(difference).toEqual({ isChanged: true, replaces: ["url", "tableId"] });
      const output = () => running.lines().join("\n");
      await expect.poll(output).toMatch(/\burl\b.*\btableId\b/);
      expect(output()).not.toContain("other-path-token");
    });
  });

  it("keeps the state at a refresh and sends nothing", async () => {
    await withShell(async (running, service) => {
      const { id, state } = createdBy(await running.create(inputs));
      service.clearRequests();

      expect(await running.read(id, state)).toEqual({ id, state });
      expect(service.requests).toEqual([]);
    });
  });

  it("reports a failed deletion in one line without a stack", async () => {
    await withShell(async (running, service) => {
      const { id, state } = createdBy(await running.create(inputs));
      service.inject({ on: "DELETE", fault: { kind: "respond", statusCode: 403 } });

      const { error } = await running.delete(id, state);

      expect(error).toContain("403");
      expect(error).not.toMatch(/\n/);
      expect(running.lines().join("\n")).not.toMatch(/\n\s+at /);
    });
  });
});

function createdBy(result: CreateResult) {
  if ("error" in result) {
    throw new Error(result.error);
  }
  return result;
}
