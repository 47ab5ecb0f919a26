import { describe, expect, it } from "vitest";
import { errorBody, secretMark } from "../helpers/builders.ts";
import type { Answer } from "../helpers/http-server.ts";
import { kindOf } from "../helpers/kind-of.ts";
import type { TestProvider } from "../helpers/provider.ts";
import { startWithService } from "../helpers/provider-with-service.ts";

const success: Answer = { body: { success: true, message: "Webhook deleted" } };
const notFound: Answer = { statusCode: 404, body: errorBody("NOT_FOUND") };

/** The lines of a deletion that is done, or the kind of its error. */
const endOf = ({ lines }: TestProvider, removal: Promise<void>) =>
  removal.then(() => lines, kindOf);

describe("a deletion", () => {
  it.each([
    ["17", { baseUrl: undefined }],
    ["17", { databaseId: ".." }],
    ["..", {}],
  ])("of the id %j is not sent for a state with %j", async (id, changes) => {
    const run = await startWithService(success);

    expect(await endOf(run, run.delete(id, { ...run.state, ...changes }))).toBe("notDeleted");
    expect(run.requests).toEqual([]);
  });

  it("of a webhook that was created at a former base URL goes to today's", async () => {
    const old = await startWithService(success);
    const run = await startWithService(success, { formerBaseUrls: `https://a.a,${old.baseUrl}/` });

    // An older version of Pulumi passes a secret in its envelope.
    await run.delete("17", { ...run.state, baseUrl: { ...secretMark, value: `${old.baseUrl}/` } });

    expect(run.requests).toMatchObject([
      { method: "DELETE", path: "/eu/api/v1/bases/base_abc123/webhooks/17" },
    ]);
    expect(old.requests).toEqual([]);
  });

  it.each([
    ["the default provider", false],
    ["an explicit provider", true],
  ])(
    "of a webhook that was created at another base URL sends nothing: %s",
    async (_case, isExplicit) => {
      const old = await startWithService(success);
      const run = await startWithService(success, { isExplicit: String(isExplicit) });

      const end = await endOf(run, run.delete("17", { ...run.state, baseUrl: old.baseUrl }));

      expect(end).toBe("notDeleted");
      expect([...old.requests, ...run.requests]).toEqual([]);
    },
  );

  const done: string[] = [];
  const warned = [expect.stringMatching(/^warning: /)];
  const now = { "retry-after": "0" };
  const throttled: Answer = { statusCode: 429, headers: now };
  // A proxy answers so, also about what the service has carried out.
  const unclear: Answer = { statusCode: 503, headers: now };
  it.each<[end: unknown, ...Answer[]]>([
    [done, success],
    [done, { ...success, statusCode: 202 }],
    [done, { statusCode: 204 }],
    [done, { body: " \n" }],
    [done, unclear, throttled, notFound],
    [warned, notFound],
    [warned, throttled, notFound],
    ["notDeleted", { ...success, statusCode: 300 }],
    ["notDeleted", { ...notFound, statusCode: 410 }],
    ["notDeleted", { statusCode: 404, body: "<h1>Not found</h1>" }],
    ["notDeleted", { statusCode: 404, body: errorBody("NO_ROUTE") }],
    ["notDeleted", { body: { success: false } }],
    ["notDeleted", { body: { success: "true" } }],
    ["notDeleted", { body: " ".repeat(1_100_000) }],
  ])("ends with %j after this answer, and others before: %j", async (end, ...answers) => {
    const run = await startWithService([...answers, success], { retrySeconds: "60" });

    expect(await endOf(run, run.delete("17", run.state))).toEqual(end);
    expect(run.requests).toHaveLength(answers.length);
  });
});
