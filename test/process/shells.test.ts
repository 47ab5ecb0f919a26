import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { someArgs, unknownMarkers } from "../helpers/builders.js";
import type { CreateResult, RunningShell } from "../helpers/shells/shell.js";
import { shells } from "../helpers/shells/shells.js";

const inputs = someArgs();
const unknown = unknownMarkers.string;

describe.each(shells)("$name", (shell) => {
  let service: LocalService;
  let running: RunningShell;
  let created: Exclude<CreateResult, { error: string }>;

  beforeAll(async () => {
    service = await startLocalService();
    running = await shell.start({
      "dbwebhooks:baseUrl": service.baseUrl,
      "dbwebhooks:apiKey": service.apiKey,
      "dbwebhooks:retrySeconds": "0",
    });
    created = (await running.create(inputs)) as typeof created;
  });

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

  it("returns the id and the secret of what it created, and keeps them at a refresh", async () => {
    const { id, secret, state } = created;

    const [webhook] = service.webhooks;
    expect({ id, secret }).toEqual({
      id: webhook && shell.idOf(webhook),
      secret: webhook?.secret,
    });
    expect(state).toMatchObject({ ...inputs, baseUrl: service.baseUrl });
    expect(await running.read(id, state)).toEqual({ id, state });
    expect(service.requests).toHaveLength(1);
  });

  it("says explicitly that nothing changes, and names what replaces in its answer and a line", async () => {
    const { id, state } = created;
    const news = { ...inputs, url: "https://example.com/other-path-token", tableId: unknown };

    expect(await running.diff(id, state, inputs)).toEqual({ isChanged: false, replaces: [] });
    expect(await running.diff(id, state, news)).toEqual({
      isChanged: true,
      replaces: ["url", "tableId"],
    });
    const output = () => running.lines().join("\n");
    await expect.poll(output).toMatch(/\burl\b.*\btableId\b/);
    expect(output()).not.toContain("other-path-token");
  });

  it("reports a failed deletion in one line without a stack", async () => {
    const { id, state } = (await running.create(inputs)) as typeof created;
    service.inject({ on: "DELETE", fault: { kind: "respond", statusCode: 403 } });

    const { error } = await running.delete(id, state);

    expect(error).toContain("403");
    expect(error).not.toMatch(/\n/);
    expect(running.lines().join("\n")).not.toMatch(/\n\s+at /);
  });
});
