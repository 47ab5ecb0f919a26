import { describe, expect, it, vi } from "vitest";
import type { HttpOutcome } from "../../src/api/send-once.ts";
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
import { connectionLost, dnsFailure, response, unsent } from "../helpers/transport.ts";

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

  it.each<[string, StubResponse]>([
    ["success: true with the status 202", { ...deleted, statusCode: 202 }],
    ["only white space", { body: " \n" }],
  ])("succeeds when the service returns %s", async (_case, response) => {
    const provider = await startWithService(response);

    await provider.delete("17", provider.state);

    expect(provider.methods()).toEqual(["DELETE"]);
    expect(provider.lines).toEqual([]);
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

/** Deletes webhook 17. The service returns 404 NOT_FOUND, and its list ends like this. */
async function deleteAbsent(listing: string | undefined, list: HttpOutcome) {
  const ended = { earlierOutcomes: [], elapsedMs: 0 };
  const outcome = response(404, undefined, errorBody("NOT_FOUND"));
  using sendRequest = vi
    .spyOn(Transport.prototype, "sendRequest")
    .mockImplementation(async ({ kind }) => ({
      ...ended,
      outcome: kind === "list" ? list : outcome,
    }));
  const { delete: remove, lines } = startProvider({ listing });
  const end = await remove("17", someState()).then(
    () => "done",
    ({ kind }) => kind,
  );
  return { end, lines, requests: sendRequest.mock.calls.map(([{ kind }]) => kind) };
}

const ofList = (...webhooks: readonly object[]) => response(200, undefined, { webhooks });
const refusalWith = (code: string, statusCode = 404) =>
  response(statusCode, undefined, errorBody(code));
const gone = { end: "done", lines: [expect.stringMatching(/^info: .*webhook 17 /)] };
const perhapsGone = { end: "done", lines: [expect.stringMatching(/^warning: .*webhook 17 /)] };
const fails = { end: "notDeleted", lines: [] };

// A key without access to the database gets 404 NOT_FOUND for every webhook.
describe("A deletion that gets 404", () => {
  const statusOf = (statusCode: number): [string, HttpOutcome] => [
    `gets ${statusCode}`,
    response(statusCode),
  ];

  it.each<[string, HttpOutcome]>([
    ["holds the webhook", ofList(listed())],
    [
      "holds an unusable entry with its id",
      ofList(listed({ id: 18, url: "\n" }), listed({ url: "\n" })),
    ],
    ["gets NOT_FOUND too", refusalWith("NOT_FOUND")],
    ["gets no complete response", connectionLost],
    ["gets no connection", dnsFailure],
    ["is not sent, because Pulumi stops", unsent("stopping")],
    ...[300, 399, 401, 403, 408, 425, 429, 500, 502, 599].map(statusOf),
  ])("fails unless listing is false when the list %s", async (_case, list) => {
    const requests = ["delete", "list"];

    expect(await deleteAbsent(undefined, list)).toEqual({ ...fails, requests });
    expect(await deleteAbsent("true", list)).toEqual({ ...fails, requests });
  });

  it.each<[string, HttpOutcome]>([
    ["is an operation that the service does not have", response(404)],
    ["gets 404 with another code", refusalWith("NO_ROUTE")],
    ["gets NOT_FOUND with another status", refusalWith("NOT_FOUND", 400)],
    ["may be incomplete", response(200, undefined, { webhooks: [], next: 1 })],
    ["holds another unusable entry", ofList(listed({ id: 18, url: "\n" }))],
    ["is no list", response(200)],
    ...[299, 400, 402, 405, 410, 501].map(statusOf),
  ])(
    "is done with a warning if listing is not set, and fails if it is true, when the list %s",
    async (_case, list) => {
      expect(await deleteAbsent(undefined, list)).toMatchObject(perhapsGone);
      expect(await deleteAbsent("true", list)).toMatchObject(fails);
    },
  );

  it("is done, with a line of information, when the complete list does not hold the webhook", async () => {
    const list = ofList(listed({ id: 18 }));

    expect(await deleteAbsent(undefined, list)).toMatchObject(gone);
    expect(await deleteAbsent("true", list)).toMatchObject(gone);
  });

  it("is done with a warning and without a list if listing is false, also after a 502", async () => {
    const responses = [{ statusCode: 502 }, notFound];
    const settings = { listing: "false", retrySeconds: "60" };
    const provider = await startWithService(responses, settings);

    await provider.delete("17", provider.state);

    expect(provider.methods()).toEqual(["DELETE", "DELETE"]);
    expect(provider.lines.at(-1)).toMatch(/^warning: .*webhook 17 /);
  });

  it("does not use the list that a refresh has read", async () => {
    const lists = [listOf(listed()), notFound, listOf()];
    const provider = await startWithService(lists, { listing: "true" });
    await provider.read("17", provider.state);

    await provider.delete("17", provider.state);

    expect(provider.methods()).toEqual(["GET", "DELETE", "GET"]);
  });

  it.each([
    ["is gone", listOf()],
    ["counts as gone", { statusCode: 405 }],
  ])(
    "knows afterwards that the webhook %s, so that a creation may return its number",
    async (_, list) => {
      const created: StubResponse = { body: { id: 17, secret } };
      const provider = await startWithService([notFound, list, created]);
      await provider.delete("17", provider.state);

      expect(await provider.create(someArgs())).toMatchObject({ id: "17" });
    },
  );
});
