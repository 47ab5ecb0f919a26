import { setTimeout } from "node:timers/promises";
import { withheldText } from "../../../../src/common/redaction.ts";
import type { Interceptor } from "../../../../src/local-service/index.ts";
import { errorBody } from "../../../helpers/builders.ts";
import * as faults from "../../../helpers/faults/faults.mts";
import { refusedUrl } from "../../../helpers/http-server.ts";
import type { Texts } from "../../../helpers/provider.ts";

/**
 * How an operation can end. An error's kind is the name of its outcome, and `created`, `deleted`
 * and `alreadyGone` are no errors.
 */
type Outcome =
  | "created"
  /** The service has created no webhook. */
  | "notCreated"
  /** The service may have created a webhook whose secret is lost. */
  | "inDoubt"
  | "deleted"
  /** A line says that the service did not have the webhook any more. */
  | "alreadyGone"
  /** The service has not confirmed the deletion. */
  | "notDeleted";

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
  /** Default: none; the settings or an earlier removal are the cause. */
  readonly fault?: Interceptor;
  /** How many requests meet the fault. Default: all. */
  readonly times?: number;
  /** Whether the service handles the request only after the operation has ended. */
  readonly isHeldBack?: boolean;
  /** A part of the error message. */
  readonly errorContains?: string;
  /** Whether the webhook is removed from the service before it is deleted. */
  readonly isRemovedBefore?: boolean;
  readonly settings?: Texts;
}

/** A fault that the creation or the deletion of a webhook meets. */
export interface FaultCase extends ExpectedResult, Cause {
  readonly on: "POST" | "DELETE";
}

/** Keeps the connection open and sends nothing. */
const neverRespond: Interceptor = () => new Promise(() => {});

/** A complete HTTP message whose JSON is cut in half. */
const truncatedJson = faults.changeText((text) => text.slice(0, text.length / 2));

/** The response with 10 MiB of padding. */
const hugeBody = faults.withFields({ padding: "x".repeat(10 * 1024 * 1024) });

/** The response with its id as a string of digits. */
const idAsString = faults.changeText((text) => text.replace(/"id":(\d+)/, '"id":"$1"'));

/** The response with the content type of an HTML page. */
const asHtml: Interceptor = async (_, next) => {
  const { status, body } = await next();
  return new Response(body, { status, headers: { "content-type": "text/html" } });
};

/** Breaks the connection after half of the response's body. */
const resetWithinBody = faults.changeText((text) => {
  const half = new TextEncoder().encode(text.slice(0, text.length / 2));
  return new ReadableStream({
    start: (controller) => controller.enqueue(half),
    pull: async (controller) => {
      // Otherwise, the server notices the error before it has sent anything.
      await setTimeout(50);
      controller.error(new Error("The response ends here."));
    },
  });
});

const shortTimeout = { timeoutSeconds: "1" };
const noRetries = { retrySeconds: "0" };

const htmlPage = "<!doctype html><title>Sign in</title>";
const inOneSecond = { "retry-after": "1" };

/** A fault that sends a response in place of the service's own, before the request takes effect. */
function respond(statusCode: number, body: unknown = errorBody("SOME_CODE"), headers = {}) {
  return faults.respondWith(statusCode, { headers, body });
}

/** A service that returns a status code, which the error message names. */
function returns(statusCode: number): Cause {
  const does = `returns ${statusCode}`;
  return { does, fault: respond(statusCode), errorContains: ` ${statusCode}` };
}

/** A service that once asks for a retry after a second. */
function returnsOnce(statusCode: number): Cause {
  const does = `returns ${statusCode} with a second in \`Retry-After\`, once`;
  return { does, fault: respond(statusCode, undefined, inOneSecond), times: 1 };
}

const neverResponds: Cause = {
  does: "never responds",
  fault: neverRespond,
  settings: shortTimeout,
};
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
  fault: respond(429, undefined, { "retry-after": String(365 * 86_400) }),
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
  fault: faults.delay(300),
};

/** Cases with different causes and the same result. */
function casesOn(on: "POST" | "DELETE", result: ExpectedResult, causes: readonly Cause[]) {
  return causes.map((cause): FaultCase => ({ on, ...result, ...cause }));
}

export const createFaults = [
  ...casesOn("POST", { outcome: "created", requests: ["POST"], webhookExists: true }, [
    lateResponse,
    { does: "creates it and returns the JSON as `text/html`", fault: asHtml },
    { does: "creates it and returns more fields", fault: faults.withFields({ active: true }) },
    { does: "creates it and returns the id as a string", fault: idAsString },
  ]),
  ...casesOn("POST", { outcome: "created", requests: ["POST", "POST"], webhookExists: true }, [
    returnsOnce(429),
    returnsOnce(503),
  ]),
  ...casesOn("POST", { outcome: "notCreated", requests: ["POST"], webhookExists: false }, [
    redirect,
    returns(400),
    notFoundWithoutErrorBody,
    rateLimitedForAYear,
    {
      does: "repeats the API key in its error message",
      fault: faults.echoAuthorization(),
      errorContains: withheldText,
    },
    {
      does: "returns 429 for longer than `dbwebhooks:retrySeconds`",
      fault: respond(429, undefined, inOneSecond),
      settings: noRetries,
      errorContains: "dbwebhooks:retrySeconds",
    },
  ]),
  ...casesOn("POST", { outcome: "notCreated", requests: [], webhookExists: false }, [
    {
      does: "does not listen",
      settings: { baseUrl: refusedUrl, ...noRetries },
      errorContains: "ECONNREFUSED",
    },
  ]),
  ...casesOn("POST", { outcome: "inDoubt", requests: ["POST"], webhookExists: false }, [
    neverResponds,
    { does: "resets the connection", fault: () => Response.error() },
    returns(500),
    successFalse,
    loginPage,
  ]),
  ...casesOn("POST", { outcome: "inDoubt", requests: ["POST"], webhookExists: true }, [
    {
      ...neverResponds,
      does: "creates it and never responds",
      fault: faults.handleThen(neverRespond),
    },
    {
      does: "creates it after the client has given up",
      isHeldBack: true,
      settings: shortTimeout,
    },
    { does: "creates it and resets the connection", fault: faults.loseResponse },
    { does: "creates it and resets within its response", fault: resetWithinBody },
    {
      does: "creates it, and a proxy returns 503 with `Retry-After`",
      fault: faults.handleThen(respond(503, htmlPage, inOneSecond)),
    },
    { does: "creates it and returns half of the JSON", fault: truncatedJson },
    { does: "creates it and returns 10 MiB of JSON", fault: hugeBody },
    { does: "creates it and returns no id", fault: faults.withFields({ id: undefined }) },
    {
      does: "creates it and returns a secret that is no text",
      fault: faults.withFields({ secret: 42 }),
    },
  ]),
];

export const deleteFaults = [
  ...casesOn("DELETE", { outcome: "deleted", requests: ["DELETE"], webhookExists: false }, [
    lateResponse,
    {
      does: "deletes it and returns 204",
      fault: faults.handleThen(faults.respondWith(204)),
    },
  ]),
  ...casesOn(
    "DELETE",
    { outcome: "deleted", requests: ["DELETE", "DELETE"], webhookExists: false },
    [
      { ...neverResponds, does: "never responds, once", times: 1 },
      { does: "returns 500, once", fault: respond(500), times: 1 },
      returnsOnce(429),
      returnsOnce(503),
    ],
  ),
  ...casesOn(
    "DELETE",
    { outcome: "alreadyGone", requests: ["DELETE", "GET"], webhookExists: false },
    [{ does: "does not have it any more, and returns 404 `NOT_FOUND`", isRemovedBefore: true }],
  ),
  ...casesOn(
    "DELETE",
    { outcome: "alreadyGone", requests: ["DELETE", "DELETE", "GET"], webhookExists: false },
    [
      {
        does: "deletes it and resets the connection, then returns 404 `NOT_FOUND`",
        fault: faults.loseResponse,
        times: 1,
      },
    ],
  ),
  ...casesOn("DELETE", { outcome: "notDeleted", requests: ["DELETE"], webhookExists: true }, [
    redirect,
    returns(403),
    notFoundWithoutErrorBody,
    rateLimitedForAYear,
    successFalse,
    loginPage,
    {
      does: "returns 503 for longer than `dbwebhooks:retrySeconds`",
      fault: respond(503),
      settings: noRetries,
      errorContains: "dbwebhooks:retrySeconds",
    },
  ]),
  ...casesOn("DELETE", { outcome: "notDeleted", requests: ["DELETE"], webhookExists: false }, [
    { does: "deletes it and returns half of the JSON", fault: truncatedJson },
  ]),
];
