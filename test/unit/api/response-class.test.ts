import { describe, expect, it } from "vitest";
import type { HttpOutcome } from "../../../src/api/http-exchange.ts";
import { classOf, factsOf, isRedirection } from "../../../src/api/response-class.ts";
import { errorBody } from "../../helpers/builders.ts";
import * as outcomes from "../../helpers/transport.ts";

const notFound = outcomes.response(404, undefined, errorBody("NOT_FOUND"));

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

// Written out once more: a status that moves to another class by mistake must fail here.
describe("The class of a response follows", () => {
  const named = {
    success: range(200, 299),
    throttled: [429],
    temporary: [408, 500, 502, 503, 504, ...range(506, 510), ...range(512, 599)],
    unclear: [303, 304, 409, 412, 424],
    redirect: [300, 301, 302, 307, 308],
    denied: [401, 403, 407, 511],
    unsupported: [404, 405, 501],
    refused: [
      400, 402, 406, 410, 411, 413, 414, 415, 416, 417, 421, 422, 423, 425, 426, 428, 431, 451, 505,
    ],
  };

  it.each(Object.entries(named))("from its status code: %s", (name, codes) => {
    expect(codes.filter((code) => classOf(outcomes.response(code)) !== name)).toEqual([]);
  });

  it("from its status code, which is unclear where no class names it", () => {
    const others = range(100, 999).filter((code) => !Object.values(named).flat().includes(code));

    const classes = new Set(others.map((code) => classOf(outcomes.response(code))));

    expect([...classes]).toEqual(["unclear"]);
  });

  it.each<[response: string, HttpOutcome, name: string]>([
    ["404 NOT_FOUND", notFound, "notFound"],
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
    [
      "503 of a proxy that gives the status as the code",
      outcomes.response(503, 5_000, { error: { code: 503, message: "B" } }),
      "temporary",
    ],
    ["503 with an error alone", outcomes.response(503, undefined, errorBody("B")), "temporary"],
    ["500 like a 503", outcomes.response(500, 3_000, errorBody("B")), "temporary"],
  ])("from its error and Retry-After: %s", (_response, outcome, name) => {
    expect(classOf(outcome)).toBe(name);
  });

  const own = outcomes.someRequest.url.origin;
  it.each([
    { method: "POST", statusCode: 301, redirectOrigin: own, name: "unclear" },
    { method: "POST", statusCode: 302, redirectOrigin: own, name: "unclear" },
    { method: "POST", statusCode: 307, redirectOrigin: own, name: "redirect" },
    { method: "POST", statusCode: 302, redirectOrigin: own.replace("s:", ":"), name: "redirect" },
    { method: "POST", statusCode: 302, redirectOrigin: undefined, name: "redirect" },
    { method: "POST", statusCode: 403, redirectOrigin: own, name: "denied" },
    { method: "DELETE", statusCode: 302, redirectOrigin: own, name: "redirect" },
    { method: "GET", statusCode: 301, redirectOrigin: own, name: "redirect" },
  ] as const)(
    "from the target of a redirect: $statusCode to $redirectOrigin after $method is $name",
    ({ method, name, ...response }) => {
      const request = { ...outcomes.someRequest, method };

      expect(classOf({ kind: "response", request, body: "", ...response })).toBe(name);
    },
  );
});

it.each<[name: string, HttpOutcome, ...facts: [retried: string, boolean]]>([
  ["success", outcomes.response(200), "never", true],
  ["throttled", outcomes.throttled(), "always", false],
  ["temporary", outcomes.response(500), "ifIdempotent", true],
  ["unclear", outcomes.response(409), "never", true],
  ["redirect", outcomes.response(301), "never", false],
  ["denied", outcomes.response(401), "never", false],
  ["notFound", notFound, "never", false],
  ["unsupported", outcomes.response(405), "never", false],
  ["refused", outcomes.response(400), "never", false],
  ["noResponse", outcomes.connectionLost, "ifIdempotent", true],
  ["unsent", outcomes.dnsFailure, "always", false],
])("What follows from the class %s", (name, outcome, retried, mayBeCarriedOut) => {
  expect(classOf(outcome)).toBe(name);
  expect(factsOf(outcome)).toEqual({ retried, mayBeCarriedOut });
});

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
