import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FailureCause, HttpOutcome } from "../../src/service/exchange.ts";
import {
  type Attempt,
  mayHaveActed,
  nextStep,
  type RequestKind,
  type RetryLimits,
} from "../../src/service/retry-policy.ts";
import { errorBody } from "../helpers/builders.ts";
import {
  busy,
  refused,
  response,
  unanswered,
  unreadable,
  unsent,
  unsentBecause,
} from "../helpers/transport.ts";

/** What follows the first of many attempts, or the one that `attempt` describes. */
function stepAfter(
  outcome: HttpOutcome,
  attempt: Partial<Attempt> = {},
  limits: Partial<RetryLimits> = {},
  random = 1,
) {
  return nextStep(
    { kind: "delete", outcome, number: 1, elapsedMs: 0, ...attempt },
    { retrySeconds: 120, isStopping: false, ...limits },
    () => random,
  );
}

const neverSent = (cause: FailureCause): HttpOutcome => ({ kind: "unsent", cause });
const noTime = neverSent({ kind: "limit", limit: "attempt", ms: 9 });
const envelope = errorBody("NOT_FOUND");

// What follows an attempt: its end, another one, or another one before which all requests wait.
type Verdict = "end" | "again" | "all wait";
const end = "end";
const again = "again";
const wait = "all wait";
const yes = true;
const no = false;

// As in section 4 of the contract: what happened, whether the service may have acted on it, and what
// follows on it for a creation, a deletion and a look at the list.
const rules: [string, HttpOutcome, boolean, Verdict, Verdict, Verdict][] = [
  ["the name was not resolved for now", unsent, no, again, again, again],
  ["the connection was refused", refused, no, again, again, again],
  ["the host does not exist", unsentBecause("ENOTFOUND"), no, end, end, end],
  ["the certificate has expired", unsentBecause("CERT_HAS_EXPIRED"), no, end, end, end],
  ["its issuer is unknown", unsentBecause("UNABLE_TO_GET_ISSUER_CERT"), no, end, end, end],
  ["it is self-signed", unsentBecause("DEPTH_ZERO_SELF_SIGNED_CERT"), no, end, end, end],
  ["it is for another", unsentBecause("ERR_TLS_CERT_ALTNAME_INVALID"), no, end, end, end],
  ["it is for another host", unsentBecause("HOSTNAME_MISMATCH"), no, end, end, end],
  ["a code that only looks like one", unsentBecause("XCERT_"), no, again, again, again],
  ["no connection in time", noTime, no, again, again, again],
  ["no usable proxy", neverSent({ kind: "badProxy" }), no, end, end, end],
  ["no attempt", neverSent({ kind: "noAttempt", because: "stopping" }), no, end, end, end],
  ["429", response(429), no, wait, wait, wait],
  ["429 with Retry-After", response(429, 3_000), no, wait, wait, wait],
  ["503 with Retry-After and the envelope", busy(3_000), no, wait, wait, wait],
  ["503 with Retry-After: a proxy's", response(503, 5_000), yes, end, again, again],
  ["503 with the envelope", response(503, undefined, envelope), yes, end, again, again],
  ["500 with both", response(500, 3_000, envelope), yes, end, again, again],
  ["408", response(408), yes, end, again, again],
  ["no answer", unanswered, yes, end, again, again],
  ["an answer that is too long", unreadable, yes, end, end, end],
  ["404 with the envelope", response(404, undefined, envelope), no, end, end, end],
  ["201", response(201), yes, end, end, end],
];

describe("what follows an attempt", () => {
  it.each(rules)("%s", (_case, outcome, mayHave, create, remove, list) => {
    const verdictOn = (kind: RequestKind): Verdict => {
      const step = stepAfter(outcome, { kind });
      return step.kind === "end" ? "end" : step.isForAll ? "all wait" : "again";
    };

    expect(mayHaveActed(outcome)).toBe(mayHave);
    expect((["create", "delete", "list"] as const).map(verdictOn)).toEqual([create, remove, list]);
  });

  const statuses = Array.from({ length: 400 }, (_, at) => 200 + at);

  it("is another attempt for a few statuses only", () => {
    const sentAgain = (kind: RequestKind) =>
      statuses.filter((status) => stepAfter(response(status), { kind }).kind === "again");

    expect(sentAgain("create")).toEqual([429]);
    expect(sentAgain("delete")).toEqual([408, 425, 429, ...statuses.slice(300)]);
  });

  it("is certainty that the service did nothing for a few statuses only", () => {
    expect(statuses.filter((status) => !mayHaveActed(response(status)))).toEqual([
      ...[300, 301, 302, 307, 308, 400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 422, 429],
    ]);
  });
});

const givenUp = (seconds: number, isRefused = false) => ({
  kind: "end",
  gaveUp: { limit: "retries", seconds, isRefused },
});

// Outcome, attempt, time since the first one, and what follows.
const waits: [string, HttpOutcome, number, number, object][] = [
  ["a backoff", unsent, 1, 0, { delayMs: 500 }],
  ["that doubles", unsent, 5, 0, { delayMs: 8_000 }],
  ["up to 10 s", unsent, 6, 0, { delayMs: 10_000 }],
  ["as long as the service asks", response(429, 3_000), 5, 0, { delayMs: 3_000 }],
  ["a pause without a time", response(429), 2, 0, { delayMs: 1_000 }],
  ["a little when it asks for none", response(429, 0), 1, 0, { delayMs: 50 }],
  ["longer each time", response(429, 0), 4, 0, { delayMs: 400 }],
  ["up to the limit", response(429, 20_000), 1, 100_000, { delayMs: 20_000 }],
  ["no longer", response(429, 20_000), 1, 100_001, givenUp(120)],
  ["15 s when it is refused", refused, 6, 5_000, { delayMs: 10_000 }],
  ["no longer then", refused, 6, 5_001, givenUp(15, true)],
];

describe("the time of the next attempt", () => {
  it.each(waits)("is %s", (_case, outcome, number, elapsedMs, expected) => {
    expect(stepAfter(outcome, { number, elapsedMs })).toMatchObject(expected);
  });

  it.each([2, 15])("is no later than retrySeconds, %d, when it is refused", (retrySeconds) => {
    const step = stepAfter(refused, { elapsedMs: 14_900 }, { retrySeconds });

    expect(step).toEqual(givenUp(retrySeconds));
  });

  it("is within the operation's own time, which goes before retrySeconds", () => {
    const step = (remainingMs: number) =>
      stepAfter(unsent, {}, { remainingMs, retrySeconds: remainingMs > 500 ? 120 : 0 });

    expect(step(501)).toMatchObject({ delayMs: 500 });
    expect(step(500)).toEqual({ kind: "end", gaveUp: { limit: "operation" } });
  });

  it("is never when Pulumi stops, which only explains what was due", () => {
    const step = (outcome: HttpOutcome) =>
      stepAfter(outcome, {}, { isStopping: true, remainingMs: 1 });

    expect(step(unsent)).toEqual({ kind: "end", gaveUp: { limit: "stopping" } });
    expect(step(response(400))).toEqual({ kind: "end" });
  });

  it.each([
    [0, 250],
    [0.5, 375],
  ])("is spread over half of the backoff: by %d", (random, delayMs) => {
    expect(stepAfter(unsent, {}, {}, random)).toMatchObject({ delayMs });
  });
});

describe("whatever happens", () => {
  const outcome = fc.oneof(
    fc.constantFrom(...rules.map(([, one]) => one)),
    fc
      .tuple(fc.integer({ min: 200, max: 599 }), fc.option(fc.nat(), { nil: undefined }))
      .map(([statusCode, retryAfterMs]) => response(statusCode, retryAfterMs)),
  );

  it("a creation is sent again only when nothing was done, and nothing is beyond its limits", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<RequestKind>("create", "delete", "list"),
        outcome,
        fc.integer({ min: 1, max: 50 }),
        fc.nat(200_000),
        fc.record({
          retrySeconds: fc.nat(200),
          remainingMs: fc.option(fc.nat(200_000), { nil: undefined }),
          isStopping: fc.boolean(),
        }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (kind, ended, number, elapsedMs, limits, random) => {
          const step = stepAfter(ended, { kind, number, elapsedMs }, limits, random);

          if (step.kind === "again") {
            expect(kind === "create" && mayHaveActed(ended)).toBe(false);
            expect(limits.isStopping).toBe(false);
            expect(step.delayMs).toBeGreaterThan(0);
            expect(step.delayMs).toBeLessThan(limits.remainingMs ?? Number.POSITIVE_INFINITY);
            expect(elapsedMs + step.delayMs).toBeLessThanOrEqual(limits.retrySeconds * 1000);
          }
        },
      ),
    );
  });
});
