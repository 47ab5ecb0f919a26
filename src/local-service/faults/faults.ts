import type { ReceivedRequest, RequestMatch } from "../http/request-log.js";

/**
 * One thing that goes wrong with a request.
 *
 * Where a kind has `commit`, `false` (the default) plays it before the request takes effect, `true`
 * after: the webhook is then stored, or removed, and only the client does not get a proper answer. The
 * kinds without `commit` say where they stand. A request that the service refuses (401, 404, 400, …)
 * takes no effect; what comes "after" is then played on the refusal.
 */
export type Fault =
  /** Waits `ms` milliseconds, then goes on, even when the client has left by then. */
  | { readonly kind: "delay"; readonly ms: number; readonly commit?: boolean }
  /** Waits until {@link InjectedFault.release}, then goes on, even when the client has left. */
  | { readonly kind: "hold"; readonly commit?: boolean }
  /** Keeps the connection open and sends nothing, until the client leaves. */
  | { readonly kind: "neverAnswer"; readonly commit?: boolean }
  /**
   * Answers with this instead: an error, a redirect, an HTML page, `success: false`, an empty 2xx.
   * `statusCode`: 200 to 599. A string `body` is sent as it is, as `text/plain` unless `headers` say
   * otherwise; anything else as JSON; nothing when it is absent. A function makes the body out of the
   * {@link ReceivedRequest}, to repeat what the request holds.
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
  /** After: the answer with further headers (`"content-type": "text/html"`), or with another text. */
  | {
      readonly kind: "alter";
      readonly headers?: Readonly<Record<string, string>>;
      /** Makes the new text out of the answer's own. */
      readonly text?: (text: string) => string;
    };

/** Which requests meet which fault, and how often. */
export interface FaultRule extends RequestMatch {
  /**
   * What goes wrong; several are played in this order on the same request, those before its effect
   * first. Nothing follows a reset or a silence.
   */
  readonly fault: Fault | readonly Fault[];
  /** Matching requests that pass unharmed first: `skip: 2, times: 1` meets the third. Default: 0. */
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
  /** Lets every request that met the rule so far go on from its `hold`. Later ones wait again. */
  release(): void;
  /** Takes the rule out of force, and releases. */
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
