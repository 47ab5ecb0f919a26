import { expect } from "vitest";
import { apiKey, errorBody, secret } from "./builders.js";
import type { Answer } from "./http-server.js";

/** What must not be seen besides the key and the secret, by the place that it is in. */
export const tokens = {
  user: "u5er-Nq8xWv2L",
  password: "pa55-Zk3mRt7Y",
  path: "T0K3N-in-the-path-9fHs",
  query: "sIgN4tUrE-in-the-query",
  fragment: "fr4gm3nt-Jc6Pb1",
  body: "raw-b0dy-t0ken-Vd5Gy8",
};
/** A receiver whose url holds them. */
export const url = `https://${tokens.user}:${tokens.password}@example.com/hooks/${tokens.path}?s=${tokens.query}#${tokens.fragment}`;
/** What a service says that repeats what it got. */
export const echo = `Refused: Authorization: Bearer ${apiKey}; {"url":"${url}","secret":"${secret}"}`;
const base64Echo = Buffer.from(`POST Bearer ${apiKey} ${url}`).toString("base64");

const sensitive = [apiKey, secret, ...Object.values(tokens)];

/**
 * Asserts that no stretch of 8 characters of what must not be seen is in these texts, in any encoding.
 */
export function expectNoLeak(texts: readonly string[], values = sensitive): void {
  const text = texts.join("\n").toLowerCase();
  const leaks = stretchesOf(values).filter((stretch) => text.includes(stretch));
  expect(leaks).toEqual([]);
}

/** Bodies of answers that repeat what the service got, as errors and otherwise. */
export const bodies: [string, unknown][] = [
  ["an echo of the request", errorBody("BAD_REQUEST", echo)],
  ["an echo in the code", errorBody(echo, "No.")],
  ["an echo in capitals", errorBody("BAD_REQUEST", echo.toUpperCase())],
  ["an echo in base64", errorBody("BAD_REQUEST", base64Echo)],
  ["an echo, percent-encoded", errorBody("BAD_REQUEST", encodeURIComponent(echo))],
  ["an echo, cut", errorBody("BAD_REQUEST", echo.slice(11, -12))],
  ["an echo behind a long text", errorBody("BAD_REQUEST", " .".repeat(90) + echo)],
  ["an echo of 1 MB", errorBody("BAD_REQUEST", `${echo} `.repeat(4_000).slice(0, 1_000_000))],
  [
    "lone surrogates and breaks",
    errorBody("\ud800\n", `\udc00\r\n${tokens.body.slice(0, 7)}\u2028`),
  ],
  ["a raw body", `${echo} ${tokens.body}`],
  [
    "fields beside the envelope",
    { ...(errorBody("X", "Y") as object), extra: [echo, tokens.body] },
  ],
  ["the envelope with other types", { error: { code: "X", message: { echo } } }],
  ["details in the envelope", { error: { code: "X", message: "Y", details: tokens.body } }],
];

const headers = { location: `https://example.net/${tokens.path}?${tokens.query}` };
const answerOf = (statusCode: number, [name, body]: (typeof bodies)[number] = ["", ""]) =>
  [statusCode, name, { statusCode, body, headers }] as [number, string, Answer];

/** Each of them as an error, and each other status that means something with one of them. */
export const answers = [
  ...bodies.map((body) => answerOf(400, body)),
  ...[200, 201, 301, 401, 403, 404, 409, 422, 429, 500, 503].map((status) =>
    answerOf(status, bodies[0]),
  ),
];

function stretchesOf(values: readonly string[]): string[] {
  return values
    .flatMap((value) => [value, encodeURIComponent(value), ...base64Windows(value)])
    .flatMap((spelling) =>
      Array.from({ length: spelling.length - 7 }, (_, at) => spelling.slice(at, at + 8)),
    )
    .map((stretch) => stretch.toLowerCase());
}

function base64Windows(value: string): string[] {
  return ["", ".", ".."].map((before) =>
    Buffer.from(before + value)
      .toString("base64")
      .slice(4, -4),
  );
}
