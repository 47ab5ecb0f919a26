import type { ReceivedRequest, RequestMatch } from "../http/request-log.js";

/**
 * One thing that goes wrong with a request.
 *
 * Where a kind has `commit`, `false` (the default) plays it before the request takes effect, `true`
 * after: the webhook is then stored, or removed, but the client gets no proper answer. The kinds
 * without `commit` say "before" or "after" here. A request that the service refuses (401, 404, 400,
 * …) takes no effect; faults "after" are then played on the refusal.
 */
export type Fault =
  /** Waits `ms` milliseconds, then continues, even when the client has left. */
  | { readonly kind: "delay"; readonly ms: number; readonly commit?: boolean }
  /** Waits until {@link InjectedFault.release}, then continues, even when the client has left. */
  | { readonly kind: "hold"; readonly commit?: boolean }
  /** Keeps the connection open and sends nothing, until the client leaves. */
  | { readonly kind: "neverAnswer"; readonly commit?: boolean }
  /**
   * Replaces the answer: an error, a redirect, an HTML page, `success: false`, an empty 2xx.
   * `statusCode`: 200 to 599. A string `body` is sent as it is, as `text/plain` unless `headers` say
   * otherwise; anything else as JSON; nothing when it is absent. A function gets the
   * {@link ReceivedRequest} and returns the body.
   */
  | {
      readonly kind: "respond";
      readonly statusCode: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly commit?: boolean;
    }
  /**
   * Before: sends a TCP reset without having read the body. (While a rule with `where` is in force
   * every body is read first, because the condition may look at it.)
   */
  | { readonly kind: "resetBeforeReading" }
  /** After: sends a TCP reset in place of the answer. */
  | { readonly kind: "resetAfterCommit" }
  /** After: sends the head and half of the body, then a TCP reset. */
  | { readonly kind: "resetMidBody" }
  /**
   * After: the answer with fields set (`id: 0`, `secret: ""`, unknown ones) or removed. A function
   * changes the value that the field has: `set: { id: String }`.
   */
  | {
      readonly kind: "fields";
      readonly set?: Readonly<Record<string, unknown>>;
      readonly remove?: readonly string[];
    }
  /** After: the answer with changed headers (`"content-type": "text/html"`) or a changed text. */
  | {
      readonly kind: "alter";
      readonly headers?: Readonly<Record<string, string>>;
      /** Gets the text of the answer and returns the new one. */
      readonly text?: (text: string) => string;
    };

/** Which requests meet which fault, and how often. */
export interface FaultRule extends RequestMatch {
  /**
   * What goes wrong. Several are played in this order on one request, first those before its effect.
   * Nothing follows a reset or `neverAnswer`.
   */
  readonly fault: Fault | readonly Fault[];
  /** Matching requests to leave alone first: `skip: 2, times: 1` meets the third. Default: 0. */
  readonly skip?: number;
  /** Requests to meet before the rule is spent. Default: no limit. */
  readonly times?: number;
  /** Share of the matching requests to meet, 0 to 1. Default: 1. */
  readonly probability?: number;
  /** Seed of the choice that `probability` makes: the same seed, the same choices. Default: 1. */
  readonly seed?: number;
}

/** A rule in force. */
export interface InjectedFault {
  /** Requests that met the rule so far, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** Ends the `hold` of every request that met the rule so far. Later requests wait again. */
  release(): void;
  /** Removes the rule and releases what it holds. */
  remove(): void;
}

/** Whether a fault is played before the request can take effect. */
export function isBeforeCommit(fault: Fault): boolean {
  switch (fault.kind) {
    case "delay":
    case "hold":
    case "neverAnswer":
    case "respond":
      return fault.commit !== true;
    case "resetBeforeReading":
      return true;
    default:
      return false;
  }
}
