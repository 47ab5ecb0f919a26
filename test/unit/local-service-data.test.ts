import { once } from "node:events";
import fs from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { expect, it, onTestFinished, vi } from "vitest";
import { DataFileError } from "../../src/local-service/index.ts";
import {
  portOf,
  startService,
  statusCodesOf,
  temporaryFile,
  webhookBody,
} from "../helpers/local-service.ts";

it("The data file keeps the webhooks, their counts and the last id after a restart", async () => {
  const data = temporaryFile();
  const first = await startService({ data });
  await first.create({ body: webhookBody({ tableId: "tbl_1" }) });
  await first.create();
  first.updateWebhook(1, { active: false });
  first.removeWebhook(2);
  const { webhooks } = first;
  await first.close();

  const second = await startService({ data });

  expect(second.webhooks).toEqual(webhooks);
  expect((await second.create()).json.id).toBe(3);
  expect(second.counts).toMatchObject({ created: 3, deleted: 1 });
});

it("The data file can be read only by its owner, as can SQLite's log, even when others could read it before", async () => {
  const data = temporaryFile();
  fs.writeFileSync(data, "", { mode: 0o644 });
  const service = await startService({ data });

  await service.create();

  expect([data, `${data}-wal`].map(modeOf)).toEqual([0o600, 0o600]);
});

it.each<{ name: string; write: (file: string) => void }>([
  { name: "a text file", write: (file) => fs.writeFileSync(file, "a text") },
  // 0 is the application id of a program that sets none.
  { name: "another program's database", write: (file) => setPragma(file, "application_id = 0") },
  { name: "another version's file", write: (file) => setPragma(file, "user_version = 99") },
])("The data file is refused and stays unchanged when it is $name", async ({ write }) => {
  const data = temporaryFile();
  await (await startService({ data })).close();
  write(data);
  fs.chmodSync(data, 0o744);
  const before = fs.readFileSync(data);

  await expect(startService({ data })).rejects.toThrow("the local service did not create it");

  expect(fs.readFileSync(data)).toEqual(before);
  expect(modeOf(data)).toBe(0o744);
});

it.each([
  { reason: "it is a directory", data: "/" },
  { reason: "the path is empty", data: "" },
  { reason: "its directory does not exist", data: "/nowhere/a.db" },
])("The data file is refused when $reason", async ({ reason, data }) => {
  const start = startService({ data });

  await expect(start).rejects.toThrow(DataFileError);
  await expect(start).rejects.toThrow(reason);
});

it("The data file is refused when it is not a regular file", async () => {
  const data = temporaryFile();
  await using server = createServer().listen(data);
  await once(server, "listening");

  await expect(startService({ data })).rejects.toThrow("it is not a regular file");
});

it.each(["", "-journal", "-wal", "-shm"])(
  "The data file is refused when FILE%s is a symbolic link, and the target stays unchanged",
  async (suffix) => {
    const [data, target] = [temporaryFile(), temporaryFile()];
    fs.writeFileSync(target, "", { mode: 0o644 });
    fs.symlinkSync(target, `${data}${suffix}`);

    await expect(startService({ data })).rejects.toThrow("is a symbolic link");

    expect(fs.readFileSync(target, "utf8")).toBe("");
    expect(modeOf(target)).toBe(0o644);
  },
);

it.each<{ name: string; change: (directory: string) => void }>([
  { name: "can be written by all users", change: (path) => fs.chmodSync(path, 0o1777) },
  { name: "can be written by its group", change: (path) => fs.chmodSync(path, 0o770) },
  // Users other than root cannot give a directory away, and theirs belongs to another user than root.
  {
    name: "belongs to another user",
    change: (path) => process.getuid?.() === 0 && fs.chownSync(path, 123_456, 0),
  },
])("The data file is refused for root, and not created, when its directory $name", async (row) => {
  const data = temporaryFile();
  row.change(dirname(data));
  const user = vi.spyOn(process, "geteuid").mockReturnValue(0);
  onTestFinished(() => user.mockRestore());

  await expect(startService({ data })).rejects.toThrow("other users can change its directory");

  expect(fs.existsSync(data)).toBe(false);
});

it("The data file is refused when it belongs to another user", async () => {
  const data = temporaryFile();
  fs.writeFileSync(data, "");
  vi.spyOn(process, "geteuid").mockReturnValueOnce(123_456);

  await expect(startService({ data })).rejects.toThrow("belongs to another user");
});

it("The data file can be open in only one service at a time, and is unlocked when a service fails to start", async () => {
  const data = temporaryFile();
  const port = portOf(await startService());
  await expect(startService({ data, port })).rejects.toMatchObject({ code: "EADDRINUSE" });

  await startService({ data });

  await expect(startService({ data })).rejects.toThrow("another local service has it open");
});

it("A creation or a deletion that cannot be written to the data file leaves the webhooks unchanged", async () => {
  const service = await startService({ data: temporaryFile() });
  await service.create();
  const write = vi.spyOn(StatementSync.prototype, "run").mockImplementation(() => {
    throw new Error("disk is full");
  });
  onTestFinished(() => write.mockRestore());

  const responses = [await service.create(), await service.delete(1)];

  expect(statusCodesOf(responses)).toEqual([500, 500]);
  expect(service.webhooks).toMatchObject([{ id: 1 }]);
  expect(service.counts).toMatchObject({ created: 1, deleted: 0 });
});

function modeOf(file: string): number {
  return fs.statSync(file).mode & 0o777;
}

function setPragma(file: string, pragma: string): void {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA ${pragma}`);
  database.close();
}
