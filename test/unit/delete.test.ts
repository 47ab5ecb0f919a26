import { describe, expect, it } from "vitest";
import { apiKey, errorBody, secretMark } from "../helpers/builders.ts";
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

    expect(await endOf(run, run.delete(id, { ...run.state, ...changes }))).toBe("kept");
    expect(run.requests).toEqual([]);
  });

  const done: string[] = [];
  const warned = [expect.stringMatching(/^warning: /)];
  it.each<[name: string, settings: Record<string, string>, Answer, seen: string, unknown]>([
    ["a former one", { formerBaseUrls: "https://a.a,OLD/" }, success, "current", done],
    ["a former one, and is not there", { formerBaseUrls: "OLD" }, notFound, "current", warned],
    ["neither", { otherBaseUrls: "https://a.a" }, success, "", "kept"],
  ])("goes where the settings let it: created at %s", async (_case, given, answer, seen, end) => {
    const old = await startWithService(answer);
    const [[name = "", text = ""] = []] = Object.entries(given);
    const run = await startWithService(answer, { [name]: text.replace("OLD", old.baseUrl) });

    // As an older version of Pulumi hands it over.
    const baseUrl = { ...secretMark, value: `${old.baseUrl}/` };
    expect(await endOf(run, run.delete("17", { ...run.state, baseUrl }))).toEqual(end);

    const keysAt = ({ requests }: typeof old) =>
      requests.map(({ headers }) => headers.authorization);
    const key = [`Bearer ${apiKey}`];
    expect(keysAt(old)).toEqual(seen === "old" ? key : []);
    expect(keysAt(run)).toEqual(seen === "current" ? key : []);
  });

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
    ["kept", { ...success, statusCode: 300 }],
    ["kept", { ...notFound, statusCode: 410 }],
    ["kept", { statusCode: 404, body: "<h1>Not found</h1>" }],
    ["kept", { statusCode: 404, body: errorBody("NO_ROUTE") }],
    ["kept", { body: { success: false } }],
    ["kept", { body: { success: "true" } }],
    ["kept", { body: " ".repeat(1_100_000) }],
  ])("ends with %j after this answer, and others before: %j", async (end, ...answers) => {
    const run = await startWithService([...answers, success], { retrySeconds: "60" });

    expect(await endOf(run, run.delete("17", run.state))).toEqual(end);
    expect(run.requests).toHaveLength(answers.length);
  });
});
