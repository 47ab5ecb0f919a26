import { chmodSync, copyFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  DataFileError,
  type LocalServiceOptions,
  startLocalService,
} from "../../src/local-service/index.js";
import { temporaryDirectory } from "../helpers/directory.js";
import { refusedUrl } from "../helpers/http-server.js";
import { createWebhook, startService, webhookBody } from "../helpers/local-service.js";

vi.mock("node:fs", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs")>();
  return { ...original, chmodSync: vi.fn(original.chmodSync) };
});

describe("a start with a pending delivery", () => {
  it.each(["{broken", "null"])(
    "names the file when its event is %s, and does not listen",
    async (event) => {
      const data = await fileWithPendingDelivery();
      const database = new DatabaseSync(data);
      database.prepare("UPDATE deliveries SET event = ?").run(event);
      database.close();

      const { error, isFree } = await failedStart({ data });

      expect(error).toBeInstanceOf(DataFileError);
      expect(String(error)).toBe(
        `DataFileError: The data file ${data} cannot be used: a pending delivery in it cannot be read. Use another file, or a copy that is whole.`,
      );
      expect(isFree).toBe(true);
    },
  );

  it("does not listen any more when it fails later", async () => {
    const data = await fileWithPendingDelivery();
    const now = () => {
      throw new Error("a bad clock");
    };

    const { error, isFree } = await failedStart({ data, now });

    expect(String(error)).toBe("Error: a bad clock");
    expect(isFree).toBe(true);
    await (await startLocalService({ data })).close();
  });
});

describe("the file of data", () => {
  it.each([":memory:", "file:service.db?mode=memory", "file::memory:", "service.db"])(
    "is a file under the name %s, too",
    async (data) => {
      const directory = dirname(temporaryFile());
      const before = process.cwd();
      process.chdir(directory);
      onTestFinished(() => process.chdir(before));
      const first = await startLocalService({ data });
      await createWebhook(first);
      await first.close();

      const second = await startService({ data });

      expect(second.webhooks).toHaveLength(1);
      expect(readdirSync(directory)).toContain(data);
    },
  );

  it("must have a name", async () => {
    await expect(startLocalService({ data: "" })).rejects.toThrow(
      new DataFileError('""', "it has no name. Name a file"),
    );
  });

  it("is hidden from others when they could read it, with its log", async () => {
    const data = temporaryFile();
    await (await startLocalService({ data })).close();
    chmodSync(data, 0o644);

    const service = await startService({ data });
    await createWebhook(service);

    expect([data, `${data}-wal`].map(modeOf)).toEqual([0o600, 0o600]);
  });

  it("is hidden with a log that a killed process left", async () => {
    const data = temporaryFile();
    const first = await startLocalService({ data });
    await createWebhook(first);
    const copy = temporaryFile();
    for (const end of ["", "-wal"]) {
      copyFileSync(`${data}${end}`, `${copy}${end}`);
      chmodSync(`${copy}${end}`, 0o644);
    }
    await first.close();

    const second = await startService({ data: copy });

    expect(second.webhooks).toHaveLength(1);
    expect([copy, `${copy}-wal`].map(modeOf)).toEqual([0o600, 0o600]);
  });

  it("must be a regular file: a device keeps its mode", async () => {
    // Whoever is root would change the device for everybody.
    vi.mocked(chmodSync)
      .mockClear()
      .mockImplementationOnce(() => {});
    onTestFinished(() => void vi.mocked(chmodSync).mockReset());

    await expect(startLocalService({ data: "/dev/null" })).rejects.toThrow(
      new DataFileError("/dev/null", "it is not a regular file. Name another file"),
    );

    expect(chmodSync).not.toHaveBeenCalled();
  });

  it("may exist and be empty, and is hidden from others then, with its log", async () => {
    const data = temporaryFile();
    writeFileSync(data, "", { mode: 0o644 });
    chmodSync(data, 0o644);

    const service = await startService({ data });
    await createWebhook(service);

    expect([data, `${data}-wal`].map(modeOf)).toEqual([0o600, 0o600]);
  });

  it("keeps its mode when it is somebody else's", async () => {
    const data = temporaryFile();
    writeFileSync(data, "This is a text, and somebody may need it.".repeat(50), { mode: 0o644 });
    chmodSync(data, 0o644);

    await expect(startLocalService({ data })).rejects.toThrow("not a file of the local service");

    expect(modeOf(data)).toBe(0o644);
  });
});

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

function temporaryFile(): string {
  const directory = temporaryDirectory();
  onTestFinished(() => directory.remove());
  return `${directory.path}/service.db`;
}

async function fileWithPendingDelivery(): Promise<string> {
  const data = temporaryFile();
  await using service = await startLocalService({ data });
  await createWebhook(service, { body: webhookBody({ url: await refusedUrl() }) });
  const attempted = service.nextDelivery({ stage: "attempted" });
  service.emit({ type: "record.created", databaseId: "base_1" });
  await attempted;
  return data;
}

/** How a start ends that must fail, and whether its port is free afterwards. */
async function failedStart(options: LocalServiceOptions) {
  const port = Number(new URL(await refusedUrl()).port);
  const error: unknown = await startLocalService({ ...options, port }).then(
    (service) => service.close(),
    (reason) => reason,
  );
  const isFree = await new Promise<boolean>((resolve) => {
    const server = createServer()
      .once("error", () => resolve(false))
      .listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
  return { error, isFree };
}
