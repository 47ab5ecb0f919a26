import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Transport } from "../../src/api/transport.ts";
import {
  errorBody,
  listed,
  listOf,
  nestedBody,
  secret,
  someArgs,
  someState,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/errors.ts";
import type { StubResponse } from "../helpers/http-server.ts";
import { startProvider } from "../helpers/provider.ts";
import { startWithService } from "../helpers/provider-with-service.ts";
import { response } from "../helpers/transport.ts";

const deleted: StubResponse = { body: { success: true, message: "Webhook deleted" } };
const notFound: StubResponse = { statusCode: 404, body: errorBody("NOT_FOUND") };
const warning = expect.stringMatching(/^warning: .*webhook 17 /);
const rateLimited: StubResponse = { statusCode: 429, headers: { "retry-after": "0" } };
/** A proxy may send this response although the service has carried out the request. */
const unavailable: StubResponse = { statusCode: 503, headers: { "retry-after": "0" } };

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

  it.each<[string, StubResponse]>([
    ["success: true with the status 202", { ...deleted, statusCode: 202 }],
    ["only white space", { body: " \n" }],
  ])("succeeds when the service returns %s", async (_case, response) => {
    const provider = await startWithService(response);

    await provider.delete("17", provider.state);

    expect(provider.methods()).toEqual(["DELETE"]);
    expect(provider.lines).toEqual([]);
  });

  const maybeDeleted = [rateLimited, unavailable, rateLimited, notFound];
  const notFoundCode = { statusCode: 404, body: { error: { code: "NOT_FOUND" } } };
  it.each<[string, responses: StubResponse[], lines: unknown[]]>([
    ["a warning when the service has no such webhook", [rateLimited, notFound], [warning]],
    ["a warning when the service returns NOT_FOUND without a message", [notFoundCode], [warning]],
    ["no warning when an earlier attempt may have deleted it", maybeDeleted, []],
  ])("succeeds with %s", async (_case, responses, lines) => {
    const provider = await startWithService(responses, { retrySeconds: "60" });

    await provider.delete("17", provider.state);

    expect(provider.methods()).toEqual(responses.map(() => "DELETE"));
    expect(provider.lines).toEqual(lines);
  });

  it.each<[string, StubResponse]>([
    ["a redirect", { ...deleted, statusCode: 300 }],
    ["410 in place of 404", { ...notFound, statusCode: 410 }],
    ["404 with another code", { statusCode: 404, body: errorBody("NO_ROUTE") }],
    ["success as a string", { body: { success: "true" } }],
    ["20,000 nested arrays", { body: nestedBody }],
    ["404 with nested arrays", { statusCode: 404, body: nestedBody }],
    ["success beside nested arrays", { body: `{"success":true,"a":${nestedBody}}` }],
  ])("fails and is not retried when the service returns %s", async (_case, response) => {
    const provider = await startWithService([response, deleted], { retrySeconds: "60" });

    const deletion = provider.delete("17", provider.state);

    await expect(deletion).rejects.toMatchObject({ kind: "notDeleted" });
    expect(provider.methods()).toEqual(["DELETE"]);
  });
});

// A key without access to the database gets 404 NOT_FOUND too.
describe("A deletion that gets 404, with listing,", () => {
  const listing = { listing: "true" };

  it("succeeds without a warning when the list that is requested afterwards does not hold the webhook", async () => {
    const provider = await startWithService([notFound, listOf(listed({ id: 18 }))], listing);

    await provider.delete("17", provider.state);

    expect(provider.methods()).toEqual(["DELETE", "GET"]);
    expect(provider.lines).toEqual([]);
  });

  const unavailableThenNotFound = [unavailable, notFound];
  it.each<[string, StubResponse[], StubResponse]>([
    ["holds the webhook", [notFound], listOf(listed())],
    [
      "holds it although an earlier attempt may have deleted it",
      unavailableThenNotFound,
      listOf(listed()),
    ],
    ["is incomplete", [notFound], { body: { webhooks: [], next: 1 } }],
    ["is no list", [notFound], { body: "<html>" }],
    ["is not found, as for a key without access", [notFound], notFound],
    ["is refused", [notFound], { statusCode: 403 }],
  ])("fails when the list %s", async (_case, responses, list) => {
    const provider = await startWithService([...responses, list], {
      ...listing,
      retrySeconds: "60",
    });

    const deletion = provider.delete("17", provider.state);

    await expect(deletion).rejects.toMatchObject({ kind: "notDeleted" });
    expect(provider.methods().at(-1)).toBe("GET");
    expect(provider.lines).toEqual([]);
  });

  it("does not use the list that a refresh has read", async () => {
    const lists = [listOf(listed()), notFound, listOf()];
    const provider = await startWithService(lists, listing);
    await provider.read("17", provider.state);

    await provider.delete("17", provider.state);

    expect(provider.methods()).toEqual(["GET", "DELETE", "GET"]);
  });

  it("knows afterwards that the webhook is gone, so that a creation may return its number", async () => {
    const created: StubResponse = { body: { id: 17, secret } };
    const provider = await startWithService([notFound, listOf(), created], listing);
    await provider.delete("17", provider.state);

    expect(await provider.create(someArgs())).toMatchObject({ id: "17" });
  });

  it("shares a list with the deletions that wait for the same request, and with no earlier one", async () => {
    const run = await startHeldLists();
    const first = run.delete("1");
    await run.listRequested();
    const [second, third] = [run.delete("2"), run.delete("3")];
    await run.deletionsResponded(3);

    run.respondToList([listed({ id: 2 }), listed({ id: 3 })]);
    await first;
    await run.listRequested();
    run.respondToList([]);

    await Promise.all([second, third]);
    expect(run.listCount()).toBe(2);
  });
});

/** Starts a provider whose deletions get 404, and whose lists wait for the test. */
async function startHeldLists() {
  const lists: ((webhooks: readonly object[]) => void)[] = [];
  let [listCount, deletionCount] = [0, 0];
  vi.spyOn(Transport.prototype, "sendRequest").mockImplementation(async ({ kind }) => {
    const ended = { earlierOutcomes: [], elapsedMs: 0 };
    if (kind === "delete") {
      deletionCount += 1;
      return { ...ended, outcome: response(404, undefined, errorBody("NOT_FOUND")) };
    }
    listCount += 1;
    const { promise, resolve } = Promise.withResolvers<readonly object[]>();
    lists.push(resolve);
    return { ...ended, outcome: response(200, undefined, { webhooks: await promise }) };
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const provider = startProvider({ listing: "true" });
  return {
    delete: (id: string) => provider.delete(id, someState()),
    listRequested: () => vi.waitFor(() => expect(lists).toHaveLength(1)),
    deletionsResponded: async (count: number) => {
      await vi.waitFor(() => expect(deletionCount).toBe(count));
      await new Promise((resolve) => setImmediate(resolve));
    },
    respondToList: (webhooks: readonly object[]) => lists.shift()?.(webhooks),
    listCount: () => listCount,
  };
}
