import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { someArgs, unknownMarkers } from "../helpers/builders.js";
import type { CreateResult, RunningShell } from "../helpers/shells/shell.js";
import { shells } from "../helpers/shells/shells.js";

const inputs = someArgs();
const unknown = unknownMarkers.string;

describe.each(shells)("$name", (shell) => {
  let service: LocalService;
  let running: RunningShell;

  function start(settings: Readonly<Record<string, string>> = {}): Promise<RunningShell> {
    return shell.start({
      "dbwebhooks:baseUrl": service.baseUrl,
      "dbwebhooks:apiKey": service.apiKey,
      "dbwebhooks:retrySeconds": "0",
      ...settings,
    });
  }

  beforeAll(async () => {
    service = await startLocalService();
    running = await start();
  });

  afterEach(() => service.clearFaults());

  afterAll(async () => {
    await running[Symbol.asyncDispose]();
    await service.close();
  });

  it("normalises events and keeps what is not known yet", async () => {
    const checked = await running.check({
      ...inputs,
      events: ["record.updated", "record.created", "record.updated"],
      url: unknown,
    });

    expect(checked).toEqual({ inputs: { ...inputs, url: unknown }, failures: [] });
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
    const created = createdBy(await running.create(inputs));

    const webhook = service.webhooks.at(-1);
    expect(created).toMatchObject({
      id: webhook && shell.idOf(webhook),
      secret: webhook?.secret,
    });
    expect(created.state).toMatchObject({ ...inputs, baseUrl: service.baseUrl });
  });

  it("opens no more connections than requests may be in flight", async () => {
    await using limited = await start({ "dbwebhooks:maxConcurrentRequests": "4" });
    service.clearRequests();

    const created = await Promise.all(Array.from({ length: 60 }, () => limited.create(inputs)));

    const connections = new Set(service.requests.map(({ connection }) => connection));
    expect(new Set(created.map((result) => createdBy(result).id)).size).toBe(60);
    expect(connections.size).toBeLessThanOrEqual(4);
  });

  it("says explicitly that nothing changes", async () => {
    const { id, state } = createdBy(await running.create(inputs));

    expect(await running.diff(id, state, inputs)).toEqual({ isChanged: false, replaces: [] });
  });

  it("names what replaces, in its answer and in one line of output", async () => {
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

  it("keeps the state at a refresh and sends nothing", async () => {
    const { id, state } = createdBy(await running.create(inputs));
    service.clearRequests();

    expect(await running.read(id, state)).toEqual({ id, state });
    expect(service.requests).toEqual([]);
  });

  it("reports a failed deletion in one line without a stack", async () => {
    const { id, state } = createdBy(await running.create(inputs));
    service.inject({ on: "DELETE", fault: { kind: "respond", statusCode: 403 } });

    const { error } = await running.delete(id, state);

    expect(error).toContain("403");
    expect(error).not.toMatch(/\n/);
    expect(running.lines().join("\n")).not.toMatch(/\n\s+at /);
  });
});

function createdBy(result: CreateResult) {
  if ("error" in result) {
    throw new Error(result.error);
  }
  return result;
}
