import { expect, it } from "vitest";
import { start } from "../helpers/commands.ts";
import { withDirectory, writeFiles } from "../helpers/directory.ts";
import { expectToSurviveFaultyRequests } from "../helpers/faulty-requests.ts";
import { endGroup, receiverPort } from "../helpers/guide.ts";
import { startService } from "../helpers/local-service.ts";
import { codeBlocks, readPage, sectionOf } from "../helpers/markdown.ts";

const page = readPage("docs/receive-and-verify.md");

it.each(["TypeScript", "Python", "Go"])(
  "A receiver of docs/receive-and-verify.md survives faults and handles a repeated event once: %s",
  async (heading) => {
    const port = receiverPort();
    const section = sectionOf(page, heading).replaceAll("9000", port);
    const [, file = ""] = /Save this as `(.+?)`/.exec(section) ?? [];
    const [program, commands] = codeBlocks(section).map(({ text }) => text);
    const address = `http://127.0.0.1:${port}`;
    const service = await startService({ deliveries: { deliverTo: address } });
    const ORDERS_WEBHOOK_SECRET = await service.subscribe("https://example.com/hooks/orders");

    await withDirectory(async (directory) => {
      await writeFiles(directory, { [file]: program });
      const environment = { ORDERS_WEBHOOK_SECRET, npm_config_prefer_offline: "true" };
      const options = { directory, environment, isGroupLeader: true };
      const receiver = start("bash", ["-euc", commands ?? ""], options);
      const event = { type: "record.created", databaseId: "base_1", id: "evt_1" } as const;
      const emit = () => service.emit(event).finished;
      try {
        await expectToSurviveFaultyRequests(Number(port));
        // The local service retries until the commands have installed and started the receiver.
        const deliveries = [...(await emit()), ...(await emit())];
        const { status } = await fetch(address, {
          method: "POST",
          headers: {
            "webhook-id": "evt_2",
            "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
            "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")}`,
          },
          body: "{}",
        });

        const delivered = { outcome: "delivered" };
        expect(deliveries, receiver.output()).toMatchObject([delivered, delivered]);
        expect(status).toBe(401);
        expect(receiver.output().match(/^record\.created evt_1$/gm)).toHaveLength(1);
      } finally {
        endGroup(receiver);
        await receiver.result;
      }
    });
  },
);
