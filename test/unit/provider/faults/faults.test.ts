import { describe, expect, it } from "vitest";
import { type LocalService, startLocalService } from "../../../../src/local-service/index.ts";
import { problemsOfRequest } from "../../../helpers/api-document.ts";
import { someArgs, wrapped } from "../../../helpers/builders.ts";
import { kindOf } from "../../../helpers/errors.ts";
import { hold, times } from "../../../helpers/faults/faults.mts";
import { createWebhook } from "../../../helpers/local-service.ts";
import { startProvider } from "../../../helpers/provider.ts";
import { methodsOf, recordRequests } from "../../../helpers/recorder.mts";
import { createFaults, deleteFaults, type FaultCase } from "./cases.ts";

// With all arguments that are sent.
const args = someArgs({ tableId: "tbl_orders" });

describe.concurrent("A creation", () => {
  it.each(createFaults)("ends as $outcome where the service $does", async (faultCase) => {
    await using service = await startLocalService({ listing: true });
    const { create } = providerOf(service, faultCase);

    const { result, ...facts } = await run(service, faultCase, () => create(args));

    const [webhook] = service.webhooks;
    expect(facts).toEqual(factsOf(faultCase));
    if (faultCase.outcome === "created") {
      const outs = expect.objectContaining({ secret: wrapped(webhook?.secret) });
      expect(result).toEqual({ id: String(webhook?.id), outs });
    } else {
      expectFailure(result, faultCase);
    }
  });
});

describe.concurrent("A deletion", () => {
  it.each(deleteFaults)("ends as $outcome where the service $does", async (faultCase) => {
    await using service = await startLocalService({ listing: true });
    const { databaseId, ...body } = args;
    const { json } = await createWebhook(service, { databaseId, body });
    if (faultCase.isRemovedBefore) {
      service.webhooks = [];
    }
    const { delete: remove, lines } = providerOf(service, faultCase);
    const state = { ...args, baseUrl: service.baseUrl, secret: json.secret };

    const { result, ...facts } = await run(service, faultCase, () => remove(`${json.id}`, state));

    expect(facts).toEqual(factsOf(faultCase));
    if (faultCase.outcome === "notDeleted") {
      expectFailure(result, faultCase);
    } else {
      expect(result).toBeUndefined();
      const isNamed = lines.some((line) => line.includes(`webhook ${json.id} `));
      expect(isNamed, lines.join("\n")).toBe(faultCase.outcome === "alreadyGone");
    }
  });
});

function providerOf({ baseUrl, apiKey }: LocalService, { settings }: FaultCase) {
  return startProvider({ baseUrl, apiKey, retrySeconds: "15", ...settings });
}

/** Performs an operation whose requests meet the fault. */
async function run(service: LocalService, faultCase: FaultCase, operation: () => Promise<unknown>) {
  const { on, fault, isHeldBack = false } = faultCase;
  const isMet = ({ method }: { readonly method: string }) => method === on;
  if (fault) {
    service.use(times(faultCase.times ?? Number.POSITIVE_INFINITY, fault, isMet));
  }
  const { holdRequest, release } = hold();
  if (isHeldBack) {
    service.use(times(1, holdRequest, isMet));
  }

  const { requests } = recordRequests(service);

  const result = await operation().catch((error: Error) => error);

  if (isHeldBack) {
    await release();
  }
  return {
    /** The error, if the operation failed. */
    result,
    requests: methodsOf(requests),
    /** How requests differ from docs/api/openapi.yaml. */
    problemsOfRequests: requests.flatMap(problemsOfRequest),
    webhookExists: service.webhooks.length > 0,
  };
}

function factsOf({ requests, webhookExists }: FaultCase) {
  return { requests, webhookExists, problemsOfRequests: [] };
}

/** Expects an error of the kind of the outcome, which names the database outside of a URL. */
function expectFailure(result: unknown, { outcome, errorContains = "" }: FaultCase): void {
  const { message } = result as Error;
  expect(kindOf({ message }), message).toBe(outcome);
  expect(message).toContain(errorContains);
  expect(message.replace(/https?:\S+/g, "")).toContain(args.databaseId);
}
