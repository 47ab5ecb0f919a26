import { describe, expect, it } from "vitest";
import { errorBody, wrapped } from "../helpers/builders.ts";
import { errorOf } from "../helpers/errors.ts";
import type { StubResponse } from "../helpers/http-server.ts";
import { startWithService } from "../helpers/provider-with-service.ts";

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
  ])("fails and is not retried when the service returns %s", async (_case, response) => {
    const provider = await startWithService([response, deleted], { retrySeconds: "60" });

    const deletion = provider.delete("17", provider.state);

    await expect(deletion).rejects.toMatchObject({ kind: "notDeleted" });
    expect(provider.methods()).toEqual(["DELETE"]);
  });
});
