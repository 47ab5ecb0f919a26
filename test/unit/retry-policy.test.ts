import { describe, expect, it } from "vitest";
import type { FailureCause, HttpOutcome } from "../../src/api/exchange.ts";
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
  refused,
  response,
  unanswered,
  unreadable,
  unsent,
  unsentBecause,
} from "../helpers/transport.ts";

/** What follows the first of many attempts, or the one that is described. */
function stepAfter(outcome: HttpOutcome, given: Partial<Attempt & RetryLimits> = {}, random = 1) {
  const attempt = { kind: "delete", outcome, number: 1, elapsedMs: 0, ...given } as const;
  return nextStep(attempt, { retrySeconds: 120, isStopping: false, ...given }, () => random);
}

const unsentFor = (cause: FailureCause): HttpOutcome => ({ kind: "unsent", cause });
const noTime = unsentFor({ kind: "limit", limit: "attempt", ms: 9 });
const envelope = errorBody("NOT_FOUND");

// As in section 4 of the contract: what happened, whether the service may have acted on it, and what
// follows on it for a creation, a deletion and a look at the list: the end, another attempt, or another
// one before which all requests wait.
const rules: [string, HttpOutcome, string][] = [
  ["the name was not resolved for now", unsent, "no: again, again, again"],
  ["the connection was refused", refused, "no: again, again, again"],
  ["the host does not exist", unsentBecause("ENOTFOUND"), "no: end, end, end"],
  ["the certificate has expired", unsentBecause("CERT_HAS_EXPIRED"), "no: end, end, end"],
  ["its issuer is unknown", unsentBecause("UNABLE_TO_GET_ISSUER_CERT"), "no: end, end, end"],
  ["it is self-signed", unsentBecause("DEPTH_ZERO_SELF_SIGNED_CERT"), "no: end, end, end"],
  ["it is for another", unsentBecause("ERR_TLS_CERT_ALTNAME_INVALID"), "no: end, end, end"],
  ["it is for another host", unsentBecause("HOSTNAME_MISMATCH"), "no: end, end, end"],
  ["a code that only looks like one", unsentBecause("XCERT_"), "no: again, again, again"],
  ["no connection in time", noTime, "no: again, again, again"],
  ["no usable proxy", unsentFor({ kind: "badProxy" }), "no: end, end, end"],
  ["no attempt", unsentFor({ kind: "noAttempt", because: "stopping" }), "no: end, end, end"],
  ["429", response(429), "no: all wait, all wait, all wait"],
  ["503 with Retry-After and the envelope", busy(3_000), "no: all wait, all wait, all wait"],
  ["503 with Retry-After: a proxy's", response(503, 5_000), "yes: end, again, again"],
  ["503 with the envelope", response(503, undefined, envelope), "yes: end, again, again"],
  ["500 with both", response(500, 3_000, envelope), "yes: end, again, again"],
  ["500 with Retry-After", response(500, 0), "yes: end, again, again"],
  ["no answer", unanswered, "yes: end, again, again"],
  ["an answer that is too long", unreadable, "yes: end, end, end"],
  ["404 with the envelope", response(404, undefined, envelope), "no: end, end, end"],
];

describe("what follows an attempt", () => {
  it.each(rules)("%s", (_case, outcome, expected) => {
    const verdicts = (["create", "delete", "list"] as const).map((kind) => {
      const step = stepAfter(outcome, { kind });
      return step.kind === "end" ? "end" : step.isForAll ? "all wait" : "again";
    });

    expect(`${mayHaveActed(outcome) ? "yes" : "no"}: ${verdicts.join(", ")}`).toBe(expected);
  });

  const statuses = Array.from({ length: 400 }, (_, at) => 200 + at);

  it("is another attempt, or certainty that the service did nothing, for few statuses", () => {
    const sentAgain = (kind: RequestKind) =>
      statuses.filter((status) => stepAfter(response(status), { kind }).kind === "again");

    expect(sentAgain("create")).toEqual([429]);
    expect(sentAgain("delete")).toEqual([408, 425, 429, ...statuses.slice(300)]);
    expect(statuses.filter((status) => !mayHaveActed(response(status)))).toEqual([
      ...[300, 301, 302, 307, 308, 400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 422, 429],
    ]);
  });
});

const waiting = (delayMs: number, isForAll = false) => ({ kind: "again", delayMs, isForAll });
const givenUp = (seconds: number, isRefused = false) => ({
  kind: "end",
  gaveUp: { limit: "retries", seconds, isRefused },
});
const operation = { kind: "end", gaveUp: { limit: "operation" } };
const stopping = { kind: "end", gaveUp: { limit: "stopping" } };
const asked = response(429, 20_000);

describe("the time of the next attempt", () => {
  it.each<[string, HttpOutcome, Partial<Attempt & RetryLimits>, object, number?]>([
    ["a backoff", unsent, {}, waiting(500)],
    ["that doubles", unsent, { number: 5 }, waiting(8_000)],
    ["up to 10 s", unsent, { number: 6 }, waiting(10_000)],
    ["spread over half of it", unsent, {}, waiting(375), 0.5],
    ["as long as the service asks", response(429, 3_000), { number: 5 }, waiting(3_000, true)],
    ["a pause without a time", response(429), { number: 2 }, waiting(1_000, true)],
    ["a little when it asks for none", response(429, 0), {}, waiting(50, true)],
    ["longer each time", response(429, 0), { number: 4 }, waiting(400, true)],
    ["up to the limit", asked, { elapsedMs: 100_000 }, waiting(20_000, true)],
    ["no longer", asked, { elapsedMs: 100_001 }, givenUp(120)],
    ["15 s when it is refused", refused, { number: 6, elapsedMs: 5_000 }, waiting(10_000)],
    ["no longer then", refused, { number: 6, elapsedMs: 5_001 }, givenUp(15, true)],
    ["no later than retrySeconds", refused, { elapsedMs: 14_900, retrySeconds: 15 }, givenUp(15)],
    ["within the operation's own time", unsent, { remainingMs: 501 }, waiting(500)],
    ["the end of which goes first", unsent, { remainingMs: 500, retrySeconds: 0 }, operation],
    ["never when Pulumi stops", unsent, { isStopping: true, remainingMs: 1 }, stopping],
    ["which only explains what was due", response(400), { isStopping: true }, { kind: "end" }],
  ])("is %s", (_case, outcome, given, expected, random) => {
    expect(stepAfter(outcome, given, random)).toEqual(expected);
  });
});
