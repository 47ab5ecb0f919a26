import { expect, it, onTestFinished, vi } from "vitest";
import type * as Client from "../../src/api/client.ts";
import { someSettings } from "../helpers/builders.ts";
import { response } from "../helpers/transport.ts";

const webhook = { databaseId: "base_1", url: "https://a.example", events: ["record.created"] };

it.each<[string, (client: typeof Client, context: Client.ClientContext) => Promise<unknown>]>([
  ["creation", (client, context) => client.createWebhook(context, webhook)],
  ["list", (client, context) => client.listWebhooks(context, "base_1", () => true)],
  [
    "deletion",
    (client, context) => client.deleteWebhook(context, { databaseId: "base_1", id: "1" }),
  ],
])(
  "A %s sends nothing when its response could not be parsed, because zod cannot be loaded",
  async (_operation, run) => {
    vi.doMock("zod/mini", () => {
      throw new Error("there is no zod");
    });
    onTestFinished(() => {
      vi.doUnmock("zod/mini");
      vi.resetModules();
    });
    vi.resetModules();
    const client = await import("../../src/api/client.ts");
    const sendRequest = vi.fn(async () => ({
      outcome: response(200),
      earlierOutcomes: [],
      elapsedMs: 0,
    }));
    const context = { settings: someSettings(), transport: { sendRequest }, onDelay: vi.fn() };

    await expect(run(client, context)).rejects.toThrow();
    expect(sendRequest).not.toHaveBeenCalled();
  },
);
