import { expect } from "vitest";
import { apiKey, secret } from "./builders.ts";

/** Sensitive values besides the key and the secret, by the place where they occur. */
export const tokens = {
  user: "u5er-Nq8xWv2L",
  password: "pa55-Zk3mRt7Y",
  path: "T0K3N-in-the-path-9fHs",
  query: "sIgN4tUrE-in-the-query",
  fragment: "fr4gm3nt-Jc6Pb1",
  body: "raw-b0dy-t0ken-Vd5Gy8",
};
/** The url of a receiver that contains them. */
export const url = `https://${tokens.user}:${tokens.password}@example.com/hooks/${tokens.path}?s=${tokens.query}#${tokens.fragment}`;
/** An error message of a service that repeats the request. */
export const echo = `Refused: Authorization: Bearer ${apiKey}; {"url":"${url}","secret":"${secret}"}`;

/** Every 8 consecutive characters of a sensitive value, as it is and in Base64. */
const fragments = [apiKey, secret, ...Object.values(tokens)]
  // Base64 depends on how many bytes come before the value, and its ends on the neighbouring bytes.
  .flatMap((value) => [
    value,
    ...["", ".", ".."].map((before) => btoa(before + value).slice(4, -4)),
  ])
  .map((encoding) => encoding.toLowerCase())
  .flatMap((encoding) =>
    Array.from({ length: encoding.length - 7 }, (_, at) => encoding.slice(at, at + 8)),
  );

export function expectNoLeak(texts: readonly string[]): void {
  const text = texts.join("\n").toLowerCase();
  expect(fragments.filter((fragment) => text.includes(fragment))).toEqual([]);
}
