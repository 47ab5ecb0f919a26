// The plays of the simulation. fast-check generates plays, and shrinks one that
// breaks a promise.
import fc from "fast-check";

/** The kind of an operation on one resource: `operations.ts` plays each. */
export type OperationKind = (typeof operationKinds)[number];

/** The fault of one request. One that does not fit the request does nothing. */
export type Fault = keyof typeof faultWeights;

/** How the command ends early. `gone`: the engine was killed. `interrupted`: it sends SIGINT. */
export type Stop = "none" | "cancelled" | "gone" | "interrupted";

/** One play, besides the order that the scheduler chooses. */
export interface Play {
  readonly operations: readonly OperationKind[];
  /** The fault of the first request that arrives, of the second, and so on, over and over. */
  readonly faults: readonly Fault[];
  readonly stop: Stop;
  /** The setting `listing`; `undefined`: it is not set. */
  readonly listing: boolean | undefined;
  /** Whether the service has the list operation. */
  readonly canList: boolean;
  /** Whether the provider learns which resource an operation is about: the plugin does. */
  readonly hasUrns: boolean;
  /**
   * Whether Pulumi reads every webhook of the state: before everything else (`up --refresh`), or
   * each one before its own operation (`up --refresh --run-program`).
   */
  readonly refresh: "none" | "before" | "beside";
  readonly beginsAtOnce: boolean;
  /**
   * Whether an error hook of the program makes Pulumi repeat each failed creation, twice at most.
   */
  readonly repeatsCreations: boolean;
}

const operationKinds = [
  "create",
  "delete",
  "replace",
  "forcedReplace",
  "deleteBeforeReplace",
  "keep",
  "deleteDuplicate",
  "import",
  "recreate",
] as const;

const faultWeights = {
  none: 12,
  // The service carries the request out, and its response is lost.
  lost: 4,
  refused: 4,
  unreachable: 2,
  failed: 2,
  // A firewall responds in place of the service: 202 without a body.
  intercepted: 2,
  // A cache responds to a list: with one that it has stored before the database had webhooks.
  cached: 2,
  throttled: 2,
  slow: 2,
  // The response to a creation names an existing webhook, or a new one with the id of a deleted
  // one.
  existing: 4,
  reusedId: 4,
  // It names the webhook of another stack, without its secret.
  unmanaged: 1,
  noId: 1,
  noSecret: 2,
  unusableSecret: 2,
  // The key has no access: everything looks absent.
  denied: 2,
};

const mixedFaults = fc.array(
  fc.oneof(
    ...Object.entries(faultWeights).map(([fault, weight]) => ({
      weight,
      arbitrary: fc.constant(fault as Fault),
    })),
  ),
  { minLength: 12, maxLength: 12 },
);
const outage = fc.constant<Fault[]>(["failed"]);

export const anyPlay: fc.Arbitrary<Play> = fc.record({
  operations: fc.array(fc.constantFrom(...operationKinds, "create" as const, "create" as const), {
    minLength: 2,
    maxLength: 6,
  }),
  faults: fc.oneof({ weight: 9, arbitrary: mixedFaults }, { weight: 1, arbitrary: outage }),
  stop: fc.constantFrom<Stop[]>("none", "none", "cancelled", "gone", "interrupted"),
  listing: fc.constantFrom(true, false, undefined),
  canList: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
  hasUrns: fc.boolean(),
  refresh: fc.constantFrom<Play["refresh"][]>("none", "before", "beside"),
  beginsAtOnce: fc.boolean(),
  repeatsCreations: fc.boolean(),
});
