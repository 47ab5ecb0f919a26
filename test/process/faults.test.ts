import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adapters, startAdapter } from "../helpers/adapters/adapters.ts";
import { someArgs } from "../helpers/builders.ts";
import { kindOf } from "../helpers/errors.ts";
import { loseResponse, respondWith, times } from "../helpers/faults/faults.mts";
import { createWebhook } from "../helpers/local-service.ts";

// How an adapter tells Pulumi each outcome. Which fault leads to which outcome is tested in
// unit/provider/faults.

describe.each(adapters)("$name", (adapter) => {
  let service: LocalService;
  let running: Awaited<ReturnType<typeof start>>;

  beforeAll(async () => {
    service = await startLocalService({ listing: true });
    running = await start();
  });

  afterAll(async () => {
    await running[Symbol.asyncDispose]();
    await service.close();
  });

  function start() {
    const { baseUrl, apiKey } = service;
    return startAdapter(adapter, { baseUrl, apiKey, retrySeconds: "0" });
  }

  /** Creates a webhook, and returns its id and a function that deletes it. */
  async function prepareDeletion({ delete: remove } = running) {
    const { databaseId, ...body } = someArgs();
    const { json } = await createWebhook(service, { databaseId, body });
    const state = { ...someArgs(), baseUrl: service.baseUrl, secret: json.secret };
    return { id: json.id as number, remove: () => remove(String(json.id), state) };
  }

  it("creates a webhook with all arguments, and returns its secret", async () => {
    const args = someArgs({ tableId: "tbl_orders" });

    const created = await running.create(args);

    const webhook = service.webhooks.at(-1);
    expect(webhook).toMatchObject(args);
    expect(created).toEqual({ id: String(webhook?.id), secret: webhook?.secret });
  });

  it.each([
    { outcome: "notCreated", fault: respondWith(403) },
    { outcome: "inDoubt", fault: loseResponse },
  ])("fails a creation that is $outcome", async ({ outcome, fault }) => {
    // A creation in doubt is not repeated: the dynamic provider knows it again by its arguments,
    // the plugin by its name.
    const args = someArgs({ databaseId: `base_${outcome}` });
    service.use(times(1, fault));

    const { error } = (await running.create(args, outcome)) as { error: string };

    expect(kindOf({ message: error })).toBe(outcome);
  });

  it("confirms a deletion once the service has deleted the webhook", async () => {
    const { id, remove } = await prepareDeletion();

    expect(await remove()).toBe("");
    expect(service.webhooks.map((webhook) => webhook.id)).not.toContain(id);
  });

  it("fails a deletion that the service has not confirmed", async () => {
    const { remove } = await prepareDeletion();
    service.use(times(1, respondWith(403)));

    expect(kindOf({ message: await remove() })).toBe("notDeleted");
  });

  it("confirms the deletion of a webhook that is gone already, and says so in a line", async () => {
    await using other = await start();
    const { id, remove } = await prepareDeletion(other);
    service.webhooks = service.webhooks.filter((one) => one.id !== id);

    expect(await remove()).toBe("");
    // Pulumi may end the process after this response.
    await other[Symbol.asyncDispose]();
    expect(other.lines().join("\n")).toContain(`webhook ${id} `);
  });
});
