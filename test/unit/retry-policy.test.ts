import { describe, expect, it } from "vitest";
import type { FailureCause, HttpOutcome } from "../../src/api/http.ts";
import {
  type Attempt,
  mayHaveActed,
  nextStep,
  type RequestKind,
  type RetryLimits,
} from "../../src/api/retry-policy.ts";
import { errorBody } from "../helpers/builders.ts";
import {
  busy,
  noResponse,
  refused,
  response,
  unreadable,
  unsent,
  unsentBecause,
} from "../helpers/transport.ts";

/** Returns what follows a first attempt, or the one that is given. */
function stepAfter(outcome: HttpOutcome, given: Partial<Attempt & RetryLimits> = {}, random = 1) {
  const attempt = { kind: "delete", outcome, number: 1, elapsedMs: 0, ...given } as const;
  return nextStep(attempt, { retrySeconds: 120, isStopping: false, ...given }, () => random);
}

const unsentFor = (cause: FailureCause): HttpOutcome => ({ kind: "unsent", cause });
const lateResponse: HttpOutcome = { kind: "noResponse", cause: { kind: "deadline" } };
const envelope = errorBody("NOT_FOUND");

// What happened, whether the service may have acted on the request, and what follows for a creation, a
// deletion and a list: the end, a retry, or a pause of all requests before the retry.
const rules: [string, HttpOutcome, string][] = [
  ["the name was not resolved for now", unsent, "no: retry, retry, retry"],
  ["the connection was refused", refused, "no: retry, retry, retry"],
  ["the host does not exist", unsentBecause("ENOTFOUND"), "no: end, end, end"],
  ["the certificate has expired", unsentBecause("CERT_HAS_EXPIRED"), "no: end, end, end"],
  ["its issuer is unknown", unsentBecause("UNABLE_TO_GET_ISSUER_CERT"), "no: end, end, end"],
  ["it is self-signed", unsentBecause("DEPTH_ZERO_SELF_SIGNED_CERT"), "no: end, end, end"],
  ["it is for another", unsentBecause("ERR_TLS_CERT_ALTNAME_INVALID"), "no: end, end, end"],
  ["it is for another host", unsentBecause("HOSTNAME_MISMATCH"), "no: end, end, end"],
  ["a code that only looks like one", unsentBecause("XCERT_"), "no: retry, retry, retry"],
  ["no connection in time", unsentFor({ kind: "timeout" }), "no: retry, retry, retry"],
  ["no usable proxy", unsentFor({ kind: "badProxy" }), "no: end, end, end"],
  ["the deadline passed", unsentFor({ kind: "deadline" }), "no: end, end, end"],
  ["Pulumi was stopping", unsentFor({ kind: "stopping" }), "no: end, end, end"],
  ["429", response(429), "no: pause, pause, pause"],
  ["503 with Retry-After and the envelope", busy(3_000), "no: pause, pause, pause"],
  ["503 with Retry-After: a proxy's", response(503, 5_000), "yes: end, retry, retry"],
  ["503 with the envelope", response(503, undefined, envelope), "yes: end, retry, retry"],
  ["500 with both", response(500, 3_000, envelope), "yes: end, retry, retry"],
  ["500 with Retry-After", response(500, 0), "yes: end, retry, retry"],
  ["no response", noResponse, "yes: end, retry, retry"],
  ["no response by the deadline", lateResponse, "yes: end, end, end"],
  ["a response that is too long", unreadable, "yes: end, end, end"],
  ["404 with the envelope", response(404, undefined, envelope), "no: end, end, end"],
];

describe("what follows an attempt", () => {
  it.each(rules)("%s", (_case, outcome, expected) => {
    const kinds = ["create", "delete", "list"] as const;

    const steps = kinds.map((kind) => stepAfter(outcome, { kind }).kind);

    expect(`${mayHaveActed(outcome) ? "yes" : "no"}: ${steps.join(", ")}`).toBe(expected);
  });

  const statuses = Array.from({ length: 400 }, (_, at) => 200 + at);

  it("is a retry, or certainty that the service did nothing, for few status codes", () => {
    const retried = (kind: RequestKind) =>
      statuses.filter((status) => stepAfter(response(status), { kind }).kind !== "end");

    expect(retried("create")).toEqual([429]);
    expect(retried("delete")).toEqual([408, 425, 429, ...statuses.slice(300)]);
    expect(statuses.filter((status) => !mayHaveActed(response(status)))).toEqual([
      ...[300, 301, 302, 307, 308, 400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 422, 429],
    ]);
  });
});

const retry = (delayMs: number) => ({ kind: "retry", delayMs });
const pause = (delayMs: number) => ({ kind: "pause", delayMs });
const givenUp = (seconds: number, isRefused = false) => ({
  kind: "end",
  gaveUp: { reason: "retrySeconds", seconds, isRefused },
});
const deadline = { kind: "end", gaveUp: { reason: "deadline" } };
const stopping = { kind: "end", gaveUp: { reason: "stopping" } };
const asked = response(429, 20_000);

describe("the time of the next attempt", () => {
  it.each<[string, HttpOutcome, Partial<Attempt & RetryLimits>, object, number?]>([
    ["a backoff", unsent, {}, retry(500)],
    ["that doubles", unsent, { number: 5 }, retry(8_000)],
    ["up to 10 s", unsent, { number: 6 }, retry(10_000)],
    ["spread over half of it", unsent, {}, retry(375), 0.5],
    ["as long as the service asks", response(429, 3_000), { number: 5 }, pause(3_000)],
    ["a pause without a time", response(429), { number: 2 }, pause(1_000)],
    ["a little when it asks for none", response(429, 0), {}, pause(50)],
    ["longer each time", response(429, 0), { number: 4 }, pause(400)],
    ["up to the limit", asked, { elapsedMs: 100_000 }, pause(20_000)],
    ["no longer", asked, { elapsedMs: 100_001 }, givenUp(120)],
    ["15 s when it is refused", refused, { number: 6, elapsedMs: 5_000 }, retry(10_000)],
    ["no longer then", refused, { number: 6, elapsedMs: 5_001 }, givenUp(15, true)],
    ["no later than retrySeconds", refused, { elapsedMs: 14_900, retrySeconds: 15 }, givenUp(15)],
    ["before the deadline", unsent, { remainingMs: 501 }, retry(500)],
    ["which goes before retrySeconds", unsent, { remainingMs: 500, retrySeconds: 0 }, deadline],
    ["never when Pulumi is stopping", unsent, { isStopping: true, remainingMs: 1 }, stopping],
    ["and needs no reason without a retry", response(400), { isStopping: true }, { kind: "end" }],
  ])("is %s", (_case, outcome, given, expected, random) => {
    expect(stepAfter(outcome, given, random)).toEqual(expected);
  });
});
