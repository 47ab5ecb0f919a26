import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openDatabase } from "../../src/local-service/data/database.js";
import { DeliveryStore } from "../../src/local-service/data/delivery-store.js";
import { DataFileError } from "../../src/local-service/index.js";
import { refusedUrl } from "../helpers/http-server.js";
import { startService, temporaryFile, webhookBody } from "../helpers/local-service.js";

const notOurs = "it is not a file of the local service. Use another file, or a new one";

describe("the file of data", () => {
  it("gives back what it was given, no id again, and the counts", async () => {
    const data = temporaryFile();
    const first = await startService({ data });
    await first.create({ body: webhookBody({ tableId: "tbl_1" }) });
    await first.create();
    await first.create();
    first.updateWebhook(1, { active: false });
    first.removeWebhook(3);
    const { webhooks } = first;
    await first.close();

    const second = await startService({ data });

    expect(second.webhooks).toEqual(webhooks);
    expect(webhooks).toMatchObject([{ active: false, tableId: "tbl_1" }, { tableId: null }]);
    expect((await second.create()).json.id).toBe(4);
    expect(second.counts).toMatchObject({ created: 4, deleted: 1 });
  });

  it("is a file under names that SQLite gives a meaning, too", async () => {
    const directory = dirname(temporaryFile());
    const before = process.cwd();
    process.chdir(directory);
    onTestFinished(() => process.chdir(before));
    const names = [":memory:", "file:service.db?mode=memory"];

    await Promise.all(names.map(make));

    expect(fs.readdirSync(directory)).toEqual(names);
    expect(names.map((name) => fs.statSync(name).size)).not.toContain(0);
  });

  it("is hidden from others when it is new, and when it is a copy that others could read", async () => {
    const [data, copy] = [temporaryFile(), temporaryFile()];
    // The log of SQLite holds secrets, too, and a killed process leaves it.
    const filesOf = (file: string) => [file, `${file}-wal`];
    const [service, copied] = [await startService({ data }), await make(copy)];
    await service.create();
    filesOf(data).forEach((file, at) => {
      fs.copyFileSync(file, filesOf(copied)[at] ?? "");
      fs.chmodSync(filesOf(copied)[at] ?? "", 0o644);
    });

    await (await startService({ data: copy })).create();

    expect([...filesOf(data), ...filesOf(copy)].map(modeOf)).toEqual(Array(4).fill(0o600));
  });

  it.each<[string, (file: string) => unknown]>([
    ["it is a directory. Name a file in it", (file) => fs.mkdirSync(file)],
    [
      "it is not a regular file. Name another file",
      (file) => execFileSync("mkfifo", ["-m", "644", file]),
    ],
    [notOurs, (file) => fs.writeFileSync(file, "Somebody may need this text.".repeat(50))],
    [notOurs, (file) => change(file, "CREATE TABLE webhooks (name TEXT)")],
    [
      "it has format 99, and this version of pulumi-dbwebhooks knows format 1. Use another file, or the version that wrote it",
      async (file) => change(await make(file), "PRAGMA user_version = 99"),
    ],
    [
      "it belongs to another user. Use a file of your own, or start as that user",
      async (file) => {
        await make(file);
        vi.spyOn(process, "geteuid").mockReturnValueOnce(123_456);
      },
    ],
  ])("is refused, because %s, and stays as it is", async (reason, prepare) => {
    const data = temporaryFile();
    await prepare(data);
    fs.chmodSync(data, 0o744);
    const contentOf = () => fs.statSync(data).isFile() && fs.readFileSync(data);
    const before = contentOf();

    await expect(startService({ data })).rejects.toThrow(new DataFileError(data, reason));

    expect([modeOf(data), contentOf()]).toEqual([0o744, before]);
  });

  it("needs a name, a directory, and is used by one service at a time", async () => {
    const data = temporaryFile();
    const start = (data: string) => startService({ data });
    await startService({ data });

    await expect(start("")).rejects.toThrow('data file "" cannot be used: it has no name.');
    await expect(start("/nowhere/a.db")).rejects.toThrow("its directory does not exist.");
    await expect(start(data)).rejects.toThrow("another process uses it. Stop that one, or use");
  });

  it("is free again, and the port too, after a start that fails on a pending delivery", async () => {
    const data = temporaryFile();
    const port = Number(new URL(await refusedUrl()).port);
    const first = await startService({ data });
    await first.subscribe(await refusedUrl());
    first.emit({ type: "record.created", databaseId: "base_1" });
    await first.nextDelivery({ stage: "attempted" });
    await first.close();

    const badClock = () => JSON.parse("{");
    await expect(startService({ data, port, now: badClock })).rejects.toThrow(SyntaxError);
    change(data, "UPDATE deliveries SET event = 'null'");
    await expect(startService({ data, port })).rejects.toThrow(
      "a pending delivery in it cannot be read. Use another file",
    );
    change(data, "DELETE FROM deliveries");
    await (await startService({ data, port })).close();
  });
});

it("A full disk holds none of an event's deliveries", () => {
  const database = openDatabase();
  onTestFinished(() => database.close());
  const store = new DeliveryStore(database);
  const { page_count: pages } = database.prepare("PRAGMA page_count").get() ?? {};
  database.exec(`PRAGMA max_page_count = ${Number(pages) + 3}`);
  const event = { id: "evt_1", type: "record.created", databaseId: "base_1", timestamp: "" };
  const data = { text: "x".repeat(6_000) };

  expect(() => store.add({ ...event, data }, [1, 2, 3], 0)).toThrow("database or disk is full");
  expect(store.count).toBe(0);
  store.add({ ...event, data: {} }, [1, 2], 0);
  expect(store.count).toBe(2);
});

/** Makes a file of the local service. */
async function make(data: string): Promise<string> {
  await (await startService({ data })).close();
  return data;
}

function modeOf(file: string): number {
  return fs.statSync(file).mode & 0o777;
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}
