import { afterEach, describe, expect, it } from "vitest";
import { deleteWebhook } from "../../src/service/client.ts";
import type { HttpOutcome } from "../../src/service/exchange.ts";
import { apiKey, errorBody, secretMark, someOperation, someSettings } from "../helpers/builders.ts";
import type { Answer } from "../helpers/http-server.ts";
import { kindOf } from "../helpers/kind-of.ts";
import type { TestProvider } from "../helpers/provider.ts";
import { startWithService } from "../helpers/provider-with-service.ts";
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
    ["another one", { otherBaseUrls: `["https://a.a", "OLD/"]` }, success, "old", done],
    // The key may not be valid there.
    ["another one, and is not there", { otherBaseUrls: "OLD" }, notFound, "old", "kept"],
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

  it.each<[end: unknown, Answer]>([
    [done, success],
    [done, { ...success, statusCode: 202 }],
    [done, { statusCode: 204 }],
    [done, { body: " \n" }],
    [warned, notFound],
    ["kept", { ...success, statusCode: 300 }],
    ["kept", { ...notFound, statusCode: 410 }],
    ["kept", { statusCode: 404, body: "<h1>Not found</h1>" }],
    ["kept", { statusCode: 404, body: errorBody("NO_ROUTE") }],
    ["kept", { body: { success: false } }],
    ["kept", { body: { success: "true" } }],
    ["kept", { body: "<html>Sign in</html>" }],
  ])("ends with %j after %j, at once", async (end, answer) => {
    const run = await startWithService([answer, success]);

    expect(await endOf(run, run.delete("17", run.state))).toEqual(end);
    expect(run.requests).toHaveLength(1);
  });

  const gone = response(404, undefined, errorBody("NOT_FOUND"));
  it.each<[string, readonly HttpOutcome[], object]>([
    ["gone after one that was not sent", [unsent, gone], { kind: "absent" }],
    ["gone after one that was refused", [response(429), gone], { kind: "absent" }],
    ["gone after one that broke", [unanswered, gone], { kind: "deleted" }],
    ["gone after a 500 that was the first", [response(500), unsent, gone], { kind: "deleted" }],
    ["unreadable", [unreadable], { kind: "failed" }],
    ["unconfirmed", [response(200)], { kind: "failed", failure: { lacks: "confirmation" } }],
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
