import { createServer } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  DataFileError,
  type LocalServiceOptions,
  startLocalService,
} from "../../src/local-service/index.js";
import { temporaryDirectory } from "../helpers/directory.js";
import { refusedUrl } from "../helpers/http-server.js";
import { createWebhook, webhookBody } from "../helpers/local-service.js";

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
