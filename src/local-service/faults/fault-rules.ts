import { matches, type ReceivedRequest } from "../http/request-log.js";
import { checkFaultRule } from "./check-fault-rule.js";
import type { Fault, FaultRule, InjectedFault } from "./faults.js";

/** The faults for one request, and the end of a `hold` among them. */
export interface Encounter {
  readonly faults: readonly Fault[];
  readonly released: Promise<void>;
}

/** The rules in force. Only the first rule that matches and is not spent acts on a request. */
export class FaultRules {
  readonly #rules = new Set<RuleInForce>();

  /** Whether a condition may need the body before a rule is chosen. */
  get needsBody(): boolean {
    return [...this.#rules].some(({ rule }) => rule.where !== undefined);
  }

  /** Throws a TypeError when the rule is malformed. */
  add(rule: FaultRule): InjectedFault {
    checkFaultRule(rule);
    const added = new RuleInForce(rule);
    this.#rules.add(added);
    return {
      get requests() {
        return [...added.requests];
      },
      release: () => added.release(),
      remove: () => {
        this.#rules.delete(added);
        added.release();
      },
    };
  }

  clear(): void {
    for (const rule of this.#rules) {
      rule.release();
    }
    this.#rules.clear();
  }

  take(request: ReceivedRequest): Encounter {
    for (const rule of this.#rules) {
      const encounter = rule.take(request);
      if (encounter !== undefined) {
        return encounter;
      }
    }
    return { faults: [], released: Promise.resolve() };
  }
}

class RuleInForce {
  readonly rule: FaultRule;
  readonly requests: ReceivedRequest[] = [];
  readonly #random: () => number;
  #toSkip: number;
  #gate = Promise.withResolvers<void>();

  constructor(rule: FaultRule) {
    this.rule = rule;
    this.#random = seededRandom(rule.seed ?? 1);
    this.#toSkip = rule.skip ?? 0;
  }

  take(request: ReceivedRequest): Encounter | undefined {
    const { times = Number.POSITIVE_INFINITY, probability = 1, fault } = this.rule;
    if (this.requests.length >= times || !matches(this.rule, request)) {
      return undefined;
    }
    if (this.#toSkip > 0) {
      this.#toSkip -= 1;
      return undefined;
    }
    if (this.#random() >= probability) {
      return undefined;
    }
    this.requests.push(request);
    // The gate is taken now, not when the hold is played, so that a release in between counts.
    return { faults: [fault].flat(), released: this.#gate.promise };
  }

  release(): void {
    this.#gate.resolve();
    this.#gate = Promise.withResolvers();
  }
}

/** mulberry32: 32 bits of state are enough to choose requests. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
