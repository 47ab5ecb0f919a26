import { afterEach, describe, expect, it } from "vitest";
import type { WebhookError } from "../../src/core/errors.ts";
import { deleteWebhook } from "../../src/service/client.ts";
import type { HttpOutcome } from "../../src/service/exchange.ts";
import { apiKey, errorBody, someOperation, someSettings, someState } from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { type Answer, startServer } from "../helpers/http-server.ts";
import { someProvider } from "../helpers/provider.ts";
import {
  fakeTransport,
  response,
  restoreWorld,
  settled,
  unanswered,
  unreadable,
  unsent,
} from "../helpers/transport.ts";

afterEach(restoreWorld);

const success = { body: { success: true, message: "Webhook deleted" } };
const notFound = { statusCode: 404, body: errorBody("NOT_FOUND") };

/** Deletes webhook 17 and gives the lines that say so, with the severity of each. */
async function remove(settings: Record<string, string>, changes = {}, id = "17") {
  const { provider, notify, lines } = someProvider(settings);
  await provider.delete(id, someState({ baseUrl: settings.baseUrl, ...changes }), notify);
  return lines;
}

describe("the request that deletes a webhook", () => {
  it("is a DELETE of the webhook in its database", async () => {
    await using server = await startServer(success);

    await remove({ baseUrl: `${server.url}/eu/` }, { databaseId: "a/b c" });

    expect(server.requests).toMatchObject([
      { method: "DELETE", path: "/eu/api/v1/bases/a%2Fb%20c/webhooks/17", body: "" },
    ]);
  });

  it.each([
    ["no baseUrl", "17", { baseUrl: undefined }],
    ["a baseUrl that is none", "17", { baseUrl: "tables" }],
    ["a baseUrl with a user name", "17", { baseUrl: "https://user@tables.example.com" }],
    ["no databaseId", "17", { databaseId: undefined }],
    ["a databaseId that leaves the path", "17", { databaseId: ".." }],
    ["an empty id", "", {}],
    ["an id that leaves the path", "..", {}],
  ])("is not sent for a state with %s", async (_case, id, changes) => {
    await using server = await startServer(success);

    const error = await errorOf(remove({ baseUrl: server.url }, changes, id));

    expect(error).toMatchObject({ kind: "kept" });
    expect(server.requests).toEqual([]);
  });

  it.each([
    ["configured", {}, "current"],
    ["a former one", { formerBaseUrls: "OLD" }, "current"],
    ["another one", { otherBaseUrls: `["https://a.example", "OLD/"]` }, "old"],
    ["neither", { otherBaseUrls: "https://a.example" }, undefined],
  ])("carries the key to no other place than the settings name: %s", async (name, more, place) => {
    await using old = await startServer(success);
    await using current = await startServer(success);
    const settings = Object.fromEntries(
      Object.entries(more).map(([key, value]) => [key, value.replace("OLD", old.url)]),
    );
    const baseUrl = name === "configured" ? current.url : old.url;
    // As an older version of Pulumi hands it over.
    const marked = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

    const state = { baseUrl: { ...marked, value: `${baseUrl}/` } };
    const error = await remove({ baseUrl: current.url, ...settings }, state).then(
      () => undefined,
      (reason: WebhookError) => reason.kind,
    );

    const seen = [old, current].map(({ requests }) =>
      requests.map(({ headers }) => headers.authorization),
    );
    const key = [`Bearer ${apiKey}`];
    expect(seen).toEqual([place === "old" ? key : [], place === "current" ? key : []]);
    expect(error).toBe(place === undefined ? "kept" : undefined);
  });
});

describe("a deletion", () => {
  it.each<[string, Answer]>([
    ["success: true", success],
    ["success: true with status 202", { ...success, statusCode: 202 }],
    ["no content", { statusCode: 204 }],
    ["white space", { body: " \n" }],
  ])("is done with %s, and says nothing", async (_case, answer) => {
    await using server = await startServer(answer, { statusCode: 500 });

    expect(await remove({ baseUrl: server.url })).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ...[301, 400, 401, 403, 410].map((statusCode): [string, Answer] => [
      `${statusCode}`,
      { ...notFound, statusCode },
    ]),
    ["404 without the envelope", { statusCode: 404, body: "<h1>Not found</h1>" }],
    ["404 with another code", { statusCode: 404, body: errorBody("NO_ROUTE") }],
    ["404 with a code at the top", { statusCode: 404, body: { code: "NOT_FOUND" } }],
    ["success: false", { body: { success: false } }],
    ["success as text", { body: { success: "true" } }],
    ["a page", { body: "<html>Sign in</html>" }],
    ["a bare true", { body: "true" }],
  ])("fails at once with %s", async (_case, answer) => {
    await using server = await startServer(answer, success);

    expect(await errorOf(remove({ baseUrl: server.url }))).toMatchObject({ kind: "kept" });
    expect(server.requests).toHaveLength(1);
  });

  it("of what was not there is done, with a warning", async () => {
    await using server = await startServer(notFound);

    expect(await remove({ baseUrl: server.url })).toMatchObject([{ severity: "warning" }]);
  });

  it("of what is not at one of otherBaseUrls fails: the key may not be valid there", async () => {
    await using server = await startServer(notFound);
    const settings = { baseUrl: "https://new.example.com", otherBaseUrls: server.url };

    expect(await errorOf(remove(settings, { baseUrl: server.url }))).toMatchObject({
      kind: "kept",
    });
    expect(server.requests).toHaveLength(1);
  });

  const gone = response(404, undefined, errorBody("NOT_FOUND"));

  it.each<[string, readonly HttpOutcome[], object]>([
    ["gone at the first attempt", [gone], { kind: "absent" }],
    ["gone after one that was not sent", [unsent, gone], { kind: "absent" }],
    ["gone after one that was refused", [response(429), gone], { kind: "absent" }],
    ["gone after one that broke", [unanswered, gone], { kind: "deleted" }],
    ["gone after a 500 that was the first", [response(500), unsent, gone], { kind: "deleted" }],
    ["unreadable", [unreadable], { kind: "failed" }],
    ["unconfirmed", [response(200)], { kind: "failed", failure: { lacks: "confirmation" } }],
    ["refused", [response(403)], { kind: "failed" }],
  ])("says what came of it as data: %s", async (_case, outcomes, expected) => {
    const transport = await fakeTransport((attempt) => outcomes[attempt - 1] ?? response(400));
    const settings = someSettings();
    const context = someOperation().context(settings);
    const address = { baseUrl: settings.baseUrl, databaseId: "base_abc123", id: "17" };

    const deletion = settled(deleteWebhook({ settings, transport }, context, address));

    expect(await deletion).toMatchObject(expected);
    expect(transport.attempts).toHaveLength(outcomes.length);
  });
});
