import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { delete as remove } from "../../src/dynamic/provider.ts";
import { deleteWebhook } from "../../src/service/client.ts";
import type { HttpOutcome } from "../../src/service/http.ts";
import { apiKey, errorBody, someSettings, someState } from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { startRawServer, startServer } from "../helpers/http-server.ts";
import { outcomeOf } from "../helpers/outcome-of.ts";
import { captureLines, configure } from "../helpers/provider.ts";
import {
  type FakeTransport,
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
const notFound = { statusCode: 404, body: errorBody("NOT_FOUND", "Webhook 17 not found") };

describe("the request that deletes a webhook", () => {
  it("is a DELETE of the webhook in its database, without a body", async () => {
    await using server = await startServer(success);
    await configure({ baseUrl: server.url });

    await remove("17", someState({ baseUrl: server.url, databaseId: "a/b c" }));

    expect(server.requests).toMatchObject([
      { method: "DELETE", path: "/api/v1/bases/a%2Fb%20c/webhooks/17", body: "" },
    ]);
    expect(server.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${apiKey}` });
    expect(server.requests[0]?.headers).not.toHaveProperty("content-type");
  });

  it("goes to the base URL that the webhook was created at", async () => {
    await using old = await startServer(success);
    await using current = await startServer(success);
    await configure({ baseUrl: current.url });

    await remove("17", someState({ baseUrl: `${old.url}/eu/` }));

    expect(old.requests).toMatchObject([{ path: "/eu/api/v1/bases/base_abc123/webhooks/17" }]);
    expect(current.requests).toEqual([]);
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
    await configure({ baseUrl: server.url });

    const error = await errorOf(remove(id, someState({ baseUrl: server.url, ...changes })));

    expect(outcomeOf(error)).toBe("not sent");
    expect(server.requests).toEqual([]);
  });

  it("is not sent without an address, and the error says what to do", async () => {
    await configure();

    const { message } = await errorOf(remove("17", someState({ baseUrl: undefined })));

    expect(message).toBe(
      'Delete webhook 17 failed: its state holds no usable id, databaseId and baseUrl. Nothing was sent. Delete the webhook by hand, then remove it with "pulumi state delete".',
    );
  });

  it("is not sent without settings, and the error says where they come from", async () => {
    await configure({ listing: "yes" });

    const { message } = await errorOf(remove("17", someState()));

    expect(message).toMatch(
      /^Delete webhook 17 of database base_abc123 failed: dbwebhooks:listing/,
    );
    expect(message.split(". ").slice(1).join(". ")).toBe(
      'The webhook stays in the state. "pulumi destroy" uses the environment and the configuration of the last "pulumi up". Or set the values with "pulumi config set", and run "pulumi destroy --run-program". Nothing was sent.',
    );
  });

  it("does not carry the key over plain http because the state says so", async () => {
    const transport = await fakeTransport(() => response(200, undefined, { success: true }));
    const address = { baseUrl: "http://tables.example.com", databaseId: "a", id: "17" };
    const deleteWith = (allowInsecureBaseUrl: boolean) =>
      deleteWebhook(
        { settings: someSettings({ allowInsecureBaseUrl }), transport },
        transport.operation,
        address,
      );

    const refused = await deleteWith(false);
    const allowed = await settled(deleteWith(true));

    expect(refused).toMatchObject({
      kind: "failed",
      failure: {
        outcome: "was not sent",
        advice:
          "The webhook was created at an address that begins with http:, so the API key would travel unencrypted. To send the request all the same, set dbwebhooks:allowInsecureBaseUrl to true for this run.",
      },
    });
    expect(allowed).toEqual({ kind: "deleted" });
    expect(transport.attempts).toHaveLength(1);
  });

  it("needs nothing but id, databaseId and baseUrl", async () => {
    await using server = await startServer(success);
    await configure({ baseUrl: server.url });

    await remove("17", { databaseId: "base_abc123", baseUrl: server.url });

    expect(server.requests).toHaveLength(1);
  });
});

describe("a deletion", () => {
  it.each([
    ["success: true", success],
    ["success: true with status 202", { ...success, statusCode: 202 }],
    ["an empty body", { statusCode: 200 }],
    ["no content", { statusCode: 204 }],
    ["white space", { body: " \n" }],
  ])("is done with %s, and says nothing", async (_case, answer) => {
    await using server = await startServer(answer);
    await configure({ baseUrl: server.url });

    const { lines } = await captureLines(() => remove("17", someState({ baseUrl: server.url })));

    expect(lines).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it("is done, with one line, when the service does not know the webhook", async () => {
    await using server = await startServer(notFound);
    await configure({ baseUrl: server.url });

    const { lines } = await captureLines(() =>
      remove("17", someState({ baseUrl: `${server.url}//` })),
    );

    expect(lines).toEqual([
      "The service did not have webhook 17 of database base_abc123 any more. It answers the same to a key without access to the database.\n",
    ]);
  });

  it("fails on NOT_FOUND when the webhook was created at another base URL", async () => {
    await using server = await startServer(notFound);
    await configure({ baseUrl: `${server.url}/other` });

    const { message } = await errorOf(remove("17", someState({ baseUrl: server.url })));

    expect(message).toBe(
      `Delete webhook 17 of database base_abc123 failed: DELETE ${server.url}/api/v1/bases/base_abc123/webhooks/17 answered 404 NOT_FOUND "Webhook 17 not found". The webhook stays in the state. The webhook was created there, but dbwebhooks:baseUrl is ${server.url}/other now, and the key may not be valid at both. If the same service has moved, set DBWEBHOOKS_FORMER_BASE_URLS to the former address. Else set DBWEBHOOKS_BASE_URL and DBWEBHOOKS_API_KEY back for this command, or delete the webhook by hand and remove it with "pulumi state delete".`,
    );
  });

  it.each([
    ["404 without the envelope", { statusCode: 404, body: "<h1>Not found</h1>" }],
    ["404 with another code", { statusCode: 404, body: errorBody("NO_ROUTE") }],
    ["404 with a code at the top", { statusCode: 404, body: { code: "NOT_FOUND" } }],
    ["404 with an empty body", { statusCode: 404 }],
    ["success: false", { body: { success: false } }],
    ["success as text", { body: { success: "true" } }],
    ["another object", { body: {} }],
    ["a page", { body: "<html>Sign in</html>" }],
    ["a bare true", { body: "true" }],
    ["a list", { body: [] }],
  ])("fails on an answer that is not the service's: %s", async (_case, answer) => {
    await using server = await startServer(answer);
    await configure({ baseUrl: server.url });

    const error = await errorOf(remove("17", someState({ baseUrl: server.url })));

    expect(outcomeOf(error)).toBe("kept");
    expect(error.message).toContain("dbwebhooks:baseUrl");
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["answered 200 without confirming the deletion", response(200, undefined, {})],
    ["answered 404", response(404, undefined, errorBody("NO_ROUTE"))],
  ])("says whose answer it may be: %s", async (outcome, answer) => {
    const transport = await fakeTransport(() => answer);

    const deletion = await settled(deleteWith(transport));

    expect(deletion).toMatchObject({
      failure: {
        outcome: expect.stringContaining(outcome),
        advice:
          "This is not an answer of the service: a proxy or another host may have given it. Check dbwebhooks:baseUrl.",
      },
    });
  });

  it.each([
    [301, "dbwebhooks:baseUrl"],
    [400, "dbwebhooks:baseUrl"],
    [401, "dbwebhooks:apiKey"],
    [403, "dbwebhooks:apiKey"],
    [410, "dbwebhooks:baseUrl"],
  ])("fails at once with status %i, and names what to check: %s", async (statusCode, setting) => {
    await using server = await startServer({ statusCode, body: errorBody("NOT_FOUND") });
    await configure({ baseUrl: server.url });

    const error = await errorOf(remove("17", someState({ baseUrl: server.url })));

    expect(outcomeOf(error)).toBe("kept");
    expect(error.message).toContain(String(statusCode));
    expect(error.message).toContain(setting);
    expect(server.requests).toHaveLength(1);
  });
});

describe("a deletion that may go better the next time", () => {
  const passing: [string, HttpOutcome][] = [
    ["it could not connect", unsent],
    ["no answer", unanswered],
    ...[408, 425, 429, 500, 502, 503, 504].map((statusCode): [string, HttpOutcome] => [
      `status ${statusCode}`,
      response(statusCode),
    ]),
  ];

  it.each(passing)("is tried again: %s", async (_case, outcome) => {
    const transport = await fakeTransport((attempt) =>
      attempt < 3 ? outcome : response(200, undefined, { success: true }),
    );

    const deletion = await settled(deleteWith(transport));

    expect(deletion).toEqual({ kind: "deleted" });
    expect(transport.attempts).toHaveLength(3);
  });

  it.each(passing)("is given up when its time is over: %s", async (_case, outcome) => {
    const transport = await fakeTransport(() => outcome);

    const deletion = await settled(deleteWith(transport));

    expect(transport.attempts.length).toBeGreaterThan(3);
    expect(deletion).toMatchObject({
      kind: "failed",
      failure: {
        outcome: expect.stringContaining("dbwebhooks:retrySeconds"),
      },
    });
  });

  it("succeeds when a first attempt went through without an answer", async () => {
    const transport = await fakeTransport((attempt) =>
      attempt === 1 ? unanswered : response(404, undefined, errorBody("NOT_FOUND")),
    );

    const deletion = await settled(deleteWith(transport));

    expect(deletion).toEqual({ kind: "absent" });
  });

  it("is not tried again when the answer is too long", async () => {
    const transport = await fakeTransport(() => unreadable);

    const { kind } = await settled(deleteWith(transport));

    expect(kind).toBe("failed");
    expect(transport.attempts).toHaveLength(1);
  });

  it.each<[string, (socket: Socket) => unknown]>([
    ["no answer in time", () => undefined],
    ["a reset", (socket) => socket.resetAndDestroy()],
    ["half an answer", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{")],
  ])("is tried again on a real connection: %s", async (_case, answer) => {
    let count = 0;
    await using server = await startRawServer((socket) => {
      count++;
      return count === 1 ? answer(socket) : socket.end("HTTP/1.1 204 No Content\r\n\r\n");
    });
    await configure({ baseUrl: server.url, timeoutSeconds: "0.3" });

    await remove("17", someState({ baseUrl: server.url }));

    expect(server.requests).toHaveLength(2);
  });
});

describe("a deletion at a base URL that is not the configured one", () => {
  it.each([401, 403, 404])(
    "says after status %i that the account is another",
    async (statusCode) => {
      await using old = await startServer({ statusCode, body: errorBody("NO", "Not yours.") });
      await configure({ baseUrl: "https://new.example.com" });

      const { message } = await errorOf(remove("17", someState({ baseUrl: old.url })));

      expect(message).toContain("https://new.example.com");
      expect(message).not.toContain("pulumi config set --secret dbwebhooks:apiKey");
    },
  );

  it("is understood from a state whose values are marked as secrets", async () => {
    await using old = await startServer(success);
    await configure({ baseUrl: "https://new.example.com" });
    const baseUrl = {
      "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
      value: old.url,
    };

    await remove("17", someState({ baseUrl }));

    expect(old.requests).toHaveLength(1);
  });
});

function deleteWith(transport: FakeTransport) {
  return deleteWebhook({ settings: someSettings(), transport }, transport.operation, {
    baseUrl: "https://tables.example.com",
    databaseId: "base_abc123",
    id: "17",
  });
}
