import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openDatabase } from "../../src/local-service/data/database.js";
import { DeliveryStore } from "../../src/local-service/data/delivery-store.js";
import { DataFileError, startLocalService } from "../../src/local-service/index.js";
import { errorOf } from "../helpers/error-of.js";
import { refusedUrl } from "../helpers/http-server.js";
import {
  createWebhook,
  startService,
  temporaryFile,
  webhookBody,
} from "../helpers/local-service.js";

vi.mock("node:fs", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs")>();
  return { ...original, chmodSync: vi.fn(original.chmodSync) };
});

const notOurs = "it is not a file of the local service. Use another file, or a new one";

describe("the file of data", () => {
  it("gives back what it was given, no id again, and the counts", async () => {
    const data = temporaryFile();
    const first = await startLocalService({ data, allowUnknownEvents: true });
    await createWebhook(first, { body: webhookBody({ tableId: "tbl_1", events: ["a", "b"] }) });
    await createWebhook(first);
    await createWebhook(first);
    first.updateWebhook(1, { active: false });
    first.removeWebhook(3);
    const { webhooks } = first;
    await first.close();

    const second = await startService({ data });

    expect(second.webhooks).toEqual(webhooks);
    expect(webhooks).toMatchObject([{ active: false, events: ["a", "b"] }, { tableId: null }]);
    expect((await createWebhook(second)).json.id).toBe(4);
    expect(second.counts).toMatchObject({ created: 4, deleted: 1 });
  });

  it("is a file under names that SQLite gives a meaning, too", async () => {
    const directory = dirname(temporaryFile());
    const before = process.cwd();
    process.chdir(directory);
    onTestFinished(() => process.chdir(before));
    const names = [":memory:", "file:service.db?mode=memory"];

    for (const data of names) {
      await (await startLocalService({ data })).close();
    }

    expect(readdirSync(directory)).toEqual(names);
  });

  it.each<[string, (file: string) => unknown]>([
    ["is new", () => {}],
    ["others could read", async (file) => (await startLocalService({ data: file })).close()],
    [
      "a killed process left, with its log",
      async (file) => {
        const other = temporaryFile();
        const killed = await startService({ data: other });
        await createWebhook(killed);
        copyFileSync(other, file);
        copyFileSync(`${other}-wal`, `${file}-wal`);
        chmodSync(`${file}-wal`, 0o644);
      },
    ],
  ])("is hidden from others when it %s", async (_case, prepare) => {
    const data = temporaryFile();
    await prepare(data);
    if (statSync(data, { throwIfNoEntry: false })) {
      chmodSync(data, 0o644);
    }

    const service = await startService({ data });
    await createWebhook(service);

    expect([data, `${data}-wal`].map(modeOf)).toEqual([0o600, 0o600]);
  });

  it.each<[string, (file: string) => unknown]>([
    ["it is a directory. Name a file in it", (file) => mkdirSync(file)],
    [
      "it is not a regular file. Name another file",
      (file) => execFileSync("mkfifo", ["-m", "644", file]),
    ],
    [
      notOurs,
      (file) => writeFileSync(file, "This is a text, and somebody may need it.".repeat(50)),
    ],
    [notOurs, (file) => change(file, "CREATE TABLE webhooks (name TEXT)")],
    [
      "it has format 99, and this version of pulumi-dbwebhooks knows format 1. Use another file, or the version that wrote it",
      async (file) => {
        await (await startLocalService({ data: file })).close();
        change(file, "PRAGMA user_version = 99");
      },
    ],
    [
      "it belongs to another user. Use a file of your own, or start as that user",
      async (file) => {
        await (await startLocalService({ data: file })).close();
        const uid = vi.spyOn(process, "geteuid").mockReturnValue(statSync(file).uid + 1);
        onTestFinished(() => void uid.mockRestore());
      },
    ],
  ])("is refused, because %s, and stays as it is", async (reason, prepare) => {
    const data = temporaryFile();
    await prepare(data);
    chmodSync(data, 0o744);
    const contentOf = () => statSync(data).isFile() && readFileSync(data);
    const before = contentOf();

    await expect(startLocalService({ data })).rejects.toThrow(new DataFileError(data, reason));

    expect(modeOf(data)).toBe(0o744);
    expect(contentOf()).toEqual(before);
  });

  it.each([
    ["", '""', "it has no name. Name a file"],
    ["/dev/null", "/dev/null", "it is not a regular file. Name another file"],
    ["/nowhere/a.db", "/nowhere/a.db", "its directory does not exist. Create that first"],
  ])("cannot be %j, and no mode is changed", async (data, name, reason) => {
    // As root it would change the device for everybody.
    vi.mocked(chmodSync).mockClear().mockReturnValue();
    onTestFinished(() => void vi.mocked(chmodSync).mockReset());

    await expect(startLocalService({ data })).rejects.toThrow(new DataFileError(name, reason));

    expect(chmodSync).not.toHaveBeenCalled();
  });

  it("is used by one service at a time", async () => {
    const data = temporaryFile();
    await startService({ data });

    await expect(startLocalService({ data })).rejects.toThrow("another process uses it. Stop that");
  });

  it("is free again, and the port too, after a start that fails on a pending delivery", async () => {
    const data = temporaryFile();
    const port = Number(new URL(await refusedUrl()).port);
    const first = await startLocalService({ data });
    await createWebhook(first, { body: webhookBody({ url: await refusedUrl() }) });
    const attempted = first.nextDelivery({ stage: "attempted" });
    first.emit({ type: "record.created", databaseId: "base_1" });
    await attempted;
    await first.close();
    const now = () => {
      throw new Error("a bad clock");
    };

    const late = await errorOf(startLocalService({ data, port, now }));
    change(data, "UPDATE deliveries SET event = 'null'");
    const early = await errorOf(startLocalService({ data, port }));

    expect(late.message).toBe("a bad clock");
    expect(early.message).toContain("a pending delivery in it cannot be read. Use another file");
    change(data, "DELETE FROM deliveries");
    await (await startLocalService({ data, port })).close();
  });
});

it("A full disk holds none of an event's deliveries", () => {
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

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}
