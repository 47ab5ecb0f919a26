import { describe, expect, it } from "vitest";
import { errorBody, someArgs, wrapped } from "../helpers/builders.ts";
import type { StubResponse } from "../helpers/http-server.ts";
import { startWithService } from "../helpers/provider-with-service.ts";

const deleted: StubResponse = { body: { success: true, message: "Webhook deleted" } };
const notFound: StubResponse = { statusCode: 404, body: errorBody("NOT_FOUND") };
const warning = expect.stringMatching(/^warning: .*webhook 17 /);
const rateLimited: StubResponse = { statusCode: 429, headers: { "retry-after": "0" } };
/** A proxy may send this response although the service has carried out the request. */
const unavailable: StubResponse = { statusCode: 503, headers: { "retry-after": "0" } };

describe("A deletion", () => {
  it.each([
    { kind: "default", advice: "set DBWEBHOOKS_BASE_URL to" },
    { kind: "explicit", advice: "give the Provider its former address and key" },
  ])("by the $kind provider sends nothing to another base URL, and says: $advice", async (row) => {
    const isExplicit = String(row.kind === "explicit");
    const provider = await startWithService(deleted, { isExplicit });
    const other = await startWithService(deleted);

    const refusal = { kind: "notDeleted", message: expect.stringContaining(row.advice) };
    await expect(provider.delete("17", other.state)).rejects.toMatchObject(refusal);
    expect([...provider.requests, ...other.requests]).toEqual([]);
  });

  it("by the default provider during an update advises to set the base URL back to the old one", async () => {
    const { check, delete: remove, state } = await startWithService(deleted);
    // Pulumi checks arguments only when it runs the program.
    await check({}, someArgs());

    const deletion = remove("17", { ...state, baseUrl: "https://a.example" });

    await expect(deletion).rejects.toThrow("back to https://a.example");
  });

  it("goes to the current base URL if the webhook was created at a former one", async () => {
    const former = "https://former.example.com";
    const provider = await startWithService(deleted, { formerBaseUrls: `https://a.a,${former}/` });
    // `additionalSecretOutputs` can make it a secret, which some versions of Pulumi pass wrapped.
    const state = { ...provider.state, baseUrl: wrapped(`${former}/`) };

    await provider.delete("17", state);

    expect(provider.requests).toMatchObject([
      { method: "DELETE", path: "/eu/api/v1/bases/base_abc123/webhooks/17" },
    ]);
  });

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
  const repeatedWaits = [rateLimited, rateLimited, rateLimited, rateLimited, deleted];
  const notFoundCode = { statusCode: 404, body: { error: { code: "NOT_FOUND" } } };
  it.each<[string, responses: StubResponse[], lines: unknown[]]>([
    ["a warning when the service has no such webhook", [rateLimited, notFound], [warning]],
    ["a warning when the service returns NOT_FOUND without a message", [notFoundCode], [warning]],
    ["a line about repeated waits", repeatedWaits, [expect.stringMatching(/^info: .*wait/)]],
    ["no warning when an earlier attempt may have deleted it", maybeDeleted, []],
  ])("succeeds with %s", async (_case, responses, lines) => {
    const provider = await startWithService(responses, { retrySeconds: "60" });

    await provider.delete("17", provider.state);

    expect(provider.methods()).toEqual(responses.map(() => "DELETE"));
    expect(provider.lines).toEqual(lines);
  });

  it("succeeds without a warning when the provider has deleted the webhook before", async () => {
    const provider = await startWithService([deleted, notFound]);
    await provider.delete("17", provider.state);

    await provider.delete("17", provider.state);

    expect(provider.lines).toEqual([]);
  });

  it.each<[string, StubResponse]>([
    ["a redirect", { ...deleted, statusCode: 300 }],
    ["410 in place of 404", { ...notFound, statusCode: 410 }],
    ["404 with another code", { statusCode: 404, body: errorBody("NO_ROUTE") }],
    ["success as a string", { body: { success: "true" } }],
  ])("fails and is not retried when the service returns %s", async (_case, response) => {
    const provider = await startWithService([response, deleted], { retrySeconds: "60" });

    const deletion = provider.delete("17", provider.state);

    await expect(deletion).rejects.toMatchObject({ kind: "notDeleted" });
    expect(provider.methods()).toEqual(["DELETE"]);
  });
});
