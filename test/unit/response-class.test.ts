import { describe, expect, it } from "vitest";
import { type ClassFacts, classOf, factsOf, mayBeConflict } from "../../src/api/response-class.ts";
import type { HttpOutcome } from "../../src/api/send-once.ts";
import { errorBody } from "../helpers/builders.ts";
import * as outcomes from "../helpers/transport.ts";

const between = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

const statusCodes = between(200, 600);
const isTemporary = (code: number) => code >= 500 && code < 600 && ![501, 505, 511].includes(code);
const byStatus = {
  success: between(200, 299),
  throttled: [429],
  temporary: [408, ...statusCodes.filter(isTemporary)],
  redirect: [300, 301, 302, 307, 308],
  denied: [401, 403, 407, 511],
  unsupported: [404, 405, 501],
  refused: [
    ...[400, 402, 406, 410, 411, ...between(413, 417), ...between(421, 423)],
    ...[425, 426, 428, 431, 451, 505],
  ],
};

describe("The class of a response follows", () => {
  it("from its status code, and is unclear for a code that has no other class", () => {
    const named = Object.values(byStatus).flat();
    const unclear = statusCodes.filter((code) => !named.includes(code));

    const classes = Object.groupBy(statusCodes, (code) => classOf(outcomes.response(code)));

    expect(unclear).toEqual(expect.arrayContaining([303, 304, 409, 412, 424, 499, 600]));
    expect(classes).toEqual({ ...byStatus, unclear });
  });

  it.each<[response: string, HttpOutcome, name: string]>([
    ["404 NOT_FOUND", outcomes.response(404, undefined, errorBody("NOT_FOUND")), "notFound"],
    ["404 of another code", outcomes.response(404, undefined, errorBody("GONE")), "unsupported"],
    ["400 NOT_FOUND", outcomes.response(400, undefined, errorBody("NOT_FOUND")), "refused"],
    ["503 of the service, with Retry-After: 3", outcomes.throttledBy503(3_000), "throttled"],
    ["503 of the service, with Retry-After: 0", outcomes.throttledBy503(0), "throttled"],
    ["503 of a proxy, with Retry-After", outcomes.response(503, 5_000), "temporary"],
    ["503 with an error alone", outcomes.response(503, undefined, errorBody("B")), "temporary"],
    ["500 like a 503", outcomes.response(500, 3_000, errorBody("B")), "temporary"],
  ])("from its error and Retry-After: %s", (_response, outcome, name) => {
    expect(classOf(outcome)).toBe(name);
  });
});

it.each([
  { statusCode: 400, mayBe: true },
  { statusCode: 401, mayBe: false },
  { statusCode: 402, mayBe: true },
  { statusCode: 403, mayBe: true },
  { statusCode: 409, mayBe: true },
  { statusCode: 415, mayBe: false },
  { statusCode: 422, mayBe: true },
])("A creation that gets $statusCode may meet a limit of the service: $mayBe", (row) => {
  expect(mayBeConflict(outcomes.response(row.statusCode))).toBe(row.mayBe);
});

it("The facts of each class are those that the documents of HTTP and of the API give", () => {
  const examples = {
    ...{ success: outcomes.response(200), throttled: outcomes.throttled() },
    ...{ temporary: outcomes.response(500), unclear: outcomes.response(409) },
    ...{ redirect: outcomes.response(302), denied: outcomes.response(401) },
    notFound: outcomes.response(404, undefined, errorBody("NOT_FOUND")),
    ...{ unsupported: outcomes.response(405), refused: outcomes.response(400) },
    ...{ noResponse: outcomes.connectionLost, unsent: outcomes.dnsFailure },
  };

  const table = Object.entries(examples).map(([name, outcome]) => {
    const { retried, mayBeCarriedOut, asList }: ClassFacts = factsOf(outcome);
    return `${name}: retried ${retried}, carried out ${mayBeCarriedOut ? "perhaps" : "never"}, as list ${asList}`;
  });

  expect(table).toEqual([
    "success: retried never, carried out perhaps, as list webhooks",
    "throttled: retried always, carried out never, as list nothing",
    "temporary: retried ifIdempotent, carried out perhaps, as list nothing",
    "unclear: retried never, carried out perhaps, as list nothing",
    "redirect: retried never, carried out never, as list nothing",
    "denied: retried never, carried out never, as list nothing",
    "notFound: retried never, carried out never, as list noAccess",
    "unsupported: retried never, carried out never, as list noOperation",
    "refused: retried never, carried out never, as list nothing",
    "noResponse: retried ifIdempotent, carried out perhaps, as list nothing",
    "unsent: retried always, carried out never, as list nothing",
  ]);
});
