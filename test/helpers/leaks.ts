import { expect } from "vitest";
import { apiKey, secret, secretSignature } from "./builders.ts";

// The field `magic` and Pulumi's marks of secrets, which the state has, and the path of Node.js.
const notIssued = [
  '"magic": ?"',
  ...Object.entries(secretSignature)
    .flat()
    .map((one) => `"(?=${one})`),
  ...(process.execPath.match(/[\da-f]{20,}/gi) ?? []).map((one) => `(?<![\\da-f])(?=${one})`),
];

/**
 * A secret of the local service or a part of it, whatever stands around it. Ids of webhooks have 16
 * digits.
 */
export const issuedSecret = new RegExp(`(?<!(?:${notIssued.join("|")})[\\da-f]*)[\\da-f]{20}`, "i");

/** Matches what the pattern matches, and secrets of the local service. */
export const secretOr = ({ source }: RegExp) => new RegExp(`${source}|${issuedSecret.source}`, "i");

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

/** Every 8 consecutive characters of a sensitive value, in lower case. */
const fragments = [apiKey, secret, ...Object.values(tokens)]
  .map((value) => value.toLowerCase())
  .flatMap((value) => Array.from({ length: value.length - 7 }, (_, at) => value.slice(at, at + 8)));

export function expectNoLeak(texts: readonly string[]): void {
  const text = texts.join("\n").toLowerCase();
  expect(fragments.filter((fragment) => text.includes(fragment))).toEqual([]);
}
