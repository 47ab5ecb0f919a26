import { expect, it } from "vitest";
import type { HttpOutcome, HttpRequest } from "../../../src/api/http-exchange.ts";
import * as policy from "../../../src/api/retry-policy.ts";
import * as outcomes from "../../helpers/transport.ts";

/** Returns what follows an attempt: by default a deletion's first. */
function stepAfter(
  outcome: HttpOutcome,
  changes: Partial<policy.EndedAttempt> & { readonly retrySeconds?: number } = {},
  random = 0.5,
) {
  const { retrySeconds = 120, ...facts } = changes;
  const attempt = {
    method: "DELETE",
    outcome,
    attemptNumber: 1,
    elapsedMs: 0,
    isStopping: false,
    ...facts,
  } as const;
  return policy.stepAfterAttempt(attempt, retrySeconds, () => random);
}

type Method = HttpRequest["method"];
const methods: readonly Method[] = ["POST", "DELETE", "GET"];

const delayOf = (step: policy.Step) => ("delayMs" in step ? step.delayMs : Number.NaN);

/** Returns the methods of the requests that are retried after an outcome. */
const retriedMethods = (outcome: HttpOutcome) =>
  methods.filter((method) => stepAfter(outcome, { method }).kind !== "end");

it.each<[string, HttpOutcome]>([
  ["the name could not be resolved for now", outcomes.dnsFailure],
  ["the connection was refused", outcomes.connectionRefused],
  ["no connection was established in time", outcomes.unsent("timeout")],
  ["the error code only looks like that of a certificate", outcomes.notConnected("XCERT_")],
  ["the proxy cannot connect for now", outcomes.refusedByProxy(503)],
  ["the proxy has an error of its own", outcomes.refusedByProxy(500)],
  ["the proxy limits the rate", outcomes.refusedByProxy(429)],
])("A request that was certainly not carried out is retried when %s", (_case, outcome) => {
  expect(retriedMethods(outcome)).toEqual(methods);
});

it.each<[string, HttpOutcome]>([
  ["the host does not exist", outcomes.notConnected("ENOTFOUND")],
  ["Node.js may not use the network", outcomes.notConnected("ERR_ACCESS_DENIED")],
  ["the certificate has expired", outcomes.notConnected("CERT_HAS_EXPIRED")],
  ["the issuer of the certificate is unknown", outcomes.notConnected("UNABLE_TO_GET_ISSUER_CERT")],
  ["the certificate is self-signed", outcomes.notConnected("DEPTH_ZERO_SELF_SIGNED_CERT")],
  ["the certificate names another host", outcomes.notConnected("ERR_TLS_CERT_ALTNAME_INVALID")],
  ["the certificate does not match the host", outcomes.notConnected("HOSTNAME_MISMATCH")],
  ["the proxy is not usable", outcomes.unsent("proxyUrl")],
  ["the proxy speaks no HTTP", outcomes.notConnected("HTTPParserError")],
  ["the port has no TLS", outcomes.notConnected("ERR_SSL_WRONG_VERSION_NUMBER")],
  ["the port speaks no such TLS", outcomes.notConnected("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION")],
  ["the port speaks HTTP/2", outcomes.notConnected("ERR_HTTP2_ERROR")],
  ["the proxy refuses to connect", outcomes.refusedByProxy(403)],
  ["the proxy asks for a password", outcomes.refusedByProxy(407)],
  ["Pulumi is stopping", outcomes.unsent("stopping")],
])("A request that was not carried out is not retried when %s", (_case, outcome) => {
  expect(retriedMethods(outcome)).toEqual([]);
});

it.each<[string, HttpOutcome, retried: readonly Method[]]>([
  ["always, when the service limits the rate", outcomes.throttled(), methods],
  ["unless it is a creation, after a temporary error", outcomes.response(500), ["DELETE", "GET"]],
  ["unless it is a creation, after no response", outcomes.connectionLost, ["DELETE", "GET"]],
  ["never, after an unclear response", outcomes.response(409), []],
  ["never, after a refusal", outcomes.response(400), []],
])("A request is retried %s", (_case, outcome, retried) => {
  expect(retriedMethods(outcome)).toEqual(retried);
});

it.each([
  { attemptNumber: 1, mostMs: 500 },
  { attemptNumber: 2, mostMs: 1_000 },
  { attemptNumber: 5, mostMs: 8_000 },
  { attemptNumber: 6, mostMs: 10_000 },
  { attemptNumber: 99, mostMs: 10_000 },
])("The delay after attempt $attemptNumber is random, and at most $mostMs ms", (row) => {
  const { attemptNumber, mostMs } = row;
  const stepWith = (random: number) => stepAfter(outcomes.dnsFailure, { attemptNumber }, random);

  const delays = [0, 0.25, 0.5, 0.75, 0.999].map((random) => delayOf(stepWith(random)));

  expect(delays).toEqual(Array(5).fill(outcomes.between(1, mostMs)));
  expect(new Set(delays).size).toBe(5);
  // It grows with the number of the attempt.
  expect(Math.max(...delays)).toBeGreaterThan(mostMs / 2);
});

it.each<[response: string, HttpOutcome, attemptNumber: number, delayMs: unknown]>([
  ["429 with Retry-After: 3", outcomes.throttled(3_000), 5, 3_000],
  ["a throttling 503", outcomes.throttledBy503(3_000), 5, 3_000],
  ["429 without Retry-After", outcomes.throttled(), 2, outcomes.between(1, 1_000)],
  ["429 with Retry-After: 0", outcomes.throttled(0), 2, outcomes.between(1, 1_000)],
])("The delay holds for all requests after %s", (_response, outcome, attemptNumber, delayMs) => {
  expect(stepAfter(outcome, { attemptNumber })).toEqual({ kind: "pause", delayMs });
});

const endFor = (giveUpReason: policy.GiveUpReason) => ({ kind: "end", giveUpReason });

it("The retries of a request end when the next attempt would begin after retrySeconds", () => {
  const retryIn20s = outcomes.throttled(20_000);

  expect(stepAfter(retryIn20s, { elapsedMs: 100_000 }).kind).toBe("pause");
  expect(stepAfter(retryIn20s, { elapsedMs: 100_001 })).toEqual(endFor("retrySeconds"));
});

it("Retries of a refused connection end after 15 s, or after retrySeconds if that is not longer", () => {
  const stepAt = (elapsedMs: number, retrySeconds = 120) =>
    stepAfter(outcomes.connectionRefused, { elapsedMs, retrySeconds });

  expect(stepAt(14_500).kind).toBe("retry");
  expect(stepAt(15_000)).toEqual(endFor("connectionRefused"));
  expect(stepAt(15_000, 15)).toEqual(endFor("retrySeconds"));
  expect(stepAt(10_000, 10)).toEqual(endFor("retrySeconds"));
});

it("A retry is given up because Pulumi is stopping, but a response without retries gives no such reason", () => {
  const stopping = { isStopping: true };

  expect(stepAfter(outcomes.dnsFailure, stopping)).toEqual(endFor("stopping"));
  expect(stepAfter(outcomes.response(400), stopping)).toEqual({ kind: "end" });
});
