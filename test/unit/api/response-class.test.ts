import { describe, expect, it } from "vitest";
import { classOf, isRedirection, mayBePartial } from "../../../src/api/response-class.ts";
import type { HttpOutcome } from "../../../src/api/send-once.ts";
import { errorBody } from "../../helpers/builders.ts";
import * as outcomes from "../../helpers/transport.ts";

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
    [
      "503 of a proxy, with a message",
      outcomes.response(503, 5_000, { message: "B" }),
      "temporary",
    ],
    ["503 with an error alone", outcomes.response(503, undefined, errorBody("B")), "temporary"],
    ["500 like a 503", outcomes.response(500, 3_000, errorBody("B")), "temporary"],
  ])("from its error and Retry-After: %s", (_response, outcome, name) => {
    expect(classOf(outcome)).toBe(name);
  });
});

it.each([
  { statusCode: 200, hasLink: false, isPartial: false },
  { statusCode: 200, hasLink: true, isPartial: true },
  { statusCode: 206, hasLink: false, isPartial: true },
])(
  "A list with $statusCode, and with a Link: $hasLink, may hold only a part: $isPartial",
  ({ isPartial, ...response }) => {
    expect(mayBePartial({ kind: "response", body: "", ...response })).toBe(isPartial);
  },
);

it.each([
  { statusCode: 300, redirectOrigin: "https://b.test", leads: true },
  { statusCode: 303, redirectOrigin: "https://b.test", leads: true },
  { statusCode: 308, redirectOrigin: undefined, leads: false },
  { statusCode: 201, redirectOrigin: "https://b.test", leads: false },
  { statusCode: 409, redirectOrigin: "https://b.test", leads: false },
])(
  "A response with $statusCode and a Location at $redirectOrigin leads elsewhere: $leads",
  ({ leads, ...response }) => {
    expect(isRedirection({ kind: "response", body: "", ...response })).toBe(leads);
  },
);
