import { describe, expect, it } from "vitest";
import * as client from "../../../src/api/client.ts";
import type { HttpRequest } from "../../../src/api/http-exchange.ts";
import { classOf } from "../../../src/api/response-class.ts";
import * as responses from "../../../src/api/schemas.ts";
import type { Send } from "../../../src/api/transport.ts";
import { eventTypes } from "../../../src/common/event-types.ts";
import { webhookFields } from "../../../src/common/webhook-fields.ts";
import { operations, schemas } from "../../helpers/api-document.ts";
import { someSettings } from "../../helpers/builders.ts";
import { startService, webhookBody } from "../../helpers/local-service.ts";
import { endedWith, response } from "../../helpers/transport.ts";

const newWebhook = webhookBody({ tableId: "tbl_orders" });
const { required = [], properties = {} } = schemas.NewWebhook ?? {};

const ok = { statusCode: 200 };

describe("The description of the API", () => {
  it("has the event types of the code", () => {
    expect(schemas.EventType?.enum).toEqual(eventTypes);
  });

  it("has the methods, paths and fields of the client's requests", async () => {
    const sent = await requestsOfClient();

    const described = operations.map(({ method, path }) => `${method} ${path}`);
    const names = sent.map(({ method, url }) => `${method} ${decodeURIComponent(url.pathname)}`);
    expect(names.toSorted()).toEqual(described.toSorted());
    const fields = sent.flatMap(({ body }) => Object.keys(body ?? {}));
    expect(fields.toSorted()).toEqual(Object.keys(properties).toSorted());
  });

  it("has the fields of a webhook in the body of a creation, and the database in its path", () => {
    expect(["databaseId", ...Object.keys(properties)].toSorted()).toEqual(webhookFields.toSorted());
  });

  it("has the paths of the local service, and all methods that these support", async () => {
    const service = await startService();
    const paths = Map.groupBy(operations, ({ path }) => path);

    for (const [path, described] of paths) {
      const { headers } = await service.send({ method: "PUT", path });

      const allowed = String(headers.allow).split(", ");
      const methods = described.map(({ method }) => method);
      // HTTP has HEAD wherever it has GET (RFC 9110, section 9.3.2).
      expect(allowed.filter((method) => method !== "HEAD").toSorted()).toEqual(methods.toSorted());
    }
  });

  it("requires the fields of a creation without which the local service refuses it", async () => {
    const service = await startService();
    const isRefused = async (name: string) => {
      const { statusCode } = await service.create({ body: { ...newWebhook, [name]: undefined } });
      return statusCode === 400;
    };

    const refused = await Promise.all(Object.keys(properties).map(isRefused));

    expect(Object.keys(properties).filter((_, at) => refused[at])).toEqual(required);
  });

  it.each([
    {
      name: "CreatedWebhook",
      isUsable: (body: string) => {
        const { id, secret } = responses.parseCreatedWebhook(body) ?? {};
        return id !== undefined && secret !== undefined;
      },
    },
    {
      name: "Deletion",
      isUsable: (body: string) => responses.parseDeletion(body) !== undefined,
    },
    {
      name: "WebhookList",
      isUsable: (body: string) => responses.parseWebhookList(body, ok) !== undefined,
    },
    {
      name: "ListedWebhook",
      isUsable: (body: string) =>
        responses.parseWebhookList(`{ "webhooks": [${body}] }`, ok)?.webhooks !== undefined,
    },
    {
      name: "NotFoundError",
      isUsable: (body: string) =>
        classOf({ kind: "response", statusCode: 404, body }) === "notFound",
    },
  ])("requires the fields without which the client cannot use a $name", ({ name, isUsable }) => {
    const { required = [], examples: [example = {}] = [] } = schemas[name] ?? {};

    const isNeeded = (field: string) =>
      !isUsable(JSON.stringify({ ...example, [field]: undefined }));
    const needed = Object.keys(example).filter(isNeeded);

    expect(isUsable(JSON.stringify(example))).toBe(true);
    expect(required).toEqual(expect.arrayContaining(needed));
    expect(needed).not.toEqual([]);
  });
});

/**
 * Returns one request of each operation of the client, whose path parameters have their own names
 * as values.
 */
async function requestsOfClient(): Promise<HttpRequest[]> {
  const sent: HttpRequest[] = [];
  const send: Send = async (request) => {
    sent.push(request);
    return endedWith(response(400));
  };
  const context = { settings: someSettings(), send, onDelay: () => undefined };
  const databaseId = "{databaseId}";
  const body = newWebhook as Omit<client.NewWebhook, "databaseId">;
  await client.createWebhook(context, { ...body, databaseId });
  await client.listWebhooks(context, databaseId, () => true);
  await client.deleteWebhook(context, { databaseId, id: "{webhookId}" });
  return sent;
}
