import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../src/local-service/data/database.js";
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
