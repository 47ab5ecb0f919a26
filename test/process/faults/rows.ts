import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Fault, FaultRule, LocalService } from "pulumi-dbwebhooks/local-service";
import type { ErrorKind } from "../../../src/provider/errors.js";
import {
  asHtml,
  echoAuthorization,
  hugeBody,
  idAsString,
  truncatedJson,
  withFields,
} from "../../helpers/faults/faults.mjs";

/** How an operation can end: with an error of a kind, or without an error. */
export type Outcome =
  | Extract<ErrorKind, "notCreated" | "inDoubt" | "undone" | "partial" | "notDeleted">
  | "created"
  | "deleted"
  | "already gone";

/** The explanations of the outcomes on the page. */
export const outcomes: Readonly<Record<Outcome, string>> = {
  created: "The webhook is at the service and, with its secret, in the state.",
  notCreated: "An error. It says that the service has created no webhook.",
  inDoubt:
    "An error. The service may have created a webhook whose secret is lost: the error names the database and what to look for there.",
  undone: "An error. The response had no secret, and the webhook was deleted again.",
  partial:
    "An error. The response had no secret, and the webhook could not be deleted. It is in the state without a secret; the next `pulumi up` replaces it.",
  deleted: "The webhook is neither at the service nor in the state.",
  "already gone":
    "The same, and a line of output says that the service did not have the webhook any more.",
  notDeleted:
    "An error. The service has not confirmed the deletion, so the webhook stays in the state.",
};

/** What a fault leads to. */
interface End {
  readonly outcome: Outcome;
  /** How many requests of each method the service receives. */
  readonly posts: number;
  readonly gets: number;
  readonly deletes: number;
  /** What the service holds afterwards. */
  readonly service: "nothing" | "the webhook";
  /** What the state holds afterwards. */
  readonly state: "nothing" | "the webhook" | "the webhook, no secret";
}

interface Cause {
  /** What the service does, for the page. */
  readonly does: string;
  /** What arrives at the client, for the page. */
  readonly sees: string;
  /** Default: none; the settings are the cause. */
  readonly fault?: Fault;
  /** How many requests meet the fault. Default: all. */
  readonly times?: number;
  /** Faults of further requests. */
  readonly furtherRules?: readonly FaultRule[];
  /** A part of the error message. */
  readonly errorNames?: string;
  /** Whether the error message names the id of the webhook that the service holds. */
  readonly isIdNamed?: boolean;
  /** Whether the webhook is removed from the service before Pulumi deletes it. */
  readonly isRemovedBefore?: boolean;
  /** Environment variables. Rows with the same function share a process. */
  readonly environment?: (service: LocalService) => Promise<Readonly<Record<string, string>>>;
}

/** A fault that the creation or the deletion of a webhook meets. */
export interface FaultRow extends End, Cause {
  /** The name of the database. */
  readonly name: string;
  readonly on: "POST" | "DELETE";
}

/** The settings of all rows. */
export const rowSettings = { timeoutSeconds: "30", retrySeconds: "15" };

async function shortTimeout() {
  return { DBWEBHOOKS_TIMEOUT_SECONDS: "5" };
}

async function noRetries() {
  return { DBWEBHOOKS_TIMEOUT_SECONDS: "5", DBWEBHOOKS_RETRY_SECONDS: "0" };
}

async function listing() {
  return { DBWEBHOOKS_LISTING: "true" };
}

async function closedPort() {
  return { DBWEBHOOKS_BASE_URL: "http://127.0.0.1:1", DBWEBHOOKS_RETRY_SECONDS: "1" };
}

async function httpsWithoutTls({ baseUrl }: LocalService) {
  return {
    DBWEBHOOKS_BASE_URL: baseUrl.replace("http:", "https:"),
    DBWEBHOOKS_RETRY_SECONDS: "1",
  };
}

async function silentProxy({ baseUrl }: LocalService) {
  const proxy = createServer().listen(0, "127.0.0.1").unref();
  await once(proxy, "listening");
  return {
    DBWEBHOOKS_BASE_URL: "https://tables.example.com",
    DBWEBHOOKS_FORMER_BASE_URLS: baseUrl,
    DBWEBHOOKS_TIMEOUT_SECONDS: "1",
    DBWEBHOOKS_RETRY_SECONDS: "1",
    HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  };
}

const htmlPage = "<!doctype html><title>Sign in</title>";
const errorBody = { error: { code: "SOME_CODE", message: "The service's own words." } };
const notFoundBody = { error: { code: "NOT_FOUND", message: "Webhook not found" } };

/** A fault that sends a response in place of the service's own, before the request takes effect. */
function respond(statusCode: number, body: string | object, headers = {}) {
  return { kind: "respond", statusCode, headers, body } as const;
}

/** A service that returns a status code to every request; the error message names the code. */
function returns(statusCode: number, body: string | object = errorBody): Cause {
  return {
    does: `returns ${statusCode}`,
    sees: `${statusCode}`,
    fault: respond(statusCode, body),
    errorNames: ` ${statusCode}`,
  };
}

/** A service that returns a status code to the first request only. */
function returnsOnce(statusCode: number): Cause {
  return {
    does: `returns ${statusCode}, once`,
    sees: `${statusCode}`,
    fault: respond(statusCode, errorBody),
    times: 1,
  };
}

/** The same with a `Retry-After` header; `described` is the page's text for its value. */
function asksToWaitOnce(statusCode: number, described: string, retryAfter: string): Cause {
  const sees = `${statusCode}, ${described} in \`Retry-After\``;
  const fault = respond(statusCode, errorBody, { "retry-after": retryAfter });
  return { does: `returns ${sees}, once`, sees, fault, times: 1 };
}

const aSecond = ["a second", "1"] as const;
const aDate = ["a date", new Date().toUTCString()] as const;
const aYear = ["a year", String(365 * 86_400)] as const;

/** Rows for everything that ends in the same way. */
function rowsWith(end: Partial<End> & Pick<End, "outcome">, causes: readonly Cause[]) {
  const nothing = { posts: 0, gets: 0, deletes: 0, service: "nothing", state: "nothing" } as const;
  return causes.map((cause) => ({ ...nothing, ...end, ...cause }));
}

const storesOddly = "stores, then returns an odd response";
const removesOddly = "removes, then returns an odd response";
const brokenConnection = "a broken connection";
const noConnection = "no connection";
const noResponse = "no response in time";
const retriesExhausted = "for longer than `dbwebhooks:retrySeconds`";

const creations = [
  ...rowsWith({ outcome: "created", posts: 1, service: "the webhook", state: "the webhook" }, [
    { does: "responds late, within the timeout", sees: "201", fault: { kind: "delay", ms: 300 } },
    { does: storesOddly, sees: "201, the JSON as `text/html`", fault: asHtml },
    { does: storesOddly, sees: "201, more fields", fault: withFields({ active: true }) },
    { does: storesOddly, sees: "201, the id as a string", fault: idAsString },
    { does: storesOddly, sees: "201, the id is 0", fault: withFields({ id: 0 }) },
  ]),
  ...rowsWith({ outcome: "created", posts: 2, service: "the webhook", state: "the webhook" }, [
    asksToWaitOnce(429, ...aSecond),
    asksToWaitOnce(429, ...aDate),
    asksToWaitOnce(429, "nonsense", "soon"),
    returnsOnce(429),
    asksToWaitOnce(503, ...aSecond),
  ]),
  ...rowsWith({ outcome: "notCreated", posts: 1 }, [
    {
      does: "redirects to another host",
      sees: "301",
      fault: respond(301, "", { location: "https://elsewhere.example/api" }),
      errorNames: "https://elsewhere.example",
    },
    returns(400),
    {
      does: "repeats the API key in its error message",
      sees: "400",
      fault: echoAuthorization(),
      errorNames: "[withheld:",
    },
    returns(401),
    returns(403),
    returns(404, notFoundBody),
    { ...returns(404, "Not here."), sees: "404 without the error body" },
    returns(422),
    { ...asksToWaitOnce(429, ...aYear), errorNames: "dbwebhooks:retrySeconds" },
    { ...asksToWaitOnce(503, ...aYear), errorNames: "dbwebhooks:retrySeconds" },
    {
      does: `returns 429 ${retriesExhausted}`,
      sees: "429 to every attempt",
      fault: respond(429, errorBody, { "retry-after": "1" }),
      environment: noRetries,
      errorNames: "dbwebhooks:retrySeconds",
    },
  ]),
  ...rowsWith({ outcome: "notCreated" }, [
    { does: "does not listen", sees: noConnection, environment: closedPort },
    {
      does: "speaks no TLS at an `https:` address",
      sees: noConnection,
      environment: httpsWithoutTls,
    },
    {
      does: "is behind a proxy that never responds to `CONNECT`",
      sees: noConnection,
      environment: silentProxy,
    },
  ]),
  ...rowsWith({ outcome: "inDoubt", posts: 1 }, [
    {
      does: "never responds, stores nothing",
      sees: noResponse,
      fault: { kind: "neverAnswer" },
      environment: shortTimeout,
    },
    {
      does: "resets the connection before it reads",
      sees: brokenConnection,
      fault: { kind: "resetBeforeReading" },
    },
    returns(303),
    returns(408),
    returns(409),
    returns(500),
    returns(502, htmlPage),
    returns(503, htmlPage),
    returns(504, htmlPage),
    {
      does: "returns something else, stores nothing",
      sees: "200, `success: false`",
      fault: respond(200, { success: false }),
    },
    {
      does: "is behind a proxy that responds itself",
      sees: "200, an HTML page",
      fault: respond(200, htmlPage, { "content-type": "text/html" }),
    },
  ]),
  ...rowsWith({ outcome: "inDoubt", posts: 1, service: "the webhook" }, [
    {
      does: "stores, then never responds",
      sees: noResponse,
      fault: { kind: "neverAnswer", commit: true },
      environment: shortTimeout,
    },
    {
      does: "stores after the client has given up",
      sees: noResponse,
      fault: { kind: "hold" },
      environment: shortTimeout,
    },
    {
      does: "stores, then resets the connection",
      sees: brokenConnection,
      fault: { kind: "resetAfterCommit" },
    },
    {
      does: "stores, then resets within its response",
      sees: "half a response",
      fault: { kind: "resetMidBody" },
    },
    {
      does: "stores, then returns 500",
      sees: "500",
      fault: { ...respond(500, errorBody), commit: true },
    },
    {
      does: "stores, and a proxy responds",
      sees: "503, `Retry-After`, an HTML page",
      fault: { ...respond(503, htmlPage, { "retry-after": "1" }), commit: true },
    },
    { does: storesOddly, sees: "201, half of the JSON", fault: truncatedJson },
    { does: storesOddly, sees: "201, 10 MiB of JSON", fault: hugeBody },
    { does: storesOddly, sees: "201, no id", fault: withFields({ id: undefined }) },
    {
      does: storesOddly,
      sees: "204",
      fault: { kind: "respond", statusCode: 204, commit: true },
    },
    { does: storesOddly, sees: "201, `{}`", fault: { ...respond(201, {}), commit: true } },
  ]),
  ...rowsWith({ outcome: "inDoubt", posts: 1, gets: 1 }, [
    {
      does: "resets before it reads; lists nothing",
      sees: `${brokenConnection}, then the list`,
      fault: { kind: "resetBeforeReading" },
      environment: listing,
    },
  ]),
  ...rowsWith({ outcome: "inDoubt", posts: 1, gets: 1, service: "the webhook" }, [
    {
      does: "stores, then resets; lists the webhook",
      sees: `${brokenConnection}, then the list`,
      fault: { kind: "resetAfterCommit" },
      environment: listing,
      isIdNamed: true,
    },
  ]),
  ...rowsWith({ outcome: "undone", posts: 1, deletes: 1 }, [
    { does: storesOddly, sees: "201, no secret", fault: withFields({ secret: undefined }) },
    { does: storesOddly, sees: "201, an empty secret", fault: withFields({ secret: "" }) },
  ]),
  ...rowsWith(
    {
      outcome: "partial",
      posts: 1,
      deletes: 1,
      service: "the webhook",
      state: "the webhook, no secret",
    },
    [
      {
        does: storesOddly,
        sees: "201, no secret; 403 to the deletion",
        fault: withFields({ secret: undefined }),
        furtherRules: [{ on: "DELETE", fault: respond(403, errorBody) }],
        errorNames: " 403",
      },
      {
        does: storesOddly,
        sees: "201, no secret; 404 `NOT_FOUND` to the deletion",
        fault: withFields({ secret: undefined }),
        furtherRules: [{ on: "DELETE", fault: respond(404, notFoundBody) }],
        errorNames: " 404",
      },
    ],
  ),
];

const deletions = [
  ...rowsWith({ outcome: "deleted", deletes: 1 }, [
    { does: "responds late, within the timeout", sees: "200", fault: { kind: "delay", ms: 300 } },
    { does: removesOddly, sees: "200, the JSON as `text/html`", fault: asHtml },
    { does: removesOddly, sees: "200, more fields", fault: withFields({ id: 1 }) },
    {
      does: removesOddly,
      sees: "204",
      fault: { kind: "respond", statusCode: 204, commit: true },
    },
  ]),
  ...rowsWith({ outcome: "deleted", deletes: 2 }, [
    {
      does: "never responds, removes nothing; once",
      sees: noResponse,
      fault: { kind: "neverAnswer" },
      times: 1,
      environment: shortTimeout,
    },
    {
      does: "removes, then never responds",
      sees: `${noResponse}, then 404 \`NOT_FOUND\``,
      fault: { kind: "neverAnswer", commit: true },
      times: 1,
      environment: shortTimeout,
    },
    {
      does: "resets the connection before it reads, once",
      sees: brokenConnection,
      fault: { kind: "resetBeforeReading" },
      times: 1,
    },
    {
      does: "removes, then resets the connection",
      sees: `${brokenConnection}, then 404 \`NOT_FOUND\``,
      fault: { kind: "resetAfterCommit" },
      times: 1,
    },
    {
      does: "removes, then resets within its response",
      sees: "half a response, then 404 `NOT_FOUND`",
      fault: { kind: "resetMidBody" },
      times: 1,
    },
    ...[408, 425, 429, 500, 502, 503, 504].map(returnsOnce),
    asksToWaitOnce(429, ...aSecond),
    asksToWaitOnce(429, ...aDate),
    asksToWaitOnce(503, ...aSecond),
  ]),
  ...rowsWith({ outcome: "already gone", deletes: 1 }, [
    { does: "has lost the webhook before", sees: "404 `NOT_FOUND`", isRemovedBefore: true },
  ]),
  ...rowsWith({ outcome: "notDeleted", deletes: 1, service: "the webhook", state: "the webhook" }, [
    {
      does: "redirects to another host",
      sees: "301",
      fault: respond(301, "", { location: "https://elsewhere.example/api" }),
      errorNames: "https://elsewhere.example",
    },
    ...[400, 401, 403, 404, 409, 422].map((statusCode) => returns(statusCode)),
    { ...returns(404, "Not here."), sees: "404, plain text" },
    { ...asksToWaitOnce(429, ...aYear), errorNames: "dbwebhooks:retrySeconds" },
    {
      does: "removes nothing and says so",
      sees: "200, `success: false`",
      fault: respond(200, { success: false }),
    },
    {
      does: "is behind a proxy that responds itself",
      sees: "200, an HTML page",
      fault: respond(200, htmlPage, { "content-type": "text/html" }),
    },
    {
      does: `returns 503 ${retriesExhausted}`,
      sees: "503",
      fault: respond(503, errorBody),
      environment: noRetries,
      errorNames: "dbwebhooks:retrySeconds",
    },
    {
      does: `never responds ${retriesExhausted}`,
      sees: noResponse,
      fault: { kind: "neverAnswer" },
      environment: noRetries,
      errorNames: "dbwebhooks:retrySeconds",
    },
  ]),
  ...rowsWith({ outcome: "notDeleted", service: "the webhook", state: "the webhook" }, [
    {
      does: "is not at `dbwebhooks:baseUrl` any more",
      sees: "no request",
      environment: httpsWithoutTls,
      errorNames: "formerBaseUrls",
    },
    {
      does: "has moved behind a proxy that never responds",
      sees: noConnection,
      environment: silentProxy,
    },
  ]),
  ...rowsWith({ outcome: "notDeleted", deletes: 1, state: "the webhook" }, [
    { does: removesOddly, sees: "200, half of the JSON", fault: truncatedJson },
    { does: removesOddly, sees: "200, 10 MiB of JSON", fault: hugeBody },
    { does: removesOddly, sees: '200, `success: "true"`', fault: withFields({ success: "true" }) },
  ]),
];

export const createFaults: readonly FaultRow[] = creations.map((row, index) => {
  return { ...row, on: "POST", name: `create-${index}` };
});
export const deleteFaults: readonly FaultRow[] = deletions.map((row, index) => {
  return { ...row, on: "DELETE", name: `delete-${index}` };
});
