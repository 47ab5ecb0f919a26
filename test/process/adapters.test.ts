import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  adapters,
  type CreateResult,
  type RunningAdapter,
  startAdapter,
} from "../helpers/adapters/adapters.js";
import { someArgs, unknownMarkers } from "../helpers/builders.js";

const inputs = someArgs();
const unknown = unknownMarkers.string;

describe.each(adapters)("$name", (adapter) => {
  let service: LocalService;
  let running: RunningAdapter;
  let created: Exclude<CreateResult, { error: string }>;

  beforeAll(async () => {
    service = await startLocalService();
    const { baseUrl, apiKey } = service;
    running = await startAdapter(adapter, { baseUrl, apiKey, retrySeconds: "0" });
    created = (await running.create(inputs)) as typeof created;
  });

  afterAll(async () => {
    await running[Symbol.asyncDispose]();
    await service.close();
  });

  it("normalises events and passes unknown values through in a check", async () => {
    const events = ["record.updated", "record.created", "record.updated"];

    const checked = await running.check({ ...inputs, events, url: unknown });

    expect(checked).toEqual({ inputs: { ...inputs, url: unknown }, failures: [] });
  });

  it("returns the id, the secret and the state of the webhook that it created", () => {
    const [webhook] = service.webhooks;

    expect(created).toMatchObject({
      id: webhook && adapter.idOf(webhook),
      secret: webhook?.secret,
      state: { ...inputs, baseUrl: service.baseUrl },
    });
  });

  it("returns the stored state in a refresh without sending a request", async () => {
    const { id, state } = created;
    service.clearRequests();

    const read = await running.read(id, state);

    expect(read).toEqual({ id, state });
    expect(service.requests).toEqual([]);
  });

  it("says explicitly that equal arguments change nothing", async () => {
    const { id, state } = created;

    const diff = await running.diff(id, state, inputs);

    expect(diff).toEqual({ isChanged: false, replaces: [] });
  });

  it("names the arguments that replace a webhook, without their values in the log", async () => {
    const { id, state } = created;
    const url = "https://example.com/other-path-token";

    const diff = await running.diff(id, state, { ...inputs, url, tableId: unknown });

    expect(diff).toEqual({ isChanged: true, replaces: ["url", "tableId"] });
    const output = () => running.lines().join("\n");
    await expect.poll(output).toMatch(/\burl\b.*\btableId\b/);
    expect(output()).not.toContain("other-path-token");
  });

  it("reports a failed deletion in one line without a stack", async () => {
    service.inject({ on: "DELETE", fault: { kind: "respond", statusCode: 403 } });

    // No deletion of a run reaches a webhook that this run created.
    const id = adapter.idOf({ databaseId: "base_abc123", id: 99 });
    const error = await running.delete(id, created.state);

    expect(error).toContain("403");
    expect(error).not.toMatch(/\n/);
    expect(running.lines().join("\n")).not.toMatch(/\n\s+at /);
  });
});
