import type { Fault, FaultRule } from "pulumi-dbwebhooks/local-service";
import {
  asHtml,
  echoAuthorization,
  hugeBody,
  idAsString,
  truncatedJson,
  withFields,
} from "../../test/helpers/faults/faults.mts";

const errorBody = { error: { code: "SOME_CODE", message: "Something went wrong." } };

/**
 * The faults, without a response with a wrong id, whose webhook could not be found again. With `commit`, the
 * request takes effect although it seems to fail.
 */
const faults: readonly Fault[] = [
  { kind: "delay", ms: 200 },
  { kind: "neverRespond" },
  { kind: "neverRespond", commit: true },
  { kind: "resetBeforeReading" },
  { kind: "resetAfterCommit" },
  { kind: "resetMidBody" },
  truncatedJson,
  hugeBody,
  asHtml,
  idAsString,
  withFields({ id: undefined, success: undefined }),
  withFields({ secret: undefined }),
  withFields({ secret: "", success: false }),
  withFields({ unknown: { field: [1] } }),
  echoAuthorization(401),
  { kind: "respond", statusCode: 204, commit: true },
  { kind: "respond", statusCode: 200, body: "<!doctype html><title>Sign in</title>" },
  { kind: "respond", statusCode: 500, body: errorBody, commit: true },
  ...[307, 400, 401, 403, 404, 408, 409, 422, 500, 502, 503, 504].map(
    (statusCode): Fault => ({ kind: "respond", statusCode, body: errorBody }),
  ),
  ...["0", "1", "31536000", new Date().toUTCString()].flatMap((retryAfter) =>
    [429, 503].map(
      (statusCode): Fault => ({
        kind: "respond",
        statusCode,
        body: errorBody,
        headers: { "retry-after": retryAfter },
      }),
    ),
  ),
];

/** Returns rules that together affect a share of all requests, with every fault equally often. */
export function randomFaults(share: number, seed: number): FaultRule[] {
  return faults.map((fault, index) => {
    const random = seededRandom(seed + index * 7_919);
    return { fault, where: () => random() < share / faults.length };
  });
}

/** Returns a generator of numbers from 0 to 1: mulberry32, which is random enough to choose requests. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
