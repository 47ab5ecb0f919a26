import { describe, expect, it } from "vitest";
import type { HttpFailure, HttpOutcome } from "../../src/api/http.ts";
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
  unsent,
  unsentBecause,
} from "../helpers/transport.ts";

/** Returns what follows a first attempt, or the one that is given. */
function stepAfter(outcome: HttpOutcome, given: Partial<Attempt & RetryLimits> = {}, random = 1) {
  const attempt = { kind: "delete", outcome, number: 1, elapsedMs: 0, ...given } as const;
  return nextStep(attempt, { retrySeconds: 120, isStopping: false, ...given }, () => random);
}

const unsentFor = (cause: HttpFailure["cause"]): HttpOutcome => ({ kind: "unsent", cause });
const lateResponse: HttpOutcome = { kind: "noResponse", cause: "deadline" };
const envelope = errorBody("NOT_FOUND");

const kinds = ["create", "delete", "list"] as const;
const stepsAfter = (outcome: HttpOutcome) => kinds.map((kind) => stepAfter(outcome, { kind }).kind);

describe("A request that did not reach the service", () => {
  it.each<[string, HttpOutcome]>([
    ["the name could not be resolved for now", unsent],
    ["the connection was refused", refused],
    ["no connection was established in time", unsentFor("timeout")],
    ["the error code only looks like that of a certificate", unsentBecause("XCERT_")],
  ])("is retried when %s", (_case, outcome) => {
    expect(stepsAfter(outcome)).toEqual(["retry", "retry", "retry"]);
    expect(mayHaveActed(outcome)).toBe(false);
  });

  it.each<[string, HttpOutcome]>([
    ["the host does not exist", unsentBecause("ENOTFOUND")],
    ["the certificate has expired", unsentBecause("CERT_HAS_EXPIRED")],
    ["the issuer of the certificate is unknown", unsentBecause("UNABLE_TO_GET_ISSUER_CERT")],
    ["the certificate is self-signed", unsentBecause("DEPTH_ZERO_SELF_SIGNED_CERT")],
    ["the certificate names another host", unsentBecause("ERR_TLS_CERT_ALTNAME_INVALID")],
    ["the certificate does not match the host", unsentBecause("HOSTNAME_MISMATCH")],
    ["the proxy is not usable", unsentBecause("ERR_INVALID_URL")],
    ["the deadline has passed", unsentFor("deadline")],
    ["Pulumi is stopping", unsentFor("stopping")],
  ])("is not retried when %s", (_case, outcome) => {
    expect(stepsAfter(outcome)).toEqual(["end", "end", "end"]);
    expect(mayHaveActed(outcome)).toBe(false);
  });
});

describe("A request that the service has for certain not carried out", () => {
  it.each<[string, HttpOutcome]>([
    ["429", response(429)],
    ["503 with Retry-After and the error envelope", busy(3_000)],
  ])("is retried after a pause of all requests: %s", (_case, outcome) => {
    expect(stepsAfter(outcome)).toEqual(["pause", "pause", "pause"]);
    expect(mayHaveActed(outcome)).toBe(false);
  });

  it("is not retried after 404 with the error envelope", () => {
    const outcome = response(404, undefined, envelope);

    expect(stepsAfter(outcome)).toEqual(["end", "end", "end"]);
    expect(mayHaveActed(outcome)).toBe(false);
  });
});

describe("A request that the service may have carried out", () => {
  it.each<[string, HttpOutcome]>([
    ["503 with Retry-After, as a proxy returns it", response(503, 5_000)],
    ["503 with the error envelope alone", response(503, undefined, envelope)],
    ["500 with Retry-After and the error envelope", response(500, 3_000, envelope)],
    ["500 with Retry-After", response(500, 0)],
    ["no response", noResponse],
  ])("is retried unless it is a creation: %s", (_case, outcome) => {
    expect(stepsAfter(outcome)).toEqual(["end", "retry", "retry"]);
    expect(mayHaveActed(outcome)).toBe(true);
  });

  it("is not retried without a response before the deadline", () => {
    expect(stepsAfter(lateResponse)).toEqual(["end", "end", "end"]);
    expect(mayHaveActed(lateResponse)).toBe(true);
  });
});

describe("The status code of a response", () => {
  const statuses = Array.from({ length: 400 }, (_, at) => 200 + at);

  it.each<[RequestKind, number[]]>([
    ["create", [429]],
    ["delete", [408, 425, 429, ...statuses.slice(300)]],
  ])("makes a %s be retried for %j", (kind, expected) => {
    const retried = statuses.filter(
      (status) => stepAfter(response(status), { kind }).kind !== "end",
    );

    expect(retried).toEqual(expected);
  });

  it("shows that the service has not acted for few errors of the caller", () => {
    expect(statuses.filter((status) => !mayHaveActed(response(status)))).toEqual([
      ...[300, 301, 302, 307, 308, 400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 422, 429],
    ]);
  });
});

const retry = (delayMs: number) => ({ kind: "retry", delayMs });
const pause = (delayMs: number) => ({ kind: "pause", delayMs });
const outOfTime = { kind: "end", gaveUp: "retrySeconds" };
const stillRefused = { kind: "end", gaveUp: "refused" };
const deadline = { kind: "end", gaveUp: "deadline" };
const stopping = { kind: "end", gaveUp: "stopping" };
const asked = response(429, 20_000);

describe("The next attempt", () => {
  it.each<[string, HttpOutcome, Partial<Attempt & RetryLimits>, object]>([
    ["comes after a backoff", unsent, {}, retry(500)],
    ["comes after a backoff that doubles", unsent, { number: 5 }, retry(8_000)],
    ["comes after a backoff of 10 s at most", unsent, { number: 6 }, retry(10_000)],
    ["comes when the service asks for it", response(429, 3_000), { number: 5 }, pause(3_000)],
    ["comes after a backoff if 429 says no time", response(429), { number: 2 }, pause(1_000)],
    ["comes after 50 ms if Retry-After is 0", response(429, 0), {}, pause(50)],
    ["comes later each time if Retry-After is 0", response(429, 0), { number: 4 }, pause(400)],
    ["comes up to the end of retrySeconds", asked, { elapsedMs: 100_000 }, pause(20_000)],
    ["does not come after retrySeconds", asked, { elapsedMs: 100_001 }, outOfTime],
    [
      "comes within 15 s of refused connections",
      refused,
      { number: 6, elapsedMs: 5_000 },
      retry(10_000),
    ],
    [
      "does not come after 15 s of refused connections",
      refused,
      { number: 6, elapsedMs: 5_001 },
      stillRefused,
    ],
    [
      "does not come after retrySeconds of refused connections",
      refused,
      { elapsedMs: 14_900, retrySeconds: 15 },
      outOfTime,
    ],
    ["comes before the deadline", unsent, { remainingMs: 501 }, retry(500)],
    [
      "does not come after the deadline, which is named before retrySeconds",
      unsent,
      { remainingMs: 500, retrySeconds: 0 },
      deadline,
    ],
    [
      "does not come when Pulumi is stopping",
      unsent,
      { isStopping: true, remainingMs: 1 },
      stopping,
    ],
    [
      "needs no reason where there is nothing to retry",
      response(400),
      { isStopping: true },
      { kind: "end" },
    ],
  ])("%s", (_fact, outcome, given, expected) => {
    expect(stepAfter(outcome, given)).toEqual(expected);
  });

  it("spreads over the second half of its backoff", () => {
    expect(stepAfter(unsent, {}, 0)).toEqual(retry(250));
    expect(stepAfter(unsent, {}, 0.5)).toEqual(retry(375));
  });
});
