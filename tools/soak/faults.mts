import type { Fault, FaultRule } from "pulumi-dbwebhooks/local-service";
import {
  asHtml,
  echoAuthorization,
  hugeBody,
  idAsString,
  truncatedJson,
} from "../../test/helpers/faults/faults.mts";

const envelope = { error: { code: "SOME_CODE", message: "Something went wrong." } };

/** All kinds of faults, but for an id that is not the webhook's own: nobody could find it again. */
const faults: readonly Fault[] = [
  { kind: "delay", ms: 200 },
  { kind: "neverAnswer" },
  { kind: "neverAnswer", commit: true },
  { kind: "resetBeforeReading" },
  { kind: "resetAfterCommit" },
  { kind: "resetMidBody" },
  truncatedJson,
  hugeBody,
  asHtml,
  idAsString,
  { kind: "fields", remove: ["id", "success"] },
  { kind: "fields", remove: ["secret"] },
  { kind: "fields", set: { secret: "", success: false } },
  { kind: "fields", set: { unknown: { field: [1] } } },
  echoAuthorization(401),
  { kind: "respond", statusCode: 204, commit: true },
  { kind: "respond", statusCode: 200, body: "<!doctype html><title>Sign in</title>" },
  { kind: "respond", statusCode: 500, body: envelope, commit: true },
  ...[307, 400, 401, 403, 404, 408, 409, 422, 500, 502, 503, 504].map(
    (statusCode): Fault => ({ kind: "respond", statusCode, body: envelope }),
  ),
  ...["0", "1", "31536000", new Date().toUTCString()].flatMap((retryAfter) =>
    [429, 503].map(
      (statusCode): Fault => ({
        kind: "respond",
        statusCode,
        body: envelope,
        headers: { "retry-after": retryAfter },
      }),
    ),
  ),
];

/** Rules that strike a share of all requests together, each kind as often as the others. */
export function randomFaults(share: number, seed: number): FaultRule[] {
  return faults.map((fault, index) => ({
    fault,
    probability: share / faults.length,
    seed: seed + index * 7_919,
  }));
}
