import { expect, it, onTestFinished, vi } from "vitest";
import type * as Client from "../../../src/api/client.ts";
import {
  type ClientContext,
  createWebhook,
  deleteWebhook,
  listWebhooks,
} from "../../../src/api/client.ts";
import type { HttpOutcome } from "../../../src/api/http-exchange.ts";
import { listed, someSettings } from "../../helpers/builders.ts";
import { endedWith, response } from "../../helpers/transport.ts";

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
    const client = await import("../../../src/api/client.ts");
    const send = vi.fn(async () => endedWith(response(200)));
    const context = { settings: someSettings(), send, onDelay: vi.fn() };

    await expect(run(client, context)).rejects.toThrow();
    expect(send).not.toHaveBeenCalled();
  },
);

/** Calls an operation of the client, whose request ends with this response. */
async function callWith<Result>(
  outcome: HttpOutcome,
  run: (context: ClientContext) => Promise<Result>,
) {
  return run({ settings: someSettings(), send: async () => endedWith(outcome), onDelay: vi.fn() });
}

const withBody = (body: string): HttpOutcome => ({ kind: "response", statusCode: 200, body });

const noIds = ['"a"', "-1", "1.5", "1e300", '"1e3"'].map((id) => `{"id":${id}}`);

it.each(["", "<html>", "[]", ...noIds])("A creation is in doubt after %s", async (body) => {
  const creation = await callWith(withBody(body), (context) => createWebhook(context, webhook));

  expect(creation).toMatchObject({ kind: "inDoubt", call: { unusable: "body" } });
});

it.each([
  ["refusal", '{"success":false}'],
  ["body", "{}"],
  ["body", "<html>"],
])("A deletion fails because of the %s, after %s", async (unusable, body) => {
  const deletion = await callWith(withBody(body), (context) =>
    deleteWebhook(context, { databaseId: "base_1", id: "1" }),
  );

  expect(deletion).toMatchObject({ kind: "failed", call: { unusable } });
});

it.each<[string, HttpOutcome]>([
  ["no list", withBody("{}")],
  ["an error", response(500)],
  ["no response", { kind: "noResponse", cause: "timeout" }],
])("A list is empty and incomplete after %s", async (_case, outcome) => {
  const list = await callWith(outcome, (context) => listWebhooks(context, "base_1", () => true));

  expect(list).toMatchObject({ webhooks: [], isComplete: false, call: { outcome } });
});

it.each<[text: string, url: string, isUsable: boolean]>([
  ["2,048 characters", "https://a.example/".padEnd(2_048, "x"), true],
  ["2,049 characters", "https://a.example/".padEnd(2_049, "x"), false],
  ["an emoji with a variation selector", "https://a.example/\u2764\ufe0f", true],
  ["a colour of Pulumi's CLI", "https://a.example/<{%x", false],
])("A listed url with %s is usable or not", async (_text, url, isUsable) => {
  const outcome = response(200, undefined, { webhooks: [listed({ url })] });

  const list = await callWith(outcome, (context) => listWebhooks(context, "base_1", () => true));

  expect(list).toMatchObject({ webhooks: isUsable ? [{ url }] : [], isComplete: isUsable });
});

it("A body that is too large is neither a webhook, nor a list, nor an empty confirmation", async () => {
  const outcome: HttpOutcome = { kind: "response", statusCode: 200, body: undefined };
  const call = { unusable: "tooLarge" };
  const key = { databaseId: "base_1", id: "17" };

  expect([
    await callWith(outcome, (context) => createWebhook(context, webhook)),
    await callWith(outcome, (context) => listWebhooks(context, "base_1", () => true)),
    await callWith(outcome, (context) => deleteWebhook(context, key)),
  ]).toMatchObject([
    { kind: "inDoubt", call },
    { webhooks: [], isComplete: false, call },
    { kind: "failed", call },
  ]);
});

it("A list shows its ids alone if the caller cannot use one of its webhooks", async () => {
  const outcome = response(200, undefined, { webhooks: [listed(), listed({ id: 18 })] });

  const list = await callWith(outcome, (context) =>
    listWebhooks(context, "base_1", ({ id }) => id !== "17"),
  );

  const call = { unusable: "entries" };
  expect(list).toMatchObject({ ids: ["17", "18"], webhooks: [], isComplete: false, call });
});
