import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Fault, FaultRule, LocalService } from "pulumi-dbwebhooks/local-service";
import {
  asHtml,
  echoAuthorization,
  hugeBody,
  idAsString,
  truncatedJson,
  withFields,
} from "../../helpers/faults/faults.mjs";

/** How an operation can end, and what the state then holds. Errors have the kind of their outcome. */
export const outcomes = {
  created: { state: "the webhook", meaning: "No error." },
  notCreated: {
    state: "nothing",
    meaning: "An error. It says that the service has created no webhook.",
  },
  inDoubt: {
    state: "nothing",
    meaning:
      "An error. The service may have created a webhook whose secret is lost: the error names the database and what to look for there.",
  },
  undone: {
    state: "nothing",
    meaning: "An error. The response had no secret, and the new webhook was deleted.",
  },
  partial: {
    state: "the webhook, no secret",
    meaning:
      "An error. The response had no secret, and the webhook could not be deleted. The next `pulumi up` replaces it.",
  },
  deleted: { state: "nothing", meaning: "No error." },
  alreadyGone: {
    state: "nothing",
    meaning: "No error. A line of output says that the service did not have the webhook any more.",
  },
  notDeleted: {
    state: "the webhook",
    meaning: "An error. The service has not confirmed the deletion.",
  },
} as const;

export type Outcome = keyof typeof outcomes;

/** What a fault leads to. */
interface End {
  readonly outcome: Outcome;
  /** The methods of the requests that the service receives. */
  readonly requests: readonly string[];
  /** Whether the service holds the webhook afterwards. */
  readonly isHeld: boolean;
}

interface Cause {
  /** What the service does, for the page. */
  readonly does: string;
  /** Default: none, because the settings are the cause. */
  readonly fault?: Fault;
  /** How many requests meet the fault. Default: all. */
  readonly times?: number;
  /** A fault of the deletion that undoes a creation. */
  readonly faultOfUndo?: Fault;
  /** A part of the error message. */
  readonly errorNames?: string;
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

const shortTimeout = async () => ({ DBWEBHOOKS_TIMEOUT_SECONDS: "5" });
const noRetries = async () => ({
  DBWEBHOOKS_TIMEOUT_SECONDS: "5",
  DBWEBHOOKS_RETRY_SECONDS: "0",
});
const listing = async () => ({ DBWEBHOOKS_LISTING: "true" });
const closedPort = async () => ({
  DBWEBHOOKS_BASE_URL: "http://127.0.0.1:1",
  DBWEBHOOKS_RETRY_SECONDS: "1",
});
const anotherBaseUrl = async () => ({ DBWEBHOOKS_BASE_URL: "https://tables.example.com" });

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
const inOneSecond = { "retry-after": "1" };
const inAYear = { "retry-after": String(365 * 86_400) };

/** A fault that sends a response in place of the service's own, before the request takes effect. */
function respond(statusCode: number, body: string | object = errorBody, headers = {}) {
  return { kind: "respond", statusCode, headers, body } as const;
}

/** A service that returns a status code, which the error message names. */
function returns(statusCode: number): Cause {
  return {
    does: `returns ${statusCode}`,
    fault: respond(statusCode),
    errorNames: ` ${statusCode}`,
  };
}

/** A service that returns a status code to the first request only. */
function returnsOnce(statusCode: number): Cause {
  return { does: `returns ${statusCode}, once`, fault: respond(statusCode), times: 1 };
}

const redirects: Cause = {
  does: "redirects to another host",
  fault: respond(301, "", { location: "https://elsewhere.example/api" }),
  errorNames: "https://elsewhere.example",
};
const lacksEnvelope: Cause = {
  does: "returns 404 without the error body",
  fault: respond(404, "Not here."),
};
const refusesForAYear: Cause = {
  does: "returns 429 with a year in `Retry-After`",
  fault: respond(429, errorBody, inAYear),
  errorNames: "dbwebhooks:retrySeconds",
};
const refusesOnce: Cause = {
  does: "returns 429 with a second in `Retry-After`, once",
  fault: respond(429, errorBody, inOneSecond),
  times: 1,
};
const isBusyOnce: Cause = {
  does: "returns 503 with a second in `Retry-After`, once",
  fault: respond(503, errorBody, inOneSecond),
  times: 1,
};
const deniesSuccess: Cause = {
  does: "returns 200 with `success: false`",
  fault: respond(200, { success: false }),
};
const isBehindLoginPage: Cause = {
  does: "is behind a proxy that returns 200 with an HTML page",
  fault: respond(200, htmlPage, { "content-type": "text/html" }),
};
const isLate: Cause = {
  does: "responds late, within the timeout",
  fault: { kind: "delay", ms: 300 },
};
const isBehindSilentProxy: Cause = {
  does: "is behind a proxy that never responds to `CONNECT`",
  environment: silentProxy,
};

/** Rows for everything that ends in the same way. */
function rowsOf(
  outcome: Outcome,
  { requests, isHeld }: Pick<End, "requests" | "isHeld">,
  causes: readonly Cause[],
) {
  return causes.map((cause) => ({ outcome, requests, isHeld, ...cause }));
}

const creations = [
  ...rowsOf("created", { requests: ["POST"], isHeld: true }, [
    isLate,
    { does: "creates it and returns the JSON as `text/html`", fault: asHtml },
    { does: "creates it and returns more fields", fault: withFields({ active: true }) },
    { does: "creates it and returns the id as a string", fault: idAsString },
  ]),
  ...rowsOf("created", { requests: ["POST", "POST"], isHeld: true }, [
    returnsOnce(429),
    refusesOnce,
    isBusyOnce,
  ]),
  ...rowsOf("notCreated", { requests: ["POST"], isHeld: false }, [
    redirects,
    ...[400, 401, 403, 404, 422].map(returns),
    lacksEnvelope,
    refusesForAYear,
    {
      does: "repeats the API key in its error message",
      fault: echoAuthorization(),
      errorNames: "[withheld:",
    },
    {
      does: "returns 429 for longer than `dbwebhooks:retrySeconds`",
      fault: respond(429, errorBody, inOneSecond),
      environment: noRetries,
      errorNames: "dbwebhooks:retrySeconds",
    },
  ]),
  ...rowsOf("notCreated", { requests: [], isHeld: false }, [
    { does: "does not listen", environment: closedPort },
    isBehindSilentProxy,
  ]),
  ...rowsOf("inDoubt", { requests: ["POST"], isHeld: false }, [
    { does: "never responds", fault: { kind: "neverRespond" }, environment: shortTimeout },
    { does: "resets the connection before it reads", fault: { kind: "resetBeforeReading" } },
    ...[303, 408, 409, 500, 502, 503, 504].map(returns),
    deniesSuccess,
    isBehindLoginPage,
  ]),
  ...rowsOf("inDoubt", { requests: ["POST"], isHeld: true }, [
    {
      does: "creates it and never responds",
      fault: { kind: "neverRespond", commit: true },
      environment: shortTimeout,
    },
    {
      does: "creates it after the client has given up",
      fault: { kind: "hold" },
      environment: shortTimeout,
    },
    { does: "creates it and resets the connection", fault: { kind: "resetAfterCommit" } },
    { does: "creates it and resets within its response", fault: { kind: "resetMidBody" } },
    {
      does: "creates it, and a proxy returns 503 with `Retry-After`",
      fault: { ...respond(503, htmlPage, inOneSecond), commit: true },
    },
    { does: "creates it and returns half of the JSON", fault: truncatedJson },
    { does: "creates it and returns 10 MiB of JSON", fault: hugeBody },
    { does: "creates it and returns no id", fault: withFields({ id: undefined }) },
  ]),
  ...rowsOf("inDoubt", { requests: ["POST", "GET"], isHeld: true }, [
    {
      does: "creates it, resets the connection, and lists it",
      fault: { kind: "resetAfterCommit" },
      environment: listing,
    },
  ]),
  ...rowsOf("undone", { requests: ["POST", "DELETE"], isHeld: false }, [
    { does: "creates it and returns no secret", fault: withFields({ secret: undefined }) },
    { does: "creates it and returns an empty secret", fault: withFields({ secret: "" }) },
  ]),
  ...rowsOf("partial", { requests: ["POST", "DELETE"], isHeld: true }, [
    {
      does: "creates it and returns no secret, and 403 to the deletion",
      fault: withFields({ secret: undefined }),
      faultOfUndo: respond(403),
      errorNames: " 403",
    },
  ]),
];

const deletions = [
  ...rowsOf("deleted", { requests: ["DELETE"], isHeld: false }, [
    isLate,
    {
      does: "deletes it and returns 204",
      fault: { kind: "respond", statusCode: 204, commit: true },
    },
  ]),
  ...rowsOf("deleted", { requests: ["DELETE", "DELETE"], isHeld: false }, [
    {
      does: "never responds, once",
      fault: { kind: "neverRespond" },
      times: 1,
      environment: shortTimeout,
    },
    {
      does: "deletes it and resets the connection, then returns 404 `NOT_FOUND`",
      fault: { kind: "resetAfterCommit" },
      times: 1,
    },
    ...[408, 425, 429, 500, 502, 503, 504].map(returnsOnce),
    refusesOnce,
    isBusyOnce,
  ]),
  ...rowsOf("alreadyGone", { requests: ["DELETE"], isHeld: false }, [
    { does: "has lost it before, and returns 404 `NOT_FOUND`", isRemovedBefore: true },
  ]),
  ...rowsOf("notDeleted", { requests: ["DELETE"], isHeld: true }, [
    redirects,
    ...[400, 401, 403, 404, 409, 422].map(returns),
    lacksEnvelope,
    refusesForAYear,
    deniesSuccess,
    isBehindLoginPage,
    {
      does: "returns 503 for longer than `dbwebhooks:retrySeconds`",
      fault: respond(503),
      environment: noRetries,
      errorNames: "dbwebhooks:retrySeconds",
    },
  ]),
  ...rowsOf("notDeleted", { requests: ["DELETE"], isHeld: false }, [
    { does: "deletes it and returns half of the JSON", fault: truncatedJson },
  ]),
  ...rowsOf("notDeleted", { requests: [], isHeld: true }, [
    {
      does: "is not at `dbwebhooks:baseUrl` any more",
      environment: anotherBaseUrl,
      errorNames: "formerBaseUrls",
    },
    isBehindSilentProxy,
  ]),
];

export const createFaults: readonly FaultRow[] = creations.map((row, index) => {
  return { ...row, on: "POST", name: `create-${index}` };
});
export const deleteFaults: readonly FaultRow[] = deletions.map((row, index) => {
  return { ...row, on: "DELETE", name: `delete-${index}` };
});

/** The faults of the local service that a row needs. */
export function faultRulesOf({ on, name, fault, times, faultOfUndo }: FaultRow): FaultRule[] {
  const rule = { on, databaseId: name, ...(times !== undefined && { times }) };
  return [
    ...(fault ? [{ ...rule, fault }] : []),
    ...(faultOfUndo ? [{ on: "DELETE" as const, databaseId: name, fault: faultOfUndo }] : []),
  ];
}
