import { describe, expect, it, vi } from "vitest";
import type { EndedCall } from "../../../src/api/client.ts";
import type { HttpOutcome, HttpRequest } from "../../../src/api/http-exchange.ts";
import { withheldText } from "../../../src/common/redaction.ts";
import type { MessageContext } from "../../../src/provider/command/operation.ts";
import { Reporter } from "../../../src/provider/command/reporter.ts";
import { adviceFor, listingOffAdvice } from "../../../src/provider/messages/advice.ts";
import { callText } from "../../../src/provider/messages/call-text.ts";
import { consequenceTexts, failed } from "../../../src/provider/messages/error-message.ts";
import { type Failure, failures } from "../../../src/provider/messages/failures.ts";
import * as notices from "../../../src/provider/messages/notices.ts";
import { baseUrlDifference, compareWebhook } from "../../../src/provider/rules/differences.ts";
import type { SettingProblem, Settings } from "../../../src/provider/rules/settings.ts";
import { errorBody, someArgs, someSettings, unknownMarkers } from "../../helpers/builders.ts";
import { startProvider, type Texts } from "../../helpers/provider.ts";
import * as outcomes from "../../helpers/transport.ts";

// The facts that a message states in a situation, and not its sentences.

const settings = someSettings();
const explicitSettings = someSettings({ isExplicit: true });
const inEnvironment = someSettings({ namesFromEnvironment: ["apiKey", "baseUrl", "retrySeconds"] });
const reporter = new Reporter("NAME", vi.fn(), new Set(), () => []);
const contextWith = (inSettings: Settings): MessageContext => ({ settings: inSettings, reporter });
const context = contextWith(settings);

const redirectTo = (redirectOrigin: string, changes: object = {}) =>
  Object.assign(outcomes.response(302), { redirectOrigin }, changes);

type More = Partial<Omit<EndedCall, "outcome">>;

function failedWith(outcome: HttpOutcome, { unusable, ...more }: More = {}): EndedCall {
  const ended = { request: outcomes.someRequest, attempts: 1, elapsedMs: 2_001, ...more };
  return unusable !== undefined && outcome.kind === "response"
    ? { ...ended, outcome, unusable }
    : { ...ended, outcome };
}

const deleteRequest = { ...outcomes.someRequest, method: "DELETE" } as const;
const listRequest = { ...outcomes.someRequest, method: "GET" } as const;
const notFound = outcomes.response(404, undefined, errorBody("NOT_FOUND", "It is gone."));
const locked = outcomes.response(200, undefined, { success: false, message: "It is locked." });
const outOfRetries = { giveUpReason: "retrySeconds" } as const;
const refusedRetries = {
  giveUpReason: "connectionRefused",
  attempts: 3,
  elapsedMs: 9_001,
} as const;

it.each<[said: string, HttpOutcome, more?: More, inSettings?: Settings]>([
  ['POST https://tables.example.com/somewhere … 404 NOT_FOUND "It is gone."', notFound],
  [
    'DELETE … 200 … success: false "It is locked."',
    locked,
    { unusable: "refusal", request: deleteRequest },
  ],
  ["GET … 200 … API describes", outcomes.response(200), { unusable: "body", request: listRequest }],
  ["200 … 1 MiB", outcomes.response(200), { unusable: "tooLarge" }],
  ["302 to b.test (https:)", redirectTo("https://b.test")],
  ["302 to tables.example.com (http:)", redirectTo("http://tables.example.com")],
  ["302 to a path of the same host", redirectTo(outcomes.someRequest.url.origin)],
  ["Pulumi is stopping", outcomes.unsent("stopping")],
  ["HTTPS_PROXY … NO_PROXY … http://HOST:PORT", outcomes.unsent("proxyUrl")],
  ["could not connect within 30 s (dbwebhooks:timeoutSeconds)", outcomes.unsent("timeout")],
  [
    "could not connect through the proxy of https_proxy within 30 s",
    { ...outcomes.unsent("timeout"), proxyVariable: "https_proxy" },
  ],
  [
    "lost the connection through the proxy of HTTP_PROXY",
    { ...outcomes.connectionLost, proxyVariable: "HTTP_PROXY" },
  ],
  ["no complete response within 30 s", { kind: "noResponse", cause: "timeout" }],
  ["unknown reason", { kind: "noResponse", cause: "connection", codes: [], text: "" }],
  ["could not connect (ECODE: connect failed)", outcomes.notConnected("ECODE")],
  ["429 … Pulumi is stopping", outcomes.throttled(), { giveUpReason: "stopping" }],
  [
    "1 attempt in 3 s: … 86400 s … dbwebhooks:retrySeconds is 120",
    outcomes.throttled(86_400_000),
    outOfRetries,
  ],
  [
    "900000 s … (set by DBWEBHOOKS_RETRY_SECONDS) is 120",
    outcomes.throttled(9e8),
    outOfRetries,
    inEnvironment,
  ],
  ["ECONNREFUSED … 3 attempts in 10 s: … 15 s", outcomes.connectionRefused, refusedRetries],
])("The text of a failed request says: %s", (said, outcome, more = {}, inSettings = settings) => {
  expectToSay(callText(contextWith(inSettings), failedWith(outcome, more)), said);
});

it.each<[said: string, HttpOutcome, more?: More]>([
  ["30 s (THE timeoutSeconds)", outcomes.unsent("timeout")],
  ["THE retrySeconds is 120", outcomes.throttled(86_400_000), outOfRetries],
])("The text of a failed request names settings as its caller does: %s", (said, outcome, more) => {
  expectToSay(
    callText(context, failedWith(outcome, more), (name) => `THE ${name}`),
    said,
  );
});

it("The message about a wait says why requests wait", () => {
  const wait = { delayMs: 5_001, request: deleteRequest };
  const retryTextAfter = (outcome: HttpOutcome) =>
    notices.delayText(reporter, { ...wait, kind: "retry", outcome });

  const pauseTextAfter = (body: unknown) => {
    const outcome = outcomes.response(429, 5_001, body);
    return notices.delayText(reporter, { ...wait, kind: "pause", outcome });
  };
  expectToSay(pauseTextAfter({}), "requests, so … 6 s");
  expectToSay(pauseTextAfter(errorBody("QUOTA", "10 webhooks.")), '("10 webhooks.") … 6 s');
  expectToSay(pauseTextAfter({ secret: "s1gn-5tGq8", message: "of s1gn-5tGq8" }), withheldText);
  expectToSay(retryTextAfter(outcomes.response(500)), "tables.example.com returned 500; … DELETE");
  expectToSay(retryTextAfter(outcomes.connectionLost), "did not respond");
  expectToSay(retryTextAfter(outcomes.connectionRefused), "could not be reached; retrying");
  const throughProxy = { ...outcomes.connectionRefused, proxyVariable: "HTTPS_PROXY" };
  expectToSay(retryTextAfter(throughProxy), "the proxy of HTTPS_PROXY; retrying");
});

const htmlPage = (statusCode: number) =>
  Object.assign(outcomes.response(statusCode), { body: "<!doctype html>" });
const apiError = (statusCode: number) =>
  outcomes.response(statusCode, undefined, errorBody("NO", ""));
const toDelete = { request: deleteRequest };

it.each<[said: string, HttpOutcome, more?: More, inSettings?: Settings]>([
  ["network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and dbwebhooks:baseUrl", outcomes.dnsFailure],
  ["Run the command again.", outcomes.unsent("stopping")],
  ["databaseId, dbwebhooks:apiKey and dbwebhooks:baseUrl", notFound],
  ["another host … Check dbwebhooks:baseUrl.", outcomes.response(404)],
  ["do not set listing to true", outcomes.response(405), { request: listRequest }],
  ["another host", outcomes.response(405), toDelete],
  ["key is not sent there: set dbwebhooks:baseUrl", redirectTo("https://b.test")],
  ["the path of dbwebhooks:baseUrl", redirectTo(outcomes.someRequest.url.origin)],
  ["set dbwebhooks:baseUrl", outcomes.response(300)],
  ["arguments … dbwebhooks:baseUrl … See A refused creation.", apiError(400)],
  ["refuses the deletion", apiError(410), toDelete],
  ["refuses the deletion", redirectTo("https://b.test", { statusCode: 409 }), toDelete],
  ["refuses the deletion", outcomes.response(200), { ...toDelete, unusable: "refusal" }],
  ["later", outcomes.throttled()],
  ["DBWEBHOOKS_API_KEY to the right key … stack stores. See A wrong key.", apiError(401)],
  ["the Provider … --run-program", apiError(401), {}, explicitSettings],
  ["not an error of the API … HTTPS_PROXY and dbwebhooks:baseUrl", htmlPage(403)],
])(
  "The advice after a failed request says: %s",
  (said, outcome, more = {}, inSettings = settings) => {
    const { nextStep, heading } = adviceFor(contextWith(inSettings), failedWith(outcome, more));

    expectToSay(heading === undefined ? nextStep : `${nextStep} See ${heading}.`, said);
  },
);

it("There is no advice after a list with an entry that is not usable", () => {
  const call = failedWith(outcomes.response(200), { request: listRequest, unusable: "entries" });

  expect(adviceFor(context, call)).toEqual({ nextStep: "" });
});

const missingKey = {
  name: "apiKey",
  problem: "PROBLEM",
  text: "PROBLEM",
  isFromEnvironment: false,
  isMissing: true,
} as const;

const variable = "DBWEBHOOKS_API_KEY for this command";

// A refresh and a deletion have the settings of the last update, whatever the configuration holds.
// Instead of an import, "pulumi up" would create a second webhook.
it("The next step without a key is its variable, and no command", () => {
  const { nextStep } = failures.invalidSettings("delete", [missingKey], false);

  expectToSay(nextStep, variable);
  expect(nextStep).not.toContain("pulumi ");
});

it.each<[isExplicit: boolean, said: string]>([
  [false, `DBWEBHOOKS_BASE_URL and DBWEBHOOKS_LISTING. … ${variable}`],
  [true, "DBWEBHOOKS_BASE_URL and DBWEBHOOKS_LISTING. … the Provider"],
])("The next step names all variables with bad values, explicit: %s", (isExplicit, said) => {
  const inVariable = { ...missingKey, isFromEnvironment: true, isMissing: false };
  const [baseUrl, listing] = [
    { ...inVariable, name: "baseUrl" },
    { ...inVariable, name: "listing" },
  ] as const;
  const nextStepAfter = (...problems: readonly SettingProblem[]) =>
    failures.invalidSettings("create", problems, isExplicit).nextStep;

  expectToSay(nextStepAfter(baseUrl, missingKey, listing), said);
  // The environment wins over the configuration.
  expect(nextStepAfter(baseUrl, listing)).not.toMatch(/config|Provider/);
});

describe("Every failure", () => {
  const call = (outcome: HttpOutcome, request: HttpRequest = outcomes.someRequest) =>
    failedWith(outcome, { request });
  const oldUrl = "https://old.example.com";
  const undo = { kind: "failed", call: call(apiError(403), deleteRequest) } as const;
  const all: Readonly<Record<keyof typeof failures, Failure>> = {
    invalidSettings: failures.invalidSettings("delete", [missingKey], false),
    otherBaseUrl: failures.otherBaseUrl(settings, oldUrl),
    otherBaseUrlOfRefresh: failures.otherBaseUrlOfRefresh(settings, oldUrl),
    otherBaseUrlOfDeletion: failures.otherBaseUrlOfDeletion(settings, oldUrl),
    twoResources: failures.twoResources("unchanged", "17"),
    incomplete: failures.incomplete(["PROBLEM", "PROBLEM"]),
    notCreated: failures.notCreated(context, call(apiError(400))),
    inDoubt: failures.inDoubt(context, call(apiError(409))),
    knownId: failures.knownId("17"),
    repeated: failures.repeated(),
    unusableSecret: failures.unusableSecret("17", "IS ODD"),
    undone: failures.undone("17"),
    leftBehind: failures.leftBehind(context, "17", undo),
    notDescribed: failures.notDescribed("IT IS ODD"),
    noAddress: failures.noAddress("unchanged"),
    notDeleted: failures.notDeleted(context, call(apiError(400), deleteRequest)),
    stillListed: failures.stillListed(),
    stillStored: failures.stillStored(),
    listNotFound: failures.listNotFound(settings),
    notConfirmed: failures.notConfirmed(context, call(apiError(500), listRequest)),
    fault: failures.fault(reporter, new Error("odd")),
  };
  const textOf = (failure: Failure) => failed(reporter, failure).message;

  it.each(Object.entries(all))(
    "says what %s leaves behind, what to do, and its kind",
    (_, failure) => {
      const text = textOf(failure);

      expect(text).toMatch(/^NAME failed: \S/);
      expect(text).toContain(`. ${consequenceTexts[failure.kind]} ${failure.nextStep}`);
      expect(failure.nextStep).toMatch(/^[A-Z].*\.$/);
      expect(text).toContain(failure.heading === undefined ? "" : `See "${failure.heading}" in `);
      expect(text.endsWith(` [${failure.kind}]`)).toBe(true);
      expect(text).not.toMatch(/\.\.|undefined|\[object| {2}/);
    },
  );

  it("is the operation and the kind alone as a text, which Pulumi prints besides the message", () => {
    const error = failed(reporter, all.notDeleted);

    expect(String(error)).toBe("NAME failed [notDeleted]");
  });

  it.each(["twoResources", "knownId", "unusableSecret", "undone", "leftBehind"] as const)(
    "names the webhook of %s",
    (name) => {
      expect(textOf(all[name])).toContain("webhook 17");
    },
  );

  it.each(["inDoubt", "unusableSecret"] as const)(
    "warns after %s of deleting a webhook that was there before",
    (name) => {
      expectToSay(textOf(all[name]), "Delete it only if it is new: … import it");
    },
  );

  const withLocation = (statusCode: number) => redirectTo("https://b.test", { statusCode });
  it.each<[said: string, Failure]>([
    [
      "another host … its secret is not stored. Look",
      failures.inDoubt(context, failedWith(htmlPage(200), { unusable: "body" })),
    ],
    [
      "another host … its secret is not stored. Look",
      failures.inDoubt(context, failedWith(outcomes.response(200), { unusable: "tooLarge" })),
    ],
    ["to b.test ", failures.inDoubt(context, call(withLocation(303)))],
    [
      "GET … 401 … DBWEBHOOKS_API_KEY … DBWEBHOOKS_LISTING=false",
      failures.notConfirmed(context, call(apiError(401), listRequest)),
    ],
    ["Provider … --run-program", failures.invalidSettings("delete", [missingKey], true)],
    ["the Provider's apiKey", failures.listNotFound(explicitSettings)],
    [
      "option provider, … second Provider",
      failures.otherBaseUrlOfDeletion(explicitSettings, oldUrl),
    ],
    [
      `the state holds the webhook at ${oldUrl}, … https://tables.example.com … Nothing was changed. If the same service has a new base URL, … another service … "pulumi up" … Provider … See "The same service at a new base URL"`,
      all.otherBaseUrl,
    ],
    ["DBWEBHOOKS_BASE_URL … DBWEBHOOKS_API_KEY", all.otherBaseUrlOfRefresh],
    ["DBWEBHOOKS_BASE_URL … DBWEBHOOKS_API_KEY", all.otherBaseUrlOfDeletion],
    ["without --run-program", failures.otherBaseUrlOfRefresh(explicitSettings, oldUrl)],
  ])("depends on the facts of the situation: %s", (said, failure) => {
    expectToSay(textOf(failure), said);
  });

  it.each([call(withLocation(409)), failedWith(withLocation(201), { unusable: "body" })])(
    "of a creation in doubt names no redirect that is none",
    (ended) => {
      expect(textOf(failures.inDoubt(context, ended))).not.toContain("b.test");
    },
  );

  const anyEnd: readonly HttpOutcome[] = [
    ...[400, 401, 403, 404, 405, 409, 410, 429, 500].map(apiError),
    ...[403, 404, 502].map(htmlPage),
    outcomes.throttledBy503(9_000),
    redirectTo("https://b.test"),
    redirectTo(outcomes.someRequest.url.origin),
    outcomes.connectionRefused,
    outcomes.connectionLost,
    outcomes.refusedByProxy(407),
    { kind: "noResponse", cause: "timeout" },
    ...(["timeout", "stopping", "proxyUrl"] as const).map(outcomes.unsent),
  ];
  const unusableEnds = ["body", "refusal", "tooLarge", "entries"] as const;
  const anyCalls = (request: HttpRequest) => [
    ...anyEnd.map((outcome) => failedWith(outcome, { request, ...outOfRetries })),
    ...unusableEnds.map((unusable) => failedWith(htmlPage(200), { request, unusable })),
  ];
  const failedDeletions = [settings, explicitSettings, inEnvironment].flatMap((given) => [
    ...Object.values(all).filter(({ kind }) => kind === "notDeleted"),
    failures.invalidSettings("delete", [missingKey], given.isExplicit),
    failures.noAddress("notDeleted"),
    failures.twoResources("notDeleted", "17"),
    failures.otherBaseUrlOfDeletion(given, oldUrl),
    failures.listNotFound(given),
    ...anyCalls(deleteRequest).map((one) => failures.notDeleted(contextWith(given), one)),
    ...anyCalls(listRequest).map((one) => failures.notConfirmed(contextWith(given), one)),
  ]);

  it("of a deletion ends with the way out of the state, which is that of one webhook", () => {
    // In a replacement, "pulumi state delete" offers the live webhook first.
    const said =
      'pulumi state delete … replaced … only the pending deletion … "Remove a pending deletion from the state" … [notDeleted]';

    for (const text of failedDeletions.map(textOf)) {
      expectToSay(text, said);
      expect(text).not.toContain("…");
      expect(text).not.toMatch(/certainly gone, (?!"pulumi state delete")/);
    }
  });

  it("of a deletion advises against the list only where the service may have none", () => {
    const isAboutList = (failure: Failure) => /listing|LISTING/.test(textOf(failure));
    const notConfirmedAfter = (outcome: HttpOutcome) =>
      failures.notConfirmed(context, call(outcome, listRequest));

    const deletions = anyCalls(deleteRequest).map((one) => failures.notDeleted(context, one));
    expect(deletions.filter(isAboutList)).toEqual([]);
    expect(isAboutList(all.listNotFound)).toBe(true);
    expect(isAboutList(notConfirmedAfter(apiError(403)))).toBe(true);
    expect(isAboutList(notConfirmedAfter(apiError(500)))).toBe(false);
    expect(isAboutList(notConfirmedAfter(outcomes.unsent("stopping")))).toBe(false);
  });

  it.each(["notCreated", "inDoubt", "undone", "leftBehind", "notDescribed"] as const)(
    "but that of a deletion says nothing of deleting from the state: %s",
    (name) => {
      expect(textOf(all[name])).not.toContain("state delete");
    },
  );

  // Whoever first runs the command again creates a second webhook.
  it.each([apiError(500), outcomes.connectionLost, outcomes.response(303)])(
    "of a creation in doubt says where to look before it says to run the command again",
    (outcome) => {
      const text = textOf(failures.inDoubt(context, call(outcome)));

      expect(text.indexOf("again")).toBeGreaterThan(text.indexOf("Look in the database"));
      expect(text).toContain("Look in the database");
    },
  );
});

it.each<[said: string, args: object, settingChanges?: Texts]>([
  ['databaseId: … "base_abc123", a string: … quotes … config set NAME', { databaseId: 1.5 }],
  ['tableId: … all tables … "tbl_orders", … surrounding white space', { tableId: " " }],
  ["url: … https:// URL … without white space", { url: "https://a b.example" }],
  ["url: … host name … template", { url: "https://undefined/hooks" }],
  ["events[0]: … record.created, … field.deleted … allowUnknownEvents: true", { events: ["a"] }],
  [
    "pulumi config set dbwebhooks:baseUrl https:// … DBWEBHOOKS_BASE_URL",
    {},
    { baseUrl: undefined },
  ],
  ["pulumi config set --secret dbwebhooks:apiKey … DBWEBHOOKS_API_KEY", {}, { apiKey: undefined }],
  ["give baseUrl to the Provider", {}, { baseUrl: undefined, isExplicit: "true" }],
  ["dbwebhooks:apiKey: must be text: … config set --secret NAME", {}, { apiKey: 7 as never }],
  [
    "dbwebhooks:baseUrl: must be text: … quotes inside … config set NAME",
    {},
    { baseUrl: 7 as never },
  ],
  ["tags: … databaseId, url, … allowInsecureUrl; … transformation", { tags: {} }],
])(
  "A problem of arguments or settings says where and what to write: %s",
  async (said, args, changes = {}) => {
    const { problems } = await startProvider(changes).check(someArgs(args));

    expect(problems).toHaveLength(1);
    expectToSay(problems[0] ?? "", said);
  },
);

it("The problem of a Provider without a key names no command, which would set that of the default provider", async () => {
  const provider = startProvider({ apiKey: undefined, isExplicit: "true" });

  const { problems } = await provider.check(someArgs());

  expect(problems).toEqual([expect.stringMatching(/^apiKey: .*Provider$/)]);
  expect(problems[0]).not.toMatch(/pulumi |DBWEBHOOKS_/);
});

const byVariable = "run the command again with DBWEBHOOKS_LISTING=false";
it.each([
  ["listing is not set", {}, byVariable],
  ["the stack sets it", { listing: true }, byVariable],
  ["a Provider does not set it", { isExplicit: true }, byVariable],
  [
    "the environment sets it for a Provider",
    { isExplicit: true, listing: true, namesFromEnvironment: ["listing"] as const },
    byVariable,
  ],
  [
    "a Provider sets it",
    { isExplicit: true, listing: true },
    "set the Provider's listing to false and run the command again, a destroy with --run-program",
  ],
])("The way out of a list that cannot decide fits the provider: %s", (_case, changes, advice) => {
  expect(listingOffAdvice(someSettings(changes))).toBe(advice);
});

it("The properties of a webhook that differ are named, some with a reason", () => {
  const { databaseId, url, events } = someArgs();
  const args = { databaseId, url, events, tableId: undefined };
  const stored = { ...args, secret: "secret-1", baseUrl: settings.baseUrl };
  const labelsOf = (news: object, changes: object = {}) =>
    compareWebhook({ ...stored, ...changes }, { ...args, ...news }).map(({ label }) => label);
  const withTable = { tableId: "tbl_1" };

  expect(labelsOf({ url: "https://b.example", tableId: unknownMarkers.string })).toEqual([
    "url",
    "tableId (not known yet)",
  ]);
  expect(labelsOf({}, { secret: undefined })).toEqual(["secret (missing in the state)"]);
  expect(labelsOf({ tableId: null }, withTable)).toEqual(["tableId (now all tables)"]);
  expect(labelsOf({ tableId: "tbl_2" }, withTable)).toEqual(["tableId"]);
  expectToSay(
    baseUrlDifference("https://a.b", "https://c.d").label,
    "from https://a.b to https://c.d",
  );
});

/** Expects the parts between the ellipses of `said` in a text, in their order. */
function expectToSay(text: string, said: string): void {
  let position = 0;
  for (const part of said.split("…").map((one) => one.trim())) {
    const at = text.indexOf(part, position);
    expect(at, `"${part}" in: ${text}`).not.toBe(-1);
    position = at + part.length;
  }
}
