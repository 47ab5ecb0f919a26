import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { DataFileError } from "../../src/local-service/index.js";
import { startService, temporaryFile, webhookBody } from "../helpers/local-service.js";

describe("The file of data", () => {
  it("keeps the webhooks, the counts and the last id after a restart", async () => {
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

  it("is a file also under names that mean memory to SQLite", async () => {
    const directory = dirname(temporaryFile());
    const before = process.cwd();
    process.chdir(directory);
    onTestFinished(() => process.chdir(before));
    const names = [":memory:", "file:service.db?mode=memory"];

    await Promise.all(names.map(make));

    expect(fs.readdirSync(directory)).toEqual(names);
    expect(names.map((name) => fs.statSync(name).size)).not.toContain(0);
  });

  it("is hidden from other users, as is a copy that they could read", async () => {
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

  it.each<[string, RegExp, (file: string) => unknown]>([
    ["a directory", /is a directory/, (file) => fs.mkdirSync(file)],
    ["a pipe", /not a regular file/, (file) => execFileSync("mkfifo", ["-m", "644", file])],
    ["a text", /not a file of this/, (file) => fs.writeFileSync(file, "Not ours. ".repeat(50))],
    ["another database", /not a file of this/, (file) => change(file, "CREATE TABLE other (a)")],
    [
      "another version's file",
      /not a file of this version/,
      async (file) => change(await make(file), "PRAGMA user_version = 99"),
    ],
    [
      "another user's file",
      /belongs to another user/,
      async (file) => {
        await make(file);
        vi.spyOn(process, "geteuid").mockReturnValueOnce(123_456);
      },
    ],
  ])("is refused and stays unchanged when it is %s", async (_, reason, prepare) => {
    const data = temporaryFile();
    await prepare(data);
    fs.chmodSync(data, 0o744);
    const contentOf = () => fs.statSync(data).isFile() && fs.readFileSync(data);
    const before = contentOf();

    const start = startService({ data });

    await expect(start).rejects.toThrow(DataFileError);
    await expect(start).rejects.toThrow(reason);
    expect([modeOf(data), contentOf()]).toEqual([0o744, before]);
  });

  it("is refused to root in a directory that other users can write to", async () => {
    const data = temporaryFile();
    fs.chmodSync(dirname(data), 0o1777);
    vi.spyOn(process, "geteuid").mockReturnValueOnce(0);

    await expect(startService({ data })).rejects.toThrow("other users can write to the directory");

    expect(fs.existsSync(data)).toBe(false);
  });

  it("needs a name and a directory, and serves one service at a time", async () => {
    const data = temporaryFile();
    await startService({ data });

    const start = (file: string) => startService({ data: file });

    await expect(start("")).rejects.toThrow("it has no name.");
    await expect(start("/nowhere/a.db")).rejects.toThrow("its directory does not exist.");
    await expect(start(data)).rejects.toThrow("another process uses it.");
  });

  it("is free again after a start that fails", async () => {
    const data = temporaryFile();
    const { port } = await startService();
    await expect(startService({ data, port })).rejects.toMatchObject({ code: "EADDRINUSE" });

    await expect(startService({ data })).resolves.toMatchObject({ webhooks: [] });
  });

  it("holds nothing of a creation that it cannot store", async () => {
    const service = await startService({ data: temporaryFile() });
    const run = vi.spyOn(Object.getPrototypeOf(someStatement()), "run").mockImplementation(() => {
      throw new Error("disk is full");
    });
    onTestFinished(() => run.mockRestore());

    const { statusCode } = await service.create();

    expect([statusCode, service.webhooks, service.counts.created]).toEqual([500, [], 0]);
  });
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

function someStatement() {
  return new DatabaseSync(":memory:").prepare("SELECT 1");
}
