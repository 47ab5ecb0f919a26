import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebhookStore } from "../../src/local-service/store.js";

describe("the store in a file", () => {
  it("gives back what it was given, when it is opened again", () => {
    const file = temporaryFile();
    const ofAll = webhook();
    const ofOne = webhook({ tableId: "tbl_1", active: false, events: ["a", "b"] });
    const store = openStore(file);
    store.create(ofAll);
    store.create(ofOne);
    store.close();

    expect(openStore(file).list()).toEqual([
      { id: 1, ...ofAll },
      { id: 2, ...ofOne },
    ]);
  });

  it("never gives an id again, and goes on counting, when it is opened again", () => {
    const file = temporaryFile();
    const store = openStore(file);
    store.create(webhook());
    store.delete(store.create(webhook()));
    store.close();

    const reopened = openStore(file);

    expect(reopened.createdCount).toBe(2);
    expect(reopened.create(webhook())).toBe(3);
    expect(reopened.createdCount).toBe(3);
    expect(reopened.count).toBe(2);
  });

  it("survives a process that is killed right after its work", () => {
    const file = temporaryFile();
    const storeModule = readFileSync(join(__dirname, "../../src/local-service/store.ts"), "utf8");
    const program = `${storeModule}
      const store = new WebhookStore(${JSON.stringify(file)});
      for (let i = 0; i < 3; i += 1) store.create(${JSON.stringify(webhook())});
      store.update(1, { active: false });
      store.delete(2);
      process.kill(process.pid, "SIGKILL");
    `;

    const { signal } = spawnSync(process.execPath, [
      "--input-type=module-typescript",
      "--eval",
      program,
    ]);

    expect(signal).toBe("SIGKILL");
    const store = openStore(file);
    expect(store.list()).toEqual([
      { id: 1, ...webhook(), active: false },
      { id: 3, ...webhook() },
    ]);
    expect(store.create(webhook())).toBe(4);
  });
});

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "local-service-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "webhooks.db");
}

function openStore(file: string): WebhookStore {
  return new WebhookStore(file);
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
