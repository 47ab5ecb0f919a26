import {
  connectionReset,
  delay,
  type Interceptor,
  loseResponse,
  respondWith,
} from "pulumi-dbwebhooks/local-service";
import * as faults from "../../helpers/faults/faults.mts";
import { startProxy } from "../../helpers/http-server.ts";

/**
 * How an operation can end, and what the state then holds. An error's kind is the name of its
 * outcome, and `created`, `deleted` and `alreadyGone` are no errors.
 */
export const outcomes = {
  created: "the webhook",
  /** The service has created no webhook. */
  notCreated: "nothing",
  /** The service may have created a webhook whose secret is lost. */
  inDoubt: "nothing",
  deleted: "nothing",
  /** A line of output says that the service did not have the webhook any more. */
  alreadyGone: "nothing",
  /** The service has not confirmed the deletion. */
  notDeleted: "the webhook",
} as const;

export type Outcome = keyof typeof outcomes;

interface ExpectedResult {
  readonly outcome: Outcome;
  /** The methods of the requests that the service receives. */
  readonly requests: readonly string[];
  /** Whether the webhook is at the service afterwards. */
  readonly webhookExists: boolean;
}

interface Cause {
  /** What the service does, in the title of the test. */
  readonly does: string;
  /** Default: none; the environment or an earlier removal is the cause. */
  readonly fault?: Interceptor;
  /** How many requests meet the fault. Default: all. */
  readonly times?: number;
  /** Whether the service handles the request only after the operation has ended. */
  readonly isHeldBack?: boolean;
  /** A part of the error message. */
  readonly errorContains?: string;
  /** Whether the webhook is removed from the service before Pulumi deletes it. */
  readonly isRemovedBefore?: boolean;
  /** Environment variables. Cases with the same function share a process. */
  readonly environment?: () => Promise<Readonly<Record<string, string>>>;
  /** The base URL in the state. Default: that of the local service. */
  readonly storedBaseUrl?: string;
}

/** A fault that the creation or the deletion of a webhook meets. */
export interface FaultCase extends ExpectedResult, Cause {
  readonly databaseId: string;
  readonly on: "POST" | "DELETE";
}

export const defaultSettings = { timeoutSeconds: "30", retrySeconds: "15" };

const shortTimeout = async () => ({ DBWEBHOOKS_TIMEOUT_SECONDS: "5" });
const noRetries = async () => ({ DBWEBHOOKS_RETRY_SECONDS: "0" });
const withoutLists = async () => ({ DBWEBHOOKS_LISTING: "false" });
const closedPort = async () => ({
  DBWEBHOOKS_BASE_URL: "http://127.0.0.1:1",
  DBWEBHOOKS_RETRY_SECONDS: "1",
});
const remoteBaseUrl = "https://tables.example.com";
const anotherBaseUrl = async () => ({ DBWEBHOOKS_BASE_URL: remoteBaseUrl });

async function withSilentProxy() {
  const proxy = await startProxy(remoteBaseUrl);
  return {
    DBWEBHOOKS_BASE_URL: remoteBaseUrl,
    DBWEBHOOKS_TIMEOUT_SECONDS: "1",
    DBWEBHOOKS_RETRY_SECONDS: "1",
    HTTPS_PROXY: proxy.url,
  };
}

const htmlPage = "<!doctype html><title>Sign in</title>";
const errorBody = { error: { code: "SOME_CODE", message: "The service's own words." } };
const inOneSecond = { "retry-after": "1" };

/** A fault that sends a response in place of the service's own, before the request takes effect. */
function respond(statusCode: number, body: string | object = errorBody, headers = {}) {
  return respondWith(statusCode, { headers, body });
}

const { neverRespond } = faults;

/** A service that returns a status code, which the error message names. */
function returns(statusCode: number): Cause {
  const does = `returns ${statusCode}`;
  return { does, fault: respond(statusCode), errorContains: ` ${statusCode}` };
}

/** A service that once asks for a retry after a second. */
function returnsOnce(statusCode: number): Cause {
  const does = `returns ${statusCode} with a second in \`Retry-After\`, once`;
  return { does, fault: respond(statusCode, errorBody, inOneSecond), times: 1 };
}

const redirect: Cause = {
  does: "redirects to another host",
  fault: respond(301, "", { location: "https://elsewhere.example/api" }),
  errorContains: "https://elsewhere.example",
};
const notFoundWithoutErrorBody: Cause = {
  does: "returns 404 without the error body",
  fault: respond(404, "Not here."),
};
const rateLimitedForAYear: Cause = {
  does: "returns 429 with a year in `Retry-After`",
  fault: respond(429, errorBody, { "retry-after": String(365 * 86_400) }),
  errorContains: "dbwebhooks:retrySeconds",
};
const successFalse: Cause = {
  does: "returns 200 with `success: false`",
  fault: respond(200, { success: false }),
};
const loginPage: Cause = {
  does: "is behind a proxy that returns 200 with an HTML page",
  fault: respond(200, htmlPage, { "content-type": "text/html" }),
};
const lateResponse: Cause = {
  does: "responds late, within the timeout",
  fault: delay(300),
};
const behindSilentProxy: Cause = {
  does: "is behind a proxy that never responds to `CONNECT`",
  environment: withSilentProxy,
  errorContains: "within 1 s",
};

/** Cases with different causes and the same result. */
function casesWith(result: ExpectedResult, causes: readonly Cause[]) {
  return causes.map((cause) => ({ ...result, ...cause }));
}

/** Gives each case a database of its own. */
function casesOn(on: "POST" | "DELETE", cases: readonly (ExpectedResult & Cause)[]) {
  return cases.map((one, index): FaultCase => ({ ...one, on, databaseId: `${on}-${index}` }));
}

export const createFaults = casesOn("POST", [
  ...casesWith({ outcome: "created", requests: ["POST"], webhookExists: true }, [
    lateResponse,
    { does: "creates it and returns the JSON as `text/html`", fault: faults.asHtml },
    { does: "creates it and returns more fields", fault: faults.withFields({ active: true }) },
    { does: "creates it and returns the id as a string", fault: faults.idAsString },
  ]),
  ...casesWith({ outcome: "created", requests: ["POST", "POST"], webhookExists: true }, [
    returnsOnce(429),
    returnsOnce(503),
  ]),
  ...casesWith({ outcome: "notCreated", requests: ["POST"], webhookExists: false }, [
    redirect,
    returns(400),
    notFoundWithoutErrorBody,
    rateLimitedForAYear,
    {
      does: "repeats the API key in its error message",
      fault: faults.echoAuthorization(),
      errorContains: "[withheld:",
    },
    {
      does: "returns 429 for longer than `dbwebhooks:retrySeconds`",
      fault: respond(429, errorBody, inOneSecond),
      environment: noRetries,
      errorContains: "dbwebhooks:retrySeconds",
    },
  ]),
  ...casesWith({ outcome: "notCreated", requests: [], webhookExists: false }, [
    { does: "does not listen", environment: closedPort, errorContains: "ECONNREFUSED" },
    behindSilentProxy,
  ]),
  ...casesWith({ outcome: "inDoubt", requests: ["POST"], webhookExists: false }, [
    { does: "never responds", fault: neverRespond, environment: shortTimeout },
    { does: "resets the connection", fault: connectionReset },
    returns(500),
    successFalse,
    loginPage,
  ]),
  ...casesWith({ outcome: "inDoubt", requests: ["POST"], webhookExists: true }, [
    {
      does: "creates it and never responds",
      fault: faults.handleThen(neverRespond),
      environment: shortTimeout,
    },
    {
      does: "creates it after the client has given up",
      isHeldBack: true,
      environment: shortTimeout,
    },
    { does: "creates it and resets the connection", fault: loseResponse() },
    { does: "creates it and resets within its response", fault: faults.resetWithinBody },
    {
      does: "creates it, and a proxy returns 503 with `Retry-After`",
      fault: faults.handleThen(respond(503, htmlPage, inOneSecond)),
    },
    { does: "creates it and returns half of the JSON", fault: faults.truncatedJson },
    { does: "creates it and returns 10 MiB of JSON", fault: faults.hugeBody },
    { does: "creates it and returns no id", fault: faults.withFields({ id: undefined }) },
    {
      does: "creates it and returns a secret that is no text",
      fault: faults.withFields({ secret: 42 }),
    },
  ]),
]);

export const deleteFaults = casesOn("DELETE", [
  ...casesWith({ outcome: "deleted", requests: ["DELETE"], webhookExists: false }, [
    lateResponse,
    {
      does: "deletes it and returns 204",
      fault: faults.handleThen(respondWith(204)),
    },
  ]),
  ...casesWith({ outcome: "deleted", requests: ["DELETE", "DELETE"], webhookExists: false }, [
    { does: "never responds, once", fault: neverRespond, times: 1, environment: shortTimeout },
    { does: "returns 500, once", fault: respond(500), times: 1 },
    returnsOnce(429),
    returnsOnce(503),
  ]),
  ...casesWith({ outcome: "alreadyGone", requests: ["DELETE"], webhookExists: false }, [
    {
      does: "does not have it any more, and returns 404 `NOT_FOUND`, without lists",
      isRemovedBefore: true,
      environment: withoutLists,
    },
  ]),
  ...casesWith({ outcome: "alreadyGone", requests: ["DELETE", "GET"], webhookExists: false }, [
    { does: "does not have it any more, and returns 404 `NOT_FOUND`", isRemovedBefore: true },
  ]),
  ...casesWith(
    { outcome: "alreadyGone", requests: ["DELETE", "DELETE", "GET"], webhookExists: false },
    [
      {
        does: "deletes it and resets the connection, then returns 404 `NOT_FOUND`",
        fault: loseResponse(),
        times: 1,
      },
    ],
  ),
  ...casesWith({ outcome: "notDeleted", requests: ["DELETE"], webhookExists: true }, [
    redirect,
    returns(403),
    notFoundWithoutErrorBody,
    rateLimitedForAYear,
    successFalse,
    loginPage,
    {
      does: "returns 503 for longer than `dbwebhooks:retrySeconds`",
      fault: respond(503),
      environment: noRetries,
      errorContains: "dbwebhooks:retrySeconds",
    },
  ]),
  ...casesWith({ outcome: "notDeleted", requests: ["DELETE"], webhookExists: false }, [
    { does: "deletes it and returns half of the JSON", fault: faults.truncatedJson },
  ]),
  ...casesWith({ outcome: "notDeleted", requests: [], webhookExists: true }, [
    {
      does: "is not at `dbwebhooks:baseUrl` any more",
      environment: anotherBaseUrl,
      errorContains: "the state holds the webhook at",
    },
    { ...behindSilentProxy, storedBaseUrl: remoteBaseUrl },
  ]),
]);
