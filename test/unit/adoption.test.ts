import { afterEach, describe, expect, it, vi } from "vitest";
import type { Properties } from "../../src/core/values.ts";
import {
  check,
  create,
  delete as deleteWebhook,
  diff,
  update,
} from "../../src/dynamic/provider.ts";
import { WebhookError } from "../../src/service/errors.ts";
import {
  apiKey,
  secret,
  secretEnvelope,
  someArgs,
  someState,
  unknownMarkers,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { startServer } from "../helpers/http-server.ts";
import { captureLines, configure } from "../helpers/provider.ts";

const adopting = (changes: object = {}) => someArgs({ adopt: { id: "17", secret, ...changes } });

afterEach(() => void vi.restoreAllMocks());

describe("adopt in check", () => {
  it.each([
    ["17", "17"],
    [17, "17"],
    [0, "0"],
    ["12345678901234567890", "12345678901234567890"],
  ])("takes the id %j as text, and marks the secret", async (id, text) => {
    await configure();

    const { inputs, failures } = await check({}, adopting({ id }));

    expect(failures).toBeUndefined();
    expect(inputs.adopt).toStrictEqual({ id: text, secret: secretEnvelope });
  });

  it.each([
    ["all of it", unknownMarkers.string, unknownMarkers.string],
    ["its id", { id: unknownMarkers.number, secret }, { id: unknownMarkers.number }],
    ["its secret", { id: "17", secret: unknownMarkers.string }, { id: "17" }],
  ])("lets pass that %s is not known yet", async (_case, adopt, expected) => {
    await configure();

    const { inputs, failures } = await check({}, someArgs({ adopt }));

    expect(failures).toBeUndefined();
    expect(inputs).toMatchObject({ adopt: expected });
  });

  it.each([undefined, null])("takes %s for not given", async (adopt) => {
    await configure();

    const { inputs } = await check({}, someArgs({ adopt }));

    expect(inputs).not.toHaveProperty("adopt");
  });

  const idProblem = 'adopt.id: must be the number of the webhook, such as 42 or "42"';
  const secretProblem =
    "adopt.secret: must be the webhook's secret, a non-empty string without control characters and without white space at its ends";
  it.each<[unknown, string[]]>([
    ["17", ["adopt: must be an object with the id and the secret of a webhook that exists"]],
    [[], ["adopt: must be an object with the id and the secret of a webhook that exists"]],
    [{}, [idProblem, secretProblem]],
    ...[-1, 1.5, Number.NaN, "", "1a", "-1", " 1", "007", "1e3", {}].map(
      (id): [unknown, string[]] => [{ id, secret }, [idProblem]],
    ),
    ...["", 5, "\ud800", null, "whsec_a\n", " whsec_a", "whsec_\0a"].map(
      (wrong): [unknown, string[]] => [{ id: 1, secret: wrong }, [secretProblem]],
    ),
  ])("refuses %j", async (adopt, expected) => {
    await configure();

    const { failures } = await check({}, someArgs({ adopt }));

    expect(failures?.map(({ reason }) => reason)).toEqual(expected);
    expect(JSON.stringify(failures)).not.toContain(secret);
  });

  it("refuses what it does not know, with the nearest name", async () => {
    await configure();

    const { failures } = await check({}, someArgs({ adopt: { id: 1, secret, secrets: 1 } }));

    expect(failures?.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^adopt\.secrets: .*\bsecret\b/),
    ]);
  });
});

describe("an adoption in preview", () => {
  it("is said before anything happens", async () => {
    await configure();

    const { lines } = await captureLines(() => check({}, adopting()));

    expect(lines).toEqual([
      "Adopting webhook 17 of database base_abc123: no webhook is created, and the service changes nothing.\n",
    ]);
  });

  it.each([
    ["the webhook is in the state", someArgs(), adopting()],
    ["its id is not known yet", {}, adopting({ id: unknownMarkers.string })],
    ["there is none", {}, someArgs()],
  ])("is not said when %s", async (_case, olds, news) => {
    await configure();

    const { lines } = await captureLines(() => check(olds, news));

    expect(lines).toEqual([]);
  });
});

describe("adopt in diff", () => {
  it.each([
    ["the webhook itself", adopting()],
    ["the webhook itself, as a number", adopting({ id: 17 })],
    ["a secret that is not known yet", adopting({ secret: unknownMarkers.string })],
    ["nothing any more", someArgs()],
  ])("is no difference when it names %s", async (_case, news) => {
    await configure();

    const { result, lines } = await captureLines(() => diff("17", someState(), news));

    expect([result, lines]).toEqual([{ changes: false }, []]);
  });

  it.each([
    [{ id: "18" }, "adopt.id names another webhook"],
    [{ id: unknownMarkers.string }, "adopt.id is not known yet"],
  ])("replaces when it is %j", async (changes, reason) => {
    await configure();

    const { result, lines } = await captureLines(() => diff("17", someState(), adopting(changes)));

    expect(result).toEqual({ changes: true, replaces: ["adopt"] });
    expect(lines).toEqual([expect.stringContaining(reason)]);
  });

  it("replaces when all of it is not known yet", async () => {
    await configure();
    const news = someArgs({ adopt: unknownMarkers.string });

    const { result } = await captureLines(() => diff("17", someState(), news));

    expect(result).toEqual({ changes: true, replaces: ["adopt"] });
  });

  it("says that another secret for the same webhook is not taken over", async () => {
    await configure();
    const news = adopting({ secret: "whsec_of_somebody_else" });

    const { result, lines } = await captureLines(() => diff("17", someState(), news));

    expect(result).toEqual({ changes: false });
    expect(lines).toEqual([
      'The argument adopt.secret of webhook 17 of database base_abc123 is not the secret that the state holds, which stays in force. Remove adopt. To use the other secret, remove the webhook with "pulumi state delete" and run "pulumi up" again.\n',
    ]);
  });

  it("refuses to replace the webhook that it names", async () => {
    await configure({ baseUrl: "https://other.example.com" });
    const news = { ...adopting(), url: "https://example.com/other", tableId: "tbl_1" };

    const { message } = await errorOf(diff("17", someState(), news));

    expect(message).toBe(
      'Replace webhook 17 of database base_abc123 failed: its argument adopt names the same webhook (url changes, tableId changes, dbwebhooks:baseUrl changes from https://tables.example.com to https://other.example.com (if the same service has moved, set dbwebhooks:formerBaseUrls to the former address)). Nothing was changed. Remove adopt from the program; the next "pulumi up" then replaces the webhook, with a new secret.',
    );
  });
});

describe("adopt in create", () => {
  it("sends nothing, and stores the secret but not the argument", async () => {
    await using server = await startServer();
    await configure({ baseUrl: server.url });

    const { result, lines } = await captureLines(() => create(adopting()));

    expect(result).toStrictEqual({
      id: "17",
      outs: { ...someArgs(), baseUrl: server.url, secret: secretEnvelope },
    });
    expect(lines).toEqual([
      "This stack manages webhook 17 of database base_abc123 from now on. It was not changed and was not looked up (dbwebhooks:listing is off).\n",
    ]);
    expect(server.requests).toEqual([]);
  });

  it("refuses a webhook that another resource has adopted", async () => {
    await configure();
    await captureLines(() => create(adopting({ id: 5 })));

    const { message } = await errorOf(create(adopting({ id: "5" })));

    expect(message).toBe(
      "Adopt webhook 5 of database base_abc123 failed: this program manages it already. Remove adopt, or the other resource that manages it. Nothing was changed.",
    );
  });

  it("refuses a webhook that another resource goes on managing", async () => {
    await configure();
    await diff("17", someState(), someArgs());

    const error = await errorOf(create(adopting()));

    expect(error).toBeInstanceOf(WebhookError);
    expect(error.message).toContain("17");
  });

  it("lets no resource go on managing a webhook that another one has adopted", async () => {
    await configure();
    await captureLines(() => create(adopting()));

    const { message } = await errorOf(diff("17", someState(), someArgs()));

    expect(message).toBe(
      'Compare webhook 17 of database base_abc123 failed: two resources of this program manage it, one of them with adopt, and each would delete it. Remove adopt, or one of them. If both are in the state, first remove one from it with "pulumi state delete", which deletes no webhook.',
    );
  });

  it("lets no resource go on managing a webhook that another one is to adopt", async () => {
    await configure();
    await check({}, adopting());

    const error = await errorOf(diff("17", someState(), someArgs()));

    expect(error).toBeInstanceOf(WebhookError);
    expect(error.message).toContain("pulumi state delete");
  });

  it.each([
    ["the one that names it first", adopting(), someArgs()],
    ["the other one first", someArgs(), adopting()],
  ])("finds two resources of the state that manage one webhook, %s", async (_case, one, other) => {
    await configure();
    await checkAndDiff(one);

    const error = await errorOf(checkAndDiff(other));

    expect(error).toBeInstanceOf(WebhookError);
    expect(error.message).toContain("pulumi state delete");
  });

  it("compares one resource as often as Pulumi asks for it", async () => {
    await configure();

    await checkAndDiff(adopting());
    await checkAndDiff(adopting());

    expect(await checkAndDiff(adopting())).toEqual({ changes: false });
  });

  it("keeps the old resource of a webhook that could not be adopted", async () => {
    await using server = await startServer({ statusCode: 503 });
    await configure({ baseUrl: server.url, listing: "true", retrySeconds: "0" });
    await check({}, adopting());
    await errorOf(create(adopting()));

    const { message } = await errorOf(deleteWebhook("17", someState({ baseUrl: server.url })));

    expect(message).toBe(
      "Delete webhook 17 of database base_abc123 failed: the program adopts it, and the adoption failed in this run. Nothing was sent, and the webhook stays in the state.",
    );
    expect(server.requests.map(({ method }) => method)).not.toContain("DELETE");
  });

  it("refuses a webhook that is being looked up for another resource", async () => {
    const body = { webhooks: [{ ...someArgs(), id: 17, tableIds: null, active: true }] };
    await using server = await startServer({ body });
    await configure({ baseUrl: server.url, listing: "true" });

    const { result } = await captureLines(() =>
      Promise.allSettled([create(adopting()), create(adopting())]),
    );

    expect(result.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it("keeps no webhook for a resource whose lookup has failed", async () => {
    await using server = await startServer({ statusCode: 403 });
    await configure({ baseUrl: server.url, listing: "true" });
    await errorOf(create(adopting()));

    const { message } = await errorOf(create(adopting()));

    expect(message).toContain("403");
    expect(server.requests).toHaveLength(2);
  });

  it("takes a webhook over again whose replacement is ordered to come after its deletion", async () => {
    await configure();
    await checkAndDiff(adopting());

    const { result } = await captureLines(async () => {
      await deleteWebhook("17", someState());
      return await create(adopting());
    });

    expect(result).toMatchObject({ id: "17" });
  });

  it("is refused after the webhook was deleted", async () => {
    await using server = await startServer({ body: { success: true } });
    await configure({ baseUrl: server.url });
    await deleteWebhook("17", someState({ baseUrl: server.url }));

    const { message } = await errorOf(create(adopting()));

    expect(message).toBe(
      'Adopt webhook 17 of database base_abc123 failed: it was deleted in this run, to be replaced. Remove adopt from the program and run "pulumi up" again: that creates a new webhook. Nothing was changed.',
    );
  });

  it("protects the webhook that is named from a deletion, but no other", async () => {
    await using server = await startServer({ body: { success: true } });
    await configure({ baseUrl: server.url });
    const state = someState({ baseUrl: server.url });

    const { lines } = await captureLines(async () => {
      await check(someArgs(), adopting());
      await deleteWebhook("17", state);
      await deleteWebhook("18", state);
      await deleteWebhook("17", { ...state, databaseId: "base_other" });
    });

    expect(lines[0]).toBe(
      "Kept webhook 17 of database base_abc123: the program adopts the same webhook that it replaces. It was not deleted, and its secret is the same. Remove adopt before you replace it.\n",
    );
    expect(server.requests.map(({ path }) => path)).toEqual([
      "/api/v1/bases/base_abc123/webhooks/18",
      "/api/v1/bases/base_other/webhooks/17",
    ]);
  });

  const unchecked = "To adopt it without a lookup, set dbwebhooks:listing to false.";
  it.each<[string, object, string]>([
    [
      "is not listed",
      { body: { webhooks: [] } },
      "the service does not list it. Check adopt.id, databaseId and dbwebhooks:baseUrl; if it is gone, remove adopt to create a new one.",
    ],
    [
      "may be on another page",
      { body: { webhooks: [], nextPage: 2 } },
      `the service does not list it, but may have listed only a part of its webhooks. ${unchecked}`,
    ],
    [
      "has another table",
      { body: { webhooks: [{ ...someArgs(), id: 17, tableIds: ["tbl_1"], active: true }] } },
      "the service has it with another tableId. Declare it as it is there, and change it afterwards.",
    ],
    ["cannot be looked up", { statusCode: 403 }, unchecked],
  ])("is refused with listing when the webhook %s", async (_case, answer, text) => {
    await using server = await startServer(answer);
    await configure({ baseUrl: server.url, listing: "true" });

    const { message } = await errorOf(create(adopting()));

    expect(
      message.replace(
        `it could not be looked up: GET ${server.url}/api/v1/bases/base_abc123/webhooks answered 403. `,
        "",
      ),
    ).toBe(`Adopt webhook 17 of database base_abc123 failed: ${text} Nothing was changed.`);
    for (const token of [secret, apiKey]) {
      expect(message).not.toContain(token);
    }
  });
});

describe("adopt in update", () => {
  it("leaves no trace in the outputs", async () => {
    await configure();

    const { outs } = await update("17", someState(), adopting());

    expect(outs).toStrictEqual({ ...someState(), secret: secretEnvelope });
  });
});

/** What Pulumi asks for about a resource that is in the state. */
async function checkAndDiff(args: Properties) {
  await check({}, args);
  return await diff("17", someState(), args);
}
