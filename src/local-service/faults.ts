import { matches, type ReceivedRequest, type RequestMatch } from "./requests.js";
import * as check from "./validation.js";

/**
 * One thing that goes wrong with a request.
 *
 * With `commit: false` (the default), the fault is applied before the service handles the request. With
 * `commit: true`, it is applied afterwards: the webhook has been stored or deleted, and the fault acts on
 * the response. If the service refuses the request (401, 404, 400, …), it stores or deletes nothing, and the
 * fault acts on the refusal.
 */
export type Fault =
  /** Waits `ms` milliseconds, then continues, even when the client has left. */
  | { readonly kind: "delay"; readonly ms: number; readonly commit?: boolean }
  /** Waits until {@link InjectedFault.release}, then continues, even when the client has left. */
  | { readonly kind: "hold"; readonly commit?: boolean }
  /** Keeps the connection open and sends nothing, until the client leaves. */
  | { readonly kind: "neverRespond"; readonly commit?: boolean }
  /**
   * Sends a TCP reset. `resetBeforeReading`: before the service reads the body; while any rule has `where`,
   * the service reads every body first. `resetAfterCommit`: instead of the response. `resetMidBody`: after
   * half of the response's body.
   */
  | { readonly kind: "resetBeforeReading" | "resetAfterCommit" | "resetMidBody" }
  /**
   * With `statusCode` (200 to 599): sends this response. Without: changes the service's own response, as
   * with `commit: true`. A string `body` is sent as it is, anything else as JSON.
   */
  | {
      readonly kind: "respond";
      readonly statusCode?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | object | null | ChangeBody;
      readonly commit?: boolean;
    };

/** Makes the new body of a response from its original JSON (or `{}`): `(request, { id }) => ({ id })`. */
// biome-ignore lint/suspicious/noExplicitAny: the fields of the body depend on the request.
export type ChangeBody = (request: ReceivedRequest, originalBody: any) => unknown;

/** Which fault applies to which requests, and how often. */
export interface FaultRule extends RequestMatch {
  /**
   * What goes wrong. Several faults are applied to one request in this order, those before its handling
   * first. Nothing follows a reset or `neverRespond`.
   */
  readonly fault: Fault | readonly Fault[];
  /** The number of requests that the rule applies to. Default: no limit. */
  readonly times?: number;
}

/** An active fault rule. */
export interface InjectedFault {
  /** The requests that the rule has applied to so far, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** Ends the `hold` of every request that the rule has applied to so far. Later requests wait again. */
  release(): void;
  /** Removes the rule and releases the requests that it holds. */
  remove(): void;
}

/** The active rules, in the order in which they were added. At most one applies to a request. */
export class FaultRules {
  readonly #rules = new Set<ActiveRule>();

  /** Whether the body must be read before a rule is chosen. */
  get needsBody(): boolean {
    return [...this.#rules].some(({ rule }) => rule.where !== undefined);
  }

  /** Throws a TypeError when the rule is invalid. */
  add(rule: FaultRule): InjectedFault {
    assertFaultRule(rule);
    const added = new ActiveRule(rule, this.#rules);
    this.#rules.add(added);
    return added;
  }

  clear(): void {
    for (const rule of this.#rules) {
      rule.remove();
    }
  }

  /** Counts a request for its rule. Returns its faults, and a promise that `release` resolves for a `hold`. */
  take(request: ReceivedRequest) {
    const rule = [...this.#rules].find((active) => active.matches(request));
    return rule?.take(request) ?? { faults: [], holdReleased: Promise.resolve() };
  }
}

class ActiveRule implements InjectedFault {
  readonly rule: FaultRule;
  readonly requests: ReceivedRequest[] = [];
  readonly #rules: Set<ActiveRule>;
  #nextRelease = Promise.withResolvers<void>();

  constructor(rule: FaultRule, rules: Set<ActiveRule>) {
    this.rule = rule;
    this.#rules = rules;
  }

  matches(request: ReceivedRequest): boolean {
    const { times = Number.POSITIVE_INFINITY } = this.rule;
    return this.requests.length < times && matches(this.rule, request);
  }

  take(request: ReceivedRequest) {
    this.requests.push(request);
    // Reads the promise before the hold is applied, so that a release in between counts.
    return { faults: [this.rule.fault].flat(), holdReleased: this.#nextRelease.promise };
  }

  release(): void {
    this.#nextRelease.resolve();
    this.#nextRelease = Promise.withResolvers();
  }

  remove(): void {
    this.#rules.delete(this);
    this.release();
  }
}

/** Whether a fault is applied before the service handles the request. */
export function isBeforeHandling(fault: Fault): boolean {
  switch (fault.kind) {
    case "resetBeforeReading":
      return true;
    case "resetAfterCommit":
    case "resetMidBody":
      return false;
    case "respond":
      return fault.commit !== true && fault.statusCode !== undefined;
    default:
      return fault.commit !== true;
  }
}

const commit = check.optional(check.aBoolean);
const faultChecks = {
  delay: { ms: check.aWholeNumber, commit },
  hold: { commit },
  neverRespond: { commit },
  resetBeforeReading: {},
  resetAfterCommit: {},
  resetMidBody: {},
  respond: {
    statusCode: check.optional(
      check.must("be a status from 200 to 599", (value) => /^[2-5]\d\d$/.test(String(value))),
    ),
    headers: check.optional(check.anObject),
    body: check.anything,
    commit,
  },
} satisfies Record<Fault["kind"], check.Checks>;

/** Throws a TypeError for an invalid rule, because a misspelt rule would silently never act. */
function assertFaultRule(rule: FaultRule): void {
  check.assertOptions("fault rule", rule, {
    fault: check.must("be a fault or a list of faults", (value) => typeof value === "object"),
    on: check.optional(check.oneOf(["POST", "DELETE", "GET", "any"])),
    databaseId: check.optional(check.aNonEmptyString),
    where: check.optional(check.aFunction),
    times: check.optional(check.aWholeNumber),
  });
  const aKnownKind = check.oneOf(Object.keys(faultChecks));
  for (const fault of [rule.fault].flat()) {
    // The kind decides which other fields are valid.
    check.assertOptions("fault", { kind: fault?.kind }, { kind: aKnownKind });
    const checks: check.Checks = faultChecks[fault.kind];
    check.assertOptions(`fault ${fault.kind}`, fault, { kind: check.anything, ...checks });
  }
}
