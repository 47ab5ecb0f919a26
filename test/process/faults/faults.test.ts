import {
  type LocalService,
  type ReceivedRequest,
  startLocalService,
  times,
} from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { type Adapter, adapters, startAdapter } from "../../helpers/adapters/adapters.ts";
import { problemsOfRequest } from "../../helpers/api-document.ts";
import { someArgs } from "../../helpers/builders.ts";
import { kindOf } from "../../helpers/errors.ts";
import { hold, isOf } from "../../helpers/faults/faults.mts";
import { createWebhook } from "../../helpers/local-service.ts";
import {
  createFaults,
  defaultSettings,
  deleteFaults,
  type FaultCase,
  type Outcome,
  outcomes,
} from "./cases.ts";

const cases = [...createFaults, ...deleteFaults];
const casesEndingAs = (...wanted: readonly Outcome[]) =>
  cases.filter(({ outcome }) => wanted.includes(outcome));

type Result = Awaited<ReturnType<typeof runCase>>;

describe.each(adapters)("A fault that $name meets", (adapter) => {
  let results: ReadonlyMap<FaultCase, Result>;
  const resultOf = (faultCase: FaultCase) => results.get(faultCase) as Result;

  beforeAll(async () => {
    results = await runCases(adapter);
  });

  it.each(cases)(
    "leads to the documented requests, webhooks at the service and state: $on, where the service $does",
    (faultCase) => {
      expect(resultOf(faultCase)).toMatchObject({
        requests: faultCase.requests,
        webhookIds: faultCase.webhookExists ? [expect.any(Number)] : [],
        state: outcomes[faultCase.outcome],
      });
    },
  );

  it("leads only to requests that the API describes", () => {
    const problems = cases.flatMap((faultCase) => resultOf(faultCase).problemsOfRequests);

    expect(problems).toEqual([]);
  });

  it.each(casesEndingAs("notCreated", "inDoubt", "notDeleted"))(
    "ends with an error of the kind $outcome: $on, where the service $does",
    (faultCase) => {
      const { error } = resultOf(faultCase);

      expect(kindOf({ message: error }), error).toBe(faultCase.outcome);
      expect(error).toContain(faultCase.errorContains ?? "");
    },
  );

  it.each(casesEndingAs("created", "deleted"))(
    "ends without an error or a line that names its database: $on, where the service $does",
    (faultCase) => {
      const { error, lines } = resultOf(faultCase);

      expect({ error, lines: lines() }).toEqual({ error: "", lines: [] });
    },
  );

  it.each(casesEndingAs("alreadyGone"))(
    "ends with a line that names its database and without an error: $on, where the service $does",
    (faultCase) => {
      const { error, lines } = resultOf(faultCase);

      expect({ error, lines: lines() }).toEqual({ error: "", lines: [expect.any(String)] });
    },
  );

  it.each(casesEndingAs("inDoubt"))("has an error that names the database: $does", (faultCase) => {
    const { error } = resultOf(faultCase);

    expect(namesDatabase(error, faultCase), error).toBe(true);
  });
});

/** Runs all cases at once, with one process for all cases that share their environment. */
async function runCases(adapter: Adapter): Promise<ReadonlyMap<FaultCase, Result>> {
  await using service = await startLocalService({ listing: true });
  const settings = { ...defaultSettings, baseUrl: service.baseUrl, apiKey: service.apiKey };
  const groups = [...Map.groupBy(cases, ({ environment }) => environment)];
  // A process that starts loads the machine, so the short timeouts of the cases begin only
  // afterwards.
  const started = await Promise.all(
    groups.map(async ([environment, casesOfProcess]) => {
      const running = await startAdapter(adapter, settings, await environment?.());
      return { setup: { service, running }, casesOfProcess };
    }),
  );
  const results = new Map<FaultCase, Result>();
  const finished = started.map(async ({ setup, casesOfProcess }) => {
    const runs = casesOfProcess.map(async (faultCase) => {
      results.set(faultCase, await runCase(setup, faultCase));
    });
    await Promise.all(runs);
    await setup.running[Symbol.asyncDispose]();
  });
  await Promise.all(finished);
  return results;
}

interface Setup {
  readonly service: LocalService;
  readonly running: Awaited<ReturnType<typeof startAdapter>>;
}

async function runCase(setup: Setup, faultCase: FaultCase) {
  const { service, running } = setup;
  const { on, databaseId, fault } = faultCase;
  const isOfCase = isOf(databaseId);
  const prepare = on === "POST" ? prepareCreation : prepareDeletion;
  const operation = await prepare(setup, faultCase);
  const requestsBefore = service.requests.filter(isOfCase).length;
  const isMet = (request: ReceivedRequest) => isOfCase(request) && request.method === on;
  if (fault) {
    service.use(times(faultCase.times ?? Number.POSITIVE_INFINITY, fault, isMet));
  }
  const { holdRequest, release } = hold();
  if (faultCase.isHeldBack) {
    service.use(times(1, holdRequest, isMet));
  }

  const { state, error } = await operation();

  if (faultCase.isHeldBack) {
    const committed = service.nextRequest((request) => isOfCase(request) && request.committed);
    // The service creates the webhook only now, after the operation has failed.
    release();
    await committed;
  }
  const requests = service.requests.filter(isOfCase).slice(requestsBefore);
  return {
    /** What Pulumi would store. */
    state,
    /** The message of the error; empty if the operation succeeded. */
    error,
    requests: requests.map(({ method }) => method),
    /** How requests differ from docs/api/openapi.yaml. */
    problemsOfRequests: requests.flatMap(problemsOfRequest),
    webhookIds: service.webhooks.filter(isOfCase).map(({ id }) => id),
    /** Output that names the database outside of a URL; complete once the process has ended. */
    lines: () => running.lines().filter((line) => namesDatabase(line, faultCase)),
  };
}

/** Returns a function that creates the webhook. */
async function prepareCreation({ service, running }: Setup, { databaseId }: FaultCase) {
  // All arguments that are sent.
  const args = someArgs({ databaseId, tableId: "tbl_orders" });
  const { inputs, failures } = await running.check(args);
  expect(failures).toEqual([]);
  return async () => {
    const result = await running.create(inputs, databaseId);
    const created = service.webhooks.find((webhook) => webhook.databaseId === databaseId);
    const idOfCreated = created && String(created.id);
    if ("error" in result) {
      return { state: "nothing", error: result.error };
    }
    const isStored = result.id === idOfCreated && result.secret === created?.secret;
    return { state: isStored ? "the webhook" : "another id or secret", error: "" };
  };
}

/** Creates a webhook, and returns a function that deletes it. */
async function prepareDeletion({ service, running }: Setup, faultCase: FaultCase) {
  const { databaseId: _, ...body } = someArgs();
  const { databaseId } = faultCase;
  const { json } = await createWebhook(service, { databaseId, body });
  if (faultCase.isRemovedBefore) {
    service.removeWebhook(json.id);
  }
  const { storedBaseUrl: baseUrl = service.baseUrl } = faultCase;
  const state = { ...someArgs({ databaseId }), baseUrl, secret: json.secret };
  return async () => {
    const error = await running.delete(String(json.id), state);
    return { state: error === "" ? "nothing" : "the webhook", error };
  };
}

/** Whether a text names the database of a case, and not only one whose name begins with it. */
function namesDatabase(text: string, { databaseId }: FaultCase): boolean {
  return new RegExp(`(?<![\\w-])${databaseId}(?![\\w-])`).test(withoutUrls(text));
}

function withoutUrls(text: string): string {
  return text.replace(/https?:\S+/g, "");
}
