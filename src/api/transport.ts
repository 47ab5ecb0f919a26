import { once } from "node:events";
import type { Exchange, HttpOutcome, HttpRequest } from "./http.js";
import type { RateLimiter } from "./rate-limiter.js";
import { type Delay, type GaveUp, nextStep, type RequestKind, type Step } from "./retry-policy.js";

// Shorter waits are not worth a line, unless there are many of them.
const reportedWaitMs = 5_000;
const unreportedWaits = 3;

/** How to reach the service with one account. */
export interface ClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The timeout of one attempt. */
  readonly timeoutSeconds: number;
  /** How long one operation goes on retrying. */
  readonly retrySeconds: number;
  readonly maxConcurrentRequests?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
}

/** A request, and the operation that it belongs to. */
export interface Call {
  readonly kind: RequestKind;
  readonly request: HttpRequest;
  readonly deadline?: Deadline | undefined;
  /**
   * Whether the request undoes an earlier one. It is sent even when Pulumi stops, and from then on it waits
   * for no other request and no pause, except one that the service asks of the undo itself.
   */
  readonly isUndo?: boolean;
  /** Is called for a wait that the user should know of. */
  readonly onWait: (wait: Wait) => void;
}

/** The end of the time that a program allows for one operation (the option `customTimeouts`). */
export class Deadline {
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly #atMs: number;

  constructor(seconds: number) {
    const ms = Math.ceil(seconds * 1000);
    this.seconds = seconds;
    // Node.js replaces a longer delay by 1 ms.
    this.signal = AbortSignal.timeout(Math.min(ms, 2 ** 31 - 1));
    this.#atMs = performance.now() + ms;
  }

  get remainingMs(): number {
    return this.#atMs - performance.now();
  }
}

/**
 * A wait before a retry. `retry`: one request waits; reported once until a request ends. `pause`: the
 * service limits the rate of requests, so all of them wait; reported once in a run.
 */
export interface Wait extends Delay {
  readonly request: HttpRequest;
  readonly outcome: HttpOutcome;
}

/** How a request ended, after its last attempt. */
export interface CallResult {
  readonly outcome: HttpOutcome;
  /** The outcomes of the attempts before the last one. */
  readonly earlier: readonly HttpOutcome[];
  /** Since the first attempt began. */
  readonly elapsedMs: number;
  /** Why a retry that was due did not take place. */
  readonly gaveUp?: GaveUp | undefined;
}

/** Sends the requests of one account, with retries, within the limits that hold for all of them. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #stopping: AbortSignal;
  readonly #random: () => number;
  readonly #openExchange: OpenExchange;
  readonly #reported = new Set<Wait["kind"]>();
  #sender: Promise<Sender> | undefined;

  /** @param stopping When it aborts, only undos are still sent, and requests in flight complete. */
  constructor(
    options: ClientOptions,
    stopping: AbortSignal,
    openExchange: OpenExchange = async (...args) =>
      (await import("./http.js")).openExchange(...args),
    random: () => number = Math.random,
  ) {
    this.#options = options;
    this.#stopping = stopping;
    this.#random = random;
    this.#openExchange = openExchange;
  }

  /** Sends a request and retries it as the retry policy decides. */
  async sendRequest(call: Call): Promise<CallResult> {
    this.#sender ??= this.#loadSender();
    const { exchange, limiter } = await this.#sender;
    const { kind, request, deadline, isUndo = false } = call;
    const stopping = this.#stopping;
    const ending = deadline ? AbortSignal.any([stopping, deadline.signal]) : stopping;
    const earlier: HttpOutcome[] = [];
    // Queue time before the first attempt does not count against `retrySeconds`.
    let startedAtMs: number | undefined;
    const elapsedMs = () => (startedAtMs === undefined ? 0 : performance.now() - startedAtMs);

    const attempt = async (): Promise<Attempt> => {
      startedAtMs ??= performance.now();
      const signals = { deadline: deadline?.signal, stopping: isUndo ? undefined : stopping };
      const outcome = await exchange(request, signals);
      const step = nextStep(
        { kind, outcome, number: earlier.length + 1, elapsedMs: elapsedMs() },
        {
          retrySeconds: this.#options.retrySeconds,
          remainingMs: deadline?.remainingMs,
          isStopping: stopping.aborted && !isUndo,
        },
        this.#random,
      );
      if (step.kind === "pause") {
        // Before this task ends, because the queue then starts the next one at once.
        limiter.pause(step.delayMs);
      }
      return { outcome, step };
    };

    for (;;) {
      // Retries go before first attempts, because their time is running.
      const priority = isUndo ? 2 : Math.min(earlier.length, 1);
      const attempted = await limiter.run(attempt, priority, ending);
      // If the signal aborted in the queue, an exchange sends only an undo and reports the rest as unsent.
      const { outcome, step } = attempted ?? (await attempt());
      if (step.kind === "end") {
        this.#reported.delete("retry");
        return { ...resultOf(outcome, earlier, step.gaveUp), elapsedMs: elapsedMs() };
      }
      earlier.push(outcome);
      const waitCount = step.kind === "pause" ? limiter.pauseCount : earlier.length;
      this.#reportWait(call, { ...step, request, outcome }, waitCount);
      // The queue waits out a pause, but after a stop an undo no longer stands in the queue.
      if (step.kind === "retry" || stopping.aborted) {
        await sleep(step.delayMs, stopping.aborted ? [] : [ending]);
      }
    }
  }

  /** Loads undici and the queue with the first request. */
  async #loadSender(): Promise<Sender> {
    const { RateLimiter } = await import("./rate-limiter.js");
    const { timeoutSeconds, maxConcurrentRequests, requestsPerSecond } = this.#options;
    const limiter = new RateLimiter(maxConcurrentRequests, requestsPerSecond);
    return { exchange: await this.#openExchange(timeoutSeconds), limiter };
  }

  #reportWait({ onWait }: Call, wait: Wait, waitCount: number): void {
    const isNotable = wait.delayMs >= reportedWaitMs || waitCount > unreportedWaits;
    if (isNotable && !this.#reported.has(wait.kind)) {
      this.#reported.add(wait.kind);
      onWait(wait);
    }
  }
}

type OpenExchange = (timeoutSeconds: number) => Promise<Exchange>;

interface Sender {
  readonly exchange: Exchange;
  readonly limiter: RateLimiter;
}

interface Attempt {
  readonly outcome: HttpOutcome;
  readonly step: Step;
}

/** Ignores a retry that was not sent in time, because the attempt before it says what went wrong. */
function resultOf(
  outcome: HttpOutcome,
  earlier: readonly HttpOutcome[],
  gaveUp: GaveUp | undefined,
): Pick<CallResult, "outcome" | "earlier" | "gaveUp"> {
  const last = earlier.at(-1);
  const isUnsent = last !== undefined && outcome.kind === "unsent";
  return isUnsent && (outcome.cause === "stopping" || outcome.cause === "deadline")
    ? { outcome: last, earlier: earlier.slice(0, -1), gaveUp: outcome.cause }
    : { outcome, earlier, gaveUp };
}

/** Waits for a time, at most until a signal aborts. */
async function sleep(ms: number, endings: readonly AbortSignal[]): Promise<void> {
  const end = AbortSignal.any([AbortSignal.timeout(Math.ceil(ms)), ...endings]);
  if (!end.aborted) {
    await once(end, "abort");
  }
}
