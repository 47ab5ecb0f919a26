import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type Interceptor,
  type LocalService,
  startLocalService,
} from "../../../src/local-service/index.ts";
import { problemsOfRequest } from "../../helpers/api-document.ts";
import { errorBody, someArgs, wrapped } from "../../helpers/builders.ts";
import { kindOf } from "../../helpers/errors.ts";
import * as faults from "../../helpers/faults/faults.mts";
import { refusedUrl } from "../../helpers/http-server.ts";
import { createWebhook } from "../../helpers/local-service.ts";
import { startProvider, type Texts } from "../../helpers/provider.ts";
import { methodsOf, recordRequests } from "../../helpers/recorder.mts";

// Each fault on its whole way: service, HTTP, retries, provider. The class of each
// response and its consequence are tested in api/response-class.test.ts.

interface End {
  /** The kind of the error, or `created`, `deleted` or `alreadyGone`, which are no errors. */
  readonly outcome: string;
  /** The methods of the requests that the service receives. */
  readonly requests: readonly string[];
  /** Whether the webhook is at the service afterwards. */
  readonly webhookExists: boolean;
}

interface Cause {
  /** The behaviour of the service, in the title of the test. */
  readonly does: string;
  /** Default: none; the settings are the cause. */
  readonly fault?: Interceptor;
  readonly settings?: Texts;
}

type FaultCase = End & Cause;

/** Rows of different causes that have the same end. */
const ending = (end: End, causes: readonly Cause[]): readonly FaultCase[] =>
  causes.map((cause) => ({ ...end, ...cause }));

// With all arguments that are sent.
const args = someArgs({ tableId: "tbl_orders" });
const shortTimeout = { timeoutSeconds: "1" };
const noRetries = { retrySeconds: "0" };
const inOneSecond = { "retry-after": "1" };

const respond = (statusCode: number, body: unknown = errorBody("SOME_CODE"), headers = {}) =>
  faults.respondWith(statusCode, { headers, body });
const askForRetry = (statusCode: number) => respond(statusCode, undefined, inOneSecond);
const redirect = respond(301, "", { location: "https://elsewhere.example/api" });
const once = (interceptor: Interceptor) => faults.times(1, interceptor);
const neverRespond: Interceptor = () => new Promise(() => {});
const loginPage = respond(200, "<!doctype html>", { "content-type": "text/html" });
/** The JSON with the content type of an HTML page. */
const asHtml: Interceptor = async (_, next) =>
  new Response((await next()).body, { status: 201, headers: { "content-type": "text/html" } });
const truncatedJson = faults.changeText((text) => text.slice(0, text.length / 2));
const hugeBody = faults.withFields({ padding: "x".repeat(10 * 1024 * 1024) });
const responseEnd = "The response ends here.";
/** Breaks the connection after half of the response's body. */
const resetWithinBody = faults.changeText((text) => {
  const half = new TextEncoder().encode(text.slice(0, text.length / 2));
  return new ReadableStream({
    start: (controller) => controller.enqueue(half),
    pull: async (controller) => {
      // Otherwise, the server notices the error before it has sent anything.
      await setTimeout(50);
      controller.error(new Error(responseEnd));
    },
  });
});

const creations = [
  ...ending({ outcome: "created", requests: ["POST"], webhookExists: true }, [
    { does: "returns the JSON as `text/html`", fault: asHtml },
  ]),
  ...ending({ outcome: "created", requests: ["POST", "POST"], webhookExists: true }, [
    { does: "returns 429 with `Retry-After`, once", fault: once(askForRetry(429)) },
    { does: "returns 503 with `Retry-After` and its error, once", fault: once(askForRetry(503)) },
  ]),
  ...ending({ outcome: "notCreated", requests: ["POST"], webhookExists: false }, [
    { does: "redirects to another host", fault: redirect },
    { does: "returns 404 without the error body", fault: respond(404, "Not here.") },
    { does: "repeats the API key in its error message", fault: faults.echoAuthorization() },
    {
      does: "returns 429 for longer than `retrySeconds`",
      fault: askForRetry(429),
      settings: noRetries,
    },
  ]),
  ...ending({ outcome: "notCreated", requests: [], webhookExists: false }, [
    { does: "does not listen", settings: { baseUrl: refusedUrl, ...noRetries } },
  ]),
  ...ending({ outcome: "inDoubt", requests: ["POST"], webhookExists: false }, [
    { does: "never responds", fault: neverRespond, settings: shortTimeout },
    { does: "returns 500", fault: respond(500) },
    { does: "is behind a proxy that returns 200 with an HTML page", fault: loginPage },
  ]),
  ...ending({ outcome: "inDoubt", requests: ["POST"], webhookExists: true }, [
    {
      does: "creates it and never responds",
      fault: faults.handleThen(neverRespond),
      settings: shortTimeout,
    },
    { does: "creates it and resets the connection", fault: faults.loseResponse },
    { does: "creates it and resets within its response", fault: resetWithinBody },
    {
      does: "creates it, and a proxy returns 503 with `Retry-After`",
      fault: faults.handleThen(respond(503, "", inOneSecond)),
    },
    {
      does: "creates it and redirects to another path of its own",
      fault: faults.handleThen(respond(302, "", { location: "/webhooks" })),
    },
    { does: "creates it and returns half of the JSON", fault: truncatedJson },
    { does: "creates it and returns 10 MiB of JSON", fault: hugeBody },
  ]),
];

const deletions = [
  ...ending({ outcome: "deleted", requests: ["DELETE"], webhookExists: false }, [
    { does: "deletes it and returns 204", fault: faults.handleThen(faults.respondWith(204)) },
  ]),
  ...ending({ outcome: "deleted", requests: ["DELETE", "DELETE"], webhookExists: false }, [
    { does: "never responds, once", fault: once(neverRespond), settings: shortTimeout },
    { does: "returns 500, once", fault: once(respond(500)) },
  ]),
  ...ending(
    { outcome: "alreadyGone", requests: ["DELETE", "DELETE", "GET"], webhookExists: false },
    [
      {
        does: "deletes it and resets the connection, then returns 404",
        fault: once(faults.loseResponse),
      },
    ],
  ),
  ...ending({ outcome: "notDeleted", requests: ["DELETE"], webhookExists: true }, [
    { does: "returns 403", fault: respond(403) },
    { does: "returns 200 with `success: false`", fault: respond(200, { success: false }) },
    { does: "is behind a proxy that returns 200 with an HTML page", fault: loginPage },
    {
      does: "returns 503 for longer than `retrySeconds`",
      fault: respond(503),
      settings: noRetries,
    },
  ]),
  ...ending({ outcome: "notDeleted", requests: ["DELETE"], webhookExists: false }, [
    { does: "deletes it and returns half of the JSON", fault: truncatedJson },
  ]),
];

// The server of the local service prints the error of a response that ends.
const printed = new Set<string>();
const print = vi.spyOn(console, "error");
beforeAll(() => void print.mockImplementation(({ message }) => void printed.add(message)));
afterAll(() => {
  print.mockRestore();
  expect([responseEnd]).toEqual(expect.arrayContaining([...printed]));
});

describe.concurrent("A creation", () => {
  it.each(creations)("ends as $outcome where the service $does", async (faultCase) => {
    await using service = await startLocalService();
    const { create } = startWith(service, faultCase.settings);

    const { result, ...end } = await run(service, faultCase, faults.isPost, () => create(args));

    const [webhook] = service.webhooks;
    expect(end).toEqual(endOf(faultCase));
    if (faultCase.outcome === "created") {
      const outs = expect.objectContaining({ secret: wrapped(webhook?.secret) });
      expect(result).toEqual({ id: String(webhook?.id), outs });
    } else {
      expectFailure(result, faultCase.outcome);
    }
  });

  it("is in doubt where the service creates the webhook after the client has given up", async () => {
    await using service = await startLocalService();
    const { holdRequest, release } = faults.hold();
    service.use(holdRequest);
    const { create } = startWith(service, shortTimeout);

    const result = await create(args).catch((error) => error);
    await release();

    expectFailure(result, "inDoubt");
    expect(service.webhooks).toHaveLength(1);
  });
});

describe.concurrent("A deletion", () => {
  it.each(deletions)("ends as $outcome where the service $does", async (faultCase) => {
    await using service = await startLocalService();
    const { databaseId, ...body } = args;
    const { json } = await createWebhook(service, { databaseId, body });
    const { delete: remove, lines } = startWith(service, faultCase.settings);
    const state = { ...args, baseUrl: service.baseUrl, secret: json.secret };

    const { result, ...end } = await run(service, faultCase, faults.isDelete, () =>
      remove(`${json.id}`, state),
    );

    expect(end).toEqual(endOf(faultCase));
    if (faultCase.outcome === "notDeleted") {
      expectFailure(result, faultCase.outcome);
    } else {
      expect(result).toBeUndefined();
      const isNamed = lines.some((line) => line.includes(`webhook ${json.id} `));
      expect(isNamed, lines.join("\n")).toBe(faultCase.outcome === "alreadyGone");
    }
  });
});

function startWith({ baseUrl, apiKey }: LocalService, settings: Texts = {}) {
  return startProvider({ baseUrl, apiKey, retrySeconds: "15", ...settings });
}

/** Performs an operation whose requests meet the fault. */
async function run(
  service: LocalService,
  { fault }: FaultCase,
  isMet: typeof faults.isPost,
  operation: () => Promise<unknown>,
) {
  if (fault) {
    service.use((request, next) => (isMet(request) ? fault(request, next) : next()));
  }
  const { requests } = recordRequests(service);

  const result = await operation().catch((error: Error) => error);

  return {
    /** The error, if the operation failed. */
    result,
    requests: methodsOf(requests),
    /** How requests differ from docs/api/openapi.yaml. */
    problemsOfRequests: requests.flatMap(problemsOfRequest),
    webhookExists: service.webhooks.length > 0,
  };
}

function endOf({ requests, webhookExists }: End) {
  return { requests, webhookExists, problemsOfRequests: [] };
}

/** Expects an error of this kind, which names the database outside of a URL. */
function expectFailure(result: unknown, kind: string): void {
  const { message } = result as Error;
  expect(kindOf({ message }), message).toBe(kind);
  expect(message.replace(/https?:\S+/g, "")).toContain(args.databaseId);
}
