import { describe, expect, it } from "vitest";
import { classOf, isRedirection, mayBePartial } from "../../../src/api/response-class.ts";
import type { HttpOutcome } from "../../../src/api/send-once.ts";
import { errorBody } from "../../helpers/builders.ts";
import * as outcomes from "../../helpers/transport.ts";

describe("The class of a response follows", () => {
  // The boundaries of the ranges, and the codes whose neighbours mean something else.
  it.each([
    { name: "success", codes: [200, 299] },
    { name: "redirect", codes: [300, 302, 308] },
    { name: "unclear", codes: [303, 304, 409, 412, 424, 499, 600] },
    { name: "refused", codes: [400, 402, 406, 410, 411, 413, 423, 425, 451, 505] },
    { name: "denied", codes: [401, 403, 407, 511] },
    { name: "unsupported", codes: [404, 405, 501] },
    { name: "temporary", codes: [408, 500, 502, 503, 599] },
    { name: "throttled", codes: [429] },
  ])("from its status code: $codes are $name", ({ name, codes }) => {
    expect(codes.filter((code) => classOf(outcomes.response(code)) !== name)).toEqual([]);
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
