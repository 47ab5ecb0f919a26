import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../src/local-service/data/database.js";
import { DeliveryStore } from "../../src/local-service/data/delivery-store.js";
import { WebhookStore } from "../../src/local-service/data/webhook-store.js";

describe("the store in a file", () => {
  it("gives back what it was given, when it is opened again", () => {
    const file = temporaryFile();
    const ofAll = webhook();
    const ofOne = webhook({ tableId: "tbl_1", active: false, events: ["a", "b"] });
    const { store, close } = openStore(file);
    store.create(ofAll);
    store.create(ofOne);
    close();

    expect(openStore(file).store.list()).toEqual([
      { id: 1, ...ofAll },
      { id: 2, ...ofOne },
    ]);
  });

  it("never gives an id again, and goes on counting, when it is opened again", () => {
    const file = temporaryFile();
    const { store, close } = openStore(file);
    store.create(webhook());
    store.delete(store.create(webhook()));
    close();

    const { store: reopened } = openStore(file);

    expect(reopened.createdCount).toBe(2);
    expect(reopened.create(webhook())).toBe(3);
    expect(reopened.createdCount).toBe(3);
    expect(reopened.count).toBe(2);
  });
});

describe("the store of deliveries", () => {
  it("names the full disk, and holds none of an event's deliveries then", () => {
    const database = openDatabase();
    onTestFinished(() => database.close());
    const store = new DeliveryStore(database);
    const { page_count: pages } = database.prepare("PRAGMA page_count").get() ?? {};
    database.exec(`PRAGMA max_page_count = ${Number(pages) + 3}`);
    const event = {
      ...{ id: "evt_1", type: "record.created", databaseId: "base_1" },
      ...{ timestamp: "2030-01-01T00:00:00.000Z", data: { text: "x".repeat(6_000) } },
    };

    expect(() => store.add(event, [1, 2, 3], 0)).toThrow("database or disk is full");
    expect(store.count).toBe(0);
    store.add({ ...event, data: {} }, [1, 2], 0);
    expect(store.count).toBe(2);
  });
});

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "local-service-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "webhooks.db");
}

function openStore(file: string) {
  const database = openDatabase(file);
  const close = () => {
    if (database.isOpen) {
      database.close();
    }
  };
  onTestFinished(close);
  return { store: new WebhookStore(database), close };
}

function webhook(changes: object = {}) {
  return {
    databaseId: "base_1",
    url: "https://example.com/hooks/orders",
    events: ["record.created"],
    tableId: null,
    active: true,
    secret: "whsec_c2VjcmV0",
    ...changes,
  };
}
