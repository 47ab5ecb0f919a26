import { describe, expect, it } from "vitest";
import type { HttpOutcome, HttpResponse } from "../../../src/api/http-exchange.ts";
import {
  errorBody,
  listed,
  listOf,
  nestedBody,
  nestedError,
  someState,
} from "../../helpers/builders.ts";
import { errorOf } from "../../helpers/errors.ts";
import { type StubResponse, startRawServer } from "../../helpers/http-server.ts";
import { startProvider } from "../../helpers/provider.ts";
import { startWithService } from "../../helpers/provider-with-service.ts";
import {
  connectionLost,
  endedWith,
  response,
  stubTransport,
  unsent,
} from "../../helpers/transport.ts";

const deleted: StubResponse = { body: { success: true, message: "Webhook deleted" } };
const notFound: StubResponse = { statusCode: 404, body: errorBody("NOT_FOUND") };

describe("A deletion", () => {
  it.each(["false", "true"])(
    "sends nothing to another base URL, with an explicit provider: %s",
    async (isExplicit) => {
      const provider = await startWithService(deleted, { isExplicit });
      const other = await startWithService(deleted);

      const error = await errorOf(provider.delete("17", other.state));

      expect(error).toMatchObject({ kind: "notDeleted" });
      expect(error.message).toContain(other.baseUrl);
      expect([...provider.requests, ...other.requests]).toEqual([]);
    },
  );

  it("sends nothing about an entry that names no webhook", async () => {
    const provider = await startWithService(deleted);

    const error = await errorOf(provider.delete("..", provider.state));

    expect(error).toMatchObject({ kind: "notDeleted" });
    expect(provider.requests).toEqual([]);
  });

  it("sends nothing with invalid settings, and the webhook stays in the state", async () => {
    const provider = await startWithService(deleted, { apiKey: undefined });

    const error = await errorOf(provider.delete("17", provider.state));

    expect(error).toMatchObject({ kind: "notDeleted" });
    expect(provider.requests).toEqual([]);
  });

  it.each<[string, StubResponse]>([
    ["success: true with the status 202", { ...deleted, statusCode: 202 }],
    ["204", { statusCode: 204 }],
  ])("succeeds when the service returns %s", async (_case, response) => {
    const provider = await startWithService(response);

    await provider.delete("17", provider.state);

    expect(provider.methods()).toEqual(["DELETE"]);
    expect(provider.lines).toEqual([]);
  });

  it("is sent for a webhook in a database whose id no check would accept", async () => {
    const { delete: remove, state, requests } = await startWithService(deleted);
    const databaseId = "x".repeat(2_049);

    await remove("17", { ...state, databaseId });

    expect(requests).toMatchObject([{ path: expect.stringContaining(databaseId) }]);
  });

  it.each<[string, StubResponse]>([
    ["no body", { body: "" }],
    ["an HTML page", { body: "<!doctype html>" }],
    ["success: false", { body: { success: false } }],
    ["over 1 MiB", { body: { success: true, padding: "x".repeat(1024 * 1024) } }],
  ])(
    "names the way out of the state when the service returns 200 with %s",
    async (_case, response) => {
      const provider = await startWithService(response);

      const { message } = await errorOf(provider.delete("17", provider.state));

      expect(message).toContain("pulumi state delete");
    },
  );

  it("names the way out of the state when no response can be read", async () => {
    const response = "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\n b=2\r\nContent-Length: 0\r\n\r\n";
    await using server = await startRawServer((socket) => socket.end(response));
    const provider = startProvider({ baseUrl: server.url, retrySeconds: "0" });

    const { message } = await errorOf(provider.delete("17", someState({ baseUrl: server.url })));

    expect(message).toMatch(/Response does not match the HTTP\/1\.1 protocol.*pulumi state delete/);
  });

  it.each<[string, StubResponse]>([
    ["410 in place of 404", { ...notFound, statusCode: 410 }],
    ["404 with another code", { statusCode: 404, body: errorBody("NO_ROUTE") }],
    // A firewall that first asks for a proof sends this.
    ["202 without a body", { statusCode: 202, body: "" }],
    ["200 without a body", { body: "" }],
    ["203 without a body", { statusCode: 203, body: "" }],
    ["205 without a body", { statusCode: 205, body: "" }],
    ["success as a string", { body: { success: "true" } }],
    ["20,000 nested arrays", { body: nestedBody }],
    ["404 with an error of nested arrays", { statusCode: 404, body: nestedError }],
  ])("fails and is not retried when the service returns %s", async (_case, response) => {
    const provider = await startWithService([response, deleted], { retrySeconds: "60" });

    const deletion = provider.delete("17", provider.state);

    await expect(deletion).rejects.toMatchObject({ kind: "notDeleted" });
    expect(provider.methods()).toEqual(["DELETE"]);
  });
});

/** Deletes webhook 17. The service returns 404 NOT_FOUND, and its list ends like this. */
async function deleteAbsent(listing: string | undefined, list: HttpOutcome) {
  const outcome = response(404, undefined, errorBody("NOT_FOUND"));
  const requests: string[] = [];
  const transport = stubTransport(async (request) => {
    requests.push(request.method);
    return endedWith(request.method === "GET" ? list : outcome);
  });
  const { delete: remove, lines } = startProvider({ listing }, { transport });
  const end = await remove("17", someState()).then(
    (result) => result,
    ({ kind }) => kind,
  );
  return { end, lines, requests };
}

const ofList = (...webhooks: readonly unknown[]) => response(200, undefined, { webhooks });
const stored = (list: HttpOutcome): HttpOutcome => ({
  ...(list as HttpResponse),
  extent: { isStored: true, mayBePartial: false, totalCounts: [] },
});
const ofListWith = (fields: object) => response(200, undefined, { webhooks: [], ...fields });
const refusalWith = (code: string, statusCode = 404) =>
  response(statusCode, undefined, errorBody(code));

type End = "done" | "done with a warning" | "fails";
const ends: Readonly<Record<End, object>> = {
  done: { end: undefined, lines: [expect.stringMatching(/^info: .*webhook 17 /)] },
  "done with a warning": {
    end: undefined,
    lines: [expect.stringMatching(/^warning: .*webhook 17 /)],
  },
  fails: { end: "notDeleted", lines: [] },
};

// A key without access to the database gets 404 NOT_FOUND for every webhook.
describe("A deletion that gets 404", () => {
  const statusOf = (statusCode: number) => response(statusCode);
  const unusable = listed({ url: "\n" });
  const htmlPage: HttpOutcome = { kind: "response", statusCode: 200, body: "<!doctype html>" };

  it.each<[list: string, HttpOutcome, End]>([
    ["does not hold the webhook", ofList(listed({ id: 18 })), "done"],
    ["holds the webhook", ofList(listed()), "fails"],
    [
      "has unusable entries, one with its id",
      ofList({ ...unusable, id: 18 }, { ...unusable, id: 17 }),
      "fails",
    ],
    ["has another unusable entry", ofList({ ...unusable, id: 18 }), "done with a warning"],
    ["has no entry with an id", ofList("denied", { ...unusable, id: "a" }), "fails"],
    ["has an error", ofListWith({ error: { code: "FORBIDDEN" } }), "fails"],
    ["may be incomplete", ofListWith({ next: 1 }), "done with a warning"],
    ["is stored, without the webhook", stored(ofList(listed({ id: 18 }))), "done with a warning"],
    ["is stored, with the webhook", stored(ofList(listed())), "fails"],
    ["has a field for an error, without one", ofListWith({ error: "" }), "done with a warning"],
    ["has an error as text", ofListWith({ error: "forbidden" }), "fails"],
    ["is an object without webhooks", statusOf(200), "fails"],
    ["is an HTML page", htmlPage, "fails"],
    ["gets 202 without a body", { ...htmlPage, statusCode: 202, body: "" }, "fails"],
    ["gets 204", { ...htmlPage, statusCode: 204, body: "" }, "fails"],
    ["is larger than 1 MiB", { ...htmlPage, body: undefined }, "fails"],
    ["has success: false", ofListWith({ success: false }), "fails"],
    ["gets 404 NOT_FOUND", refusalWith("NOT_FOUND"), "fails"],
    ["gets 405", statusOf(405), "done with a warning"],
    ["gets 401", statusOf(401), "fails"],
    ["gets 500", statusOf(500), "fails"],
    ["is cut off by a reset", connectionLost, "fails"],
    ["is not requested, because Pulumi stops", unsent("stopping"), "fails"],
  ])("ends as the list says, unless listing is false: the list %s", async (_case, list, end) => {
    const withList = { ...ends[end], requests: ["DELETE", "GET"] };

    expect(await deleteAbsent(undefined, list)).toEqual(withList);
    expect(await deleteAbsent("true", list)).toEqual(withList);
    const withoutList = { ...ends["done with a warning"], requests: ["DELETE"] };
    expect(await deleteAbsent("false", list)).toEqual(withoutList);
  });

  it("and whose list gets NOT_FOUND too, does not blame the request for the list", async () => {
    const provider = await startWithService([notFound, notFound]);

    const error = await errorOf(provider.delete("17", provider.state));

    expect(error).toMatchObject({ kind: "notDeleted" });
    expect(error.message).not.toContain("GET ");
  });

  it.each([
    { id: "9007199254740992", end: "notDeleted" },
    { id: "9007199254740993", end: undefined },
  ])("compares every digit of the id $id with the list", async ({ id, end }) => {
    const list = JSON.stringify({ webhooks: [listed()] }).replace("17", "9007199254740992");
    const provider = await startWithService([notFound, { body: list }]);

    const deletion = provider.delete(id, provider.state).catch(({ kind }) => kind);

    expect(await deletion).toBe(end);
    expect(provider.requests).toMatchObject([{ path: expect.stringContaining(`/${id}`) }, {}]);
  });

  it.each<[string, object[]]>([
    ["usable", [listed()]],
    ["unusable", [listed(), { id: 18 }]],
  ])(
    "and meets a stored %s list with the webhook, blames the cache and no key",
    async (_, list) => {
      const headers = { age: "55" };
      const provider = await startWithService([notFound, { ...listOf(...list), headers }]);

      const error = await errorOf(provider.delete("17", provider.state));

      expect(error).toMatchObject({ kind: "notDeleted" });
      expect(error.message).toContain("cache");
      expect(error.message).not.toMatch(/key/i);
    },
  );

  it("does not use the list that a refresh has read", async () => {
    const lists = [listOf(listed()), notFound, listOf()];
    const provider = await startWithService(lists, { listing: "true" });
    await provider.read("17", provider.state);

    await provider.delete("17", provider.state);

    expect(provider.methods()).toEqual(["GET", "DELETE", "GET"]);
  });
});
