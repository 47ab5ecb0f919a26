import { describe, expect, it } from "vitest";
import { errorBody, secretMark } from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import type { StubResponse } from "../helpers/http-server.ts";
import { kindOf } from "../helpers/kind-of.ts";
import { startWithService } from "../helpers/provider-with-service.ts";

const success: StubResponse = { body: { success: true, message: "Webhook deleted" } };
const notFound: StubResponse = { statusCode: 404, body: errorBody("NOT_FOUND") };
const rateLimited: StubResponse = { statusCode: 429, headers: { "retry-after": "0" } };
/** A proxy may respond so about a request that the service has carried out. */
const unavailable: StubResponse = { statusCode: 503, headers: { "retry-after": "0" } };

describe("A deletion", () => {
  it.each([
    ["the default provider", "false"],
    ["an explicit provider", "true"],
  ])("by %s sends nothing when the webhook was created elsewhere", async (_case, isExplicit) => {
    const run = await startWithService(success, { isExplicit });

    const error = await errorOf(run.delete("17", { ...run.state, baseUrl: "https://a.example" }));

    expect(kindOf(error)).toBe("notDeleted");
    expect(run.requests).toEqual([]);
  });

  it("goes to today's base URL when the webhook was created at a former one", async () => {
    const former = "https://former.example.com";
    const run = await startWithService(success, { formerBaseUrls: `https://a.a,${former}/` });
    // An older version of Pulumi passes a secret in its envelope.
    const baseUrl = { ...secretMark, value: `${former}/` };

    await run.delete("17", { ...run.state, baseUrl });

    expect(run.requests).toMatchObject([
      { method: "DELETE", path: "/eu/api/v1/bases/base_abc123/webhooks/17" },
    ]);
  });

  it.each<[string, StubResponse]>([
    ["success", success],
    ["success with another status code of success", { ...success, statusCode: 202 }],
    ["no content", { statusCode: 204 }],
    ["white space", { body: " \n" }],
  ])("is done when the service returns %s", async (_case, answer) => {
    const run = await startWithService(answer);

    await run.delete("17", run.state);

    expect(run.methods()).toEqual(["DELETE"]);
    expect(run.lines).toEqual([]);
  });

  it("is done with a warning when the service does not know the webhook", async () => {
    const run = await startWithService([rateLimited, notFound], { retrySeconds: "60" });

    await run.delete("17", run.state);

    expect(run.methods()).toEqual(["DELETE", "DELETE"]);
    expect(run.lines).toEqual([expect.stringMatching(/^warning: /)]);
  });

  it("is done without a warning when an earlier attempt may have deleted the webhook", async () => {
    const answers = [unavailable, rateLimited, notFound];
    const run = await startWithService(answers, { retrySeconds: "60" });

    await run.delete("17", run.state);

    expect(run.methods()).toEqual(["DELETE", "DELETE", "DELETE"]);
    expect(run.lines).toEqual([]);
  });

  it("is done without a warning when this run has deleted the webhook before", async () => {
    const run = await startWithService([success, notFound]);
    await run.delete("17", run.state);

    await run.delete("17", run.state);

    expect(run.lines).toEqual([]);
  });

  it.each<[string, StubResponse]>([
    ["a redirect", { ...success, statusCode: 300 }],
    ["410 in place of 404", { ...notFound, statusCode: 410 }],
    ["404 with another code", { statusCode: 404, body: errorBody("NO_ROUTE") }],
    ["success as text", { body: { success: "true" } }],
    ["more than 1 MiB", { body: " ".repeat(1_100_000) }],
  ])("fails and is not retried when the service returns %s", async (_case, answer) => {
    const run = await startWithService([answer, success], { retrySeconds: "60" });

    expect(kindOf(await errorOf(run.delete("17", run.state)))).toBe("notDeleted");
    expect(run.methods()).toEqual(["DELETE"]);
  });
});
