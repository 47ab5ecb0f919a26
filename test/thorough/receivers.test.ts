import { createHmac } from "node:crypto";
import { cp, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { start } from "../helpers/commands.ts";
import { repository, withDirectory, writeFiles } from "../helpers/directory.ts";
import { expectToSurviveFaultyRequests } from "../helpers/faulty-requests.ts";
import { endGroup, receiverPort } from "../helpers/guide.ts";
import { startService } from "../helpers/local-service.ts";
import { codeBlocks, readPage } from "../helpers/markdown.ts";
import { statusOfSigned } from "../helpers/signed-notification.ts";

const blocks = codeBlocks(readPage("docs/receive-and-verify.md")).map(({ text }) => text);
const newSecret = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;

it.each([
  { file: "index.ts", command: "node receiver/index.ts" },
  { file: "receiver.py", command: "python receiver/receiver.py" },
  { file: "main.go", command: "go run ." },
])(
  "The receiver $file of docs/receive-and-verify.md survives faulty requests, reads new secrets without a restart, and handles an event once",
  async ({ file, command }) => {
    const port = Number(receiverPort());
    const address = `http://127.0.0.1:${port}`;
    const service = await startService({ deliverTo: address });
    const secret = await service.subscribe("https://example.com/hooks/orders");
    await withDirectory(async (directory) => {
      const copy = join(directory, "receiver");
      await cp(join(repository, "examples/receiver"), copy, { recursive: true });
      const source = await readFile(join(copy, file), "utf8");
      await writeFiles(copy, { [file]: source.replace("9000", String(port)) });
      await writeFiles(directory, { secrets: secret });
      const environment = {
        SECRETS: join(directory, "secrets"),
        npm_config_prefer_offline: "true",
      };
      const commands = blocks.find((text) => text.includes(command)) ?? "false";
      const options = { directory, environment, isGroupLeader: true };
      const receiver = start("bash", ["-euc", commands], options);
      try {
        await expectToSurviveFaultyRequests(port);

        const event = { type: "record.created", databaseId: "base_1", id: "evt_1" } as const;
        const emitted = [await service.emit(event), await service.emit(event)];
        const before = await statusOfSigned(port, newSecret);
        await writeFiles(directory, { "secrets.next": `whsec_ ${newSecret} ${secret}\n` });
        await rename(join(directory, "secrets.next"), join(directory, "secrets"));
        const during = [await statusOfSigned(port, secret), await statusOfSigned(port, newSecret)];
        const withoutId = await statusOfSigned(port, newSecret, '{"id":""}');
        const forged = await statusOfForged(address);

        expect(emitted, receiver.output()).toMatchObject([
          { deliveries: [{ delivered: true }] },
          { deliveries: [{ delivered: true }] },
        ]);
        expect({ before, during, withoutId, forged }, receiver.output()).toEqual({
          before: 401,
          during: [204, 204],
          withoutId: 400,
          forged: 401,
        });
        expect(receiver.output().match(/^record\.created evt_1/gm)).toHaveLength(1);
      } finally {
        endGroup(receiver);
        await receiver.result;
      }
    });
  },
);

/** Sends a receiver a notification that is signed with an empty key, as everybody can sign it. */
async function statusOfForged(address: string): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = '{"id":"evt_2"}';
  const signature = createHmac("sha256", "").update(`evt_2.${timestamp}.${body}`).digest("base64");
  const headers = {
    "webhook-id": "evt_2",
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
  return (await fetch(address, { method: "POST", headers, body })).status;
}
