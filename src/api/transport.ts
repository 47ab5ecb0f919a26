import { once } from "node:events";
import type { HttpOutcome, HttpRequest, SendOnce } from "./http.js";
import type { RateLimiter } from "./rate-limiter.js";
import { type Delay, type GiveUpReason, nextStep, type RequestKind } from "./retry-policy.js";

// A shorter delay is reported only after several of them.
const reportedDelayMs = 5_000;
const unreportedDelays = 3;

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
   * Whether the request deletes a webhook that this run has just created. It is sent even when Pulumi stops,
   * and then bypasses the queue.
   */
  readonly isUndo?: boolean;
  /** Is called for a delay that the user should know of. */
  readonly onDelay: (delay: ReportedDelay) => void;
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
 * A delay before a retry. A `retry` delays one request, and is reported again only after a request has ended.
 * A `pause` delays all requests, because the service limits their rate, and is reported once.
 */
export interface ReportedDelay extends Delay {
  readonly request: HttpRequest;
  readonly outcome: HttpOutcome;
}

/** How a request ended, after its last attempt. */
export interface CallResult {
  readonly outcome: HttpOutcome;
  /** The outcomes of the attempts before the last one. */
  readonly earlierOutcomes: readonly HttpOutcome[];
  /** The time since the first attempt began. */
  readonly elapsedMs: number;
  /** Why a retry that was due did not take place. */
  readonly giveUpReason?: GiveUpReason | undefined;
}

/** Sends the requests of one account, with retries, within the limits that hold for all of them. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #stopping: AbortSignal;
  readonly #random: () => number;
  readonly #createSender: CreateSender;
  readonly #reported = new Set<ReportedDelay["kind"]>();
  #sender: Promise<Sender> | undefined;

  /** @param stopping When it aborts, only undos are still sent, and requests in flight complete. */
  constructor(
    options: ClientOptions,
    stopping: AbortSignal,
    createSender: CreateSender = async (...args) =>
      (await import("./http.js")).createHttpSender(...args),
    random: () => number = Math.random,
  ) {
    this.#options = options;
    this.#stopping = stopping;
    this.#random = random;
    this.#createSender = createSender;
  }

  /** Sends a request and retries it as the retry policy decides. */
  async sendRequest(call: Call): Promise<CallResult> {
    this.#sender ??= this.#loadSender();
    const { sendOnce, limiter } = await this.#sender;
    const { kind, request, deadline, isUndo = false } = call;
    const stopping = this.#stopping;
    const endSignal = deadline ? AbortSignal.any([stopping, deadline.signal]) : stopping;
    const earlierOutcomes: HttpOutcome[] = [];
    // Queue time before the first attempt does not count against `retrySeconds`.
    let startedAtMs: number | undefined;
    const elapsedMs = () => (startedAtMs === undefined ? 0 : performance.now() - startedAtMs);

    const attempt = async () => {
      startedAtMs ??= performance.now();
      const signals = { deadline: deadline?.signal, stopping: isUndo ? undefined : stopping };
      const outcome = await sendOnce(request, signals);
      const step = nextStep(
        { kind, outcome, attemptNumber: earlierOutcomes.length + 1, elapsedMs: elapsedMs() },
        {
          retrySeconds: this.#options.retrySeconds,
          remainingMs: deadline?.remainingMs,
          isStopping: stopping.aborted && !isUndo,
        },
        this.#random,
      );
      if (step.kind === "pause") {
        // Pause the queue before this attempt ends, because the queue then starts the next one at once.
        limiter.pause(step.delayMs);
      }
      return { outcome, step };
    };

    for (;;) {
      // Retries go before first attempts, because their time is running.
      const priority = isUndo ? 2 : Math.min(earlierOutcomes.length, 1);
      const attempted = await limiter.run(attempt, priority, endSignal);
      // A stop or a deadline removes a request from the queue: an undo is then sent at once, and an attempt of
      // any other request ends as unsent.
      const { outcome, step } = attempted ?? (await attempt());
      if (step.kind === "end") {
        this.#reported.delete("retry");
        return { ...resultOf(outcome, earlierOutcomes, step.giveUpReason), elapsedMs: elapsedMs() };
      }
      earlierOutcomes.push(outcome);
      const delayCount = step.kind === "pause" ? limiter.pauseCount : earlierOutcomes.length;
      this.#reportDelay(call, { ...step, request, outcome }, delayCount);
      // A paused queue delays the next attempt, but after a stop an undo bypasses the queue.
      if (step.kind === "retry" || stopping.aborted) {
        await sleep(step.delayMs, stopping.aborted ? [] : [endSignal]);
      }
    }
  }

  /** Loads undici and the queue with the first request. */
  async #loadSender(): Promise<Sender> {
    const { RateLimiter } = await import("./rate-limiter.js");
    const { timeoutSeconds, maxConcurrentRequests, requestsPerSecond } = this.#options;
    const limiter = new RateLimiter(maxConcurrentRequests, requestsPerSecond);
    return { sendOnce: await this.#createSender(timeoutSeconds), limiter };
  }

  #reportDelay({ onDelay }: Call, delay: ReportedDelay, delayCount: number): void {
    const isNotable = delay.delayMs >= reportedDelayMs || delayCount > unreportedDelays;
    if (isNotable && !this.#reported.has(delay.kind)) {
      this.#reported.add(delay.kind);
      onDelay(delay);
    }
  }
}

type CreateSender = (timeoutSeconds: number) => Promise<SendOnce>;

interface Sender {
  readonly sendOnce: SendOnce;
  readonly limiter: RateLimiter;
}

/** Ignores a retry that was not sent in time: the outcome of the attempt before it says what went wrong. */
function resultOf(
  outcome: HttpOutcome,
  earlierOutcomes: readonly HttpOutcome[],
  giveUpReason: GiveUpReason | undefined,
): Pick<CallResult, "outcome" | "earlierOutcomes" | "giveUpReason"> {
  const last = earlierOutcomes.at(-1);
  const isUnsent = last !== undefined && outcome.kind === "unsent";
  return isUnsent && (outcome.cause === "stopping" || outcome.cause === "deadline")
    ? { outcome: last, earlierOutcomes: earlierOutcomes.slice(0, -1), giveUpReason: outcome.cause }
    : { outcome, earlierOutcomes, giveUpReason };
}

/** Waits for a time, at most until a signal aborts. */
async function sleep(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  const end = AbortSignal.any([AbortSignal.timeout(Math.ceil(ms)), ...signals]);
  if (!end.aborted) {
    await once(end, "abort");
  }
}
