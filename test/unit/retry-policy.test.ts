import { describe, expect, it } from "vitest";
import type { HttpFailure, HttpOutcome } from "../../src/api/http.ts";
import {
  type EndedAttempt,
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

/** Returns what follows the first attempt of a deletion, unless `changes` says otherwise. */
function stepAfter(
  outcome: HttpOutcome,
  changes: Partial<EndedAttempt & RetryLimits> = {},
  random = 1,
) {
  const attempt = { kind: "delete", outcome, attemptNumber: 1, elapsedMs: 0, ...changes } as const;
  return nextStep(attempt, { retrySeconds: 120, isStopping: false, ...changes }, () => random);
}

/** Returns the kinds of requests that are retried after an outcome. */
function retriedKinds(outcome: HttpOutcome): RequestKind[] {
  const kinds: RequestKind[] = ["create", "delete", "list"];
  return kinds.filter((kind) => stepAfter(outcome, { kind }).kind !== "end");
}

const unsentFor = (cause: HttpFailure["cause"]): HttpOutcome => ({ kind: "unsent", cause });
const envelope = errorBody("NOT_FOUND");

describe("A request that did not reach the service", () => {
  it.each<[string, HttpOutcome]>([
    ["the name could not be resolved for now", unsent],
    ["the connection was refused", refused],
    ["no connection was established in time", unsentFor("timeout")],
    ["the error code only looks like that of a certificate", unsentBecause("XCERT_")],
  ])("is retried when %s", (_case, outcome) => {
    expect(retriedKinds(outcome)).toEqual(["create", "delete", "list"]);
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
    expect(retriedKinds(outcome)).toEqual([]);
    expect(mayHaveActed(outcome)).toBe(false);
  });
});

describe("A request that the service may have carried out", () => {
  it.each<[string, HttpOutcome]>([
    ["503 with Retry-After, as a proxy returns it", response(503, 5_000)],
    ["503 with the error envelope alone", response(503, undefined, envelope)],
    ["500 with Retry-After and the error envelope", response(500, 3_000, envelope)],
    ["no response", noResponse],
  ])("is retried unless it is a creation: %s", (_case, outcome) => {
    expect(retriedKinds(outcome)).toEqual(["delete", "list"]);
    expect(mayHaveActed(outcome)).toBe(true);
  });

  it.each<[string, HttpOutcome]>([
    ["no response before the deadline", { kind: "noResponse", cause: "deadline" }],
  ])("is not retried: %s", (_case, outcome) => {
    expect(retriedKinds(outcome)).toEqual([]);
    expect(mayHaveActed(outcome)).toBe(true);
  });
});

describe("The status code of a response", () => {
  const statusCodes = Array.from({ length: 400 }, (_, at) => 200 + at);
  const serverErrors = statusCodes.filter((statusCode) => statusCode >= 500);

  it.each<[RequestKind, number[]]>([
    ["create", [429]],
    ["delete", [408, 425, 429, ...serverErrors]],
  ])("leads to a retry of a %s only for %j", (kind, expected) => {
    const retried = statusCodes.filter(
      (statusCode) => stepAfter(response(statusCode), { kind }).kind !== "end",
    );

    expect(retried).toEqual(expected);
  });

  it("proves for some redirects and errors of the caller that the service has not acted", () => {
    const proving = statusCodes.filter((statusCode) => !mayHaveActed(response(statusCode)));

    expect(proving).toEqual([
      ...[300, 301, 302, 307, 308, 400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 422, 429],
    ]);
  });

  it("503 proves the same with Retry-After and the error envelope, and leads to a retry", () => {
    expect(mayHaveActed(busy(3_000))).toBe(false);
    expect(retriedKinds(busy(3_000))).toEqual(["create", "delete", "list"]);
  });
});

describe("The delay before the next attempt", () => {
  it.each([
    { number: 1, delayMs: 500 },
    { number: 5, delayMs: 8_000 },
    { number: 6, delayMs: 10_000 },
  ])("doubles up to 10 s: $delayMs ms after attempt $number", ({ number, delayMs }) => {
    expect(stepAfter(unsent, { attemptNumber: number })).toEqual({ kind: "retry", delayMs });
  });

  it.each([
    { random: 0, delayMs: 250 },
    { random: 0.5, delayMs: 375 },
  ])("is random in the second half: $delayMs ms for $random", ({ random, delayMs }) => {
    expect(stepAfter(unsent, {}, random)).toEqual({ kind: "retry", delayMs });
  });

  it.each<[string, HttpOutcome, number, number]>([
    ["is the one of Retry-After", response(429, 3_000), 5, 3_000],
    ["is the one of Retry-After in the service's own 503", busy(3_000), 5, 3_000],
    ["grows as ever after 429 without Retry-After", response(429), 2, 1_000],
    ["is 50 ms when Retry-After is 0", response(429, 0), 1, 50],
    ["doubles from 50 ms when Retry-After stays 0", response(429, 0), 4, 400],
  ])("%s, and all requests pause for it", (_fact, outcome, number, delayMs) => {
    expect(stepAfter(outcome, { attemptNumber: number })).toEqual({ kind: "pause", delayMs });
  });
});

describe("The retries of a request", () => {
  it("end when the next attempt would begin after retrySeconds", () => {
    const retryIn20s = response(429, 20_000);

    expect(stepAfter(retryIn20s, { elapsedMs: 100_000 }).kind).toBe("pause");
    expect(stepAfter(retryIn20s, { elapsedMs: 100_001 })).toMatchObject({
      giveUpReason: "retrySeconds",
    });
  });

  it("end after 15 s when the connection is refused", () => {
    expect(stepAfter(refused, { attemptNumber: 6, elapsedMs: 5_000 }).kind).toBe("retry");
    expect(stepAfter(refused, { attemptNumber: 6, elapsedMs: 5_001 })).toMatchObject({
      giveUpReason: "connectionRefused",
    });
  });

  it("end after retrySeconds when the connection is refused and retrySeconds is 15 or less", () => {
    const limits = { elapsedMs: 14_900, retrySeconds: 15 };

    expect(stepAfter(refused, limits)).toMatchObject({ giveUpReason: "retrySeconds" });
  });

  it("end when the next attempt would begin at the deadline, whatever retrySeconds is", () => {
    expect(stepAfter(unsent, { remainingMs: 501 }).kind).toBe("retry");
    expect(stepAfter(unsent, { remainingMs: 500, retrySeconds: 0 })).toEqual({
      kind: "end",
      giveUpReason: "deadline",
    });
  });

  it("end when Pulumi is stopping, whatever the deadline is", () => {
    expect(stepAfter(unsent, { isStopping: true, remainingMs: 1 })).toEqual({
      kind: "end",
      giveUpReason: "stopping",
    });
  });

  it("end without a reason when there is nothing to retry", () => {
    expect(stepAfter(response(400), { isStopping: true })).toEqual({ kind: "end" });
  });
});
