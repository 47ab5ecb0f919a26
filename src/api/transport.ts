import type { HttpOutcome, HttpRequest, RequestLine } from "./http-exchange.js";
import { type Delay, type GiveUpReason, stepAfterAttempt } from "./retry-policy.js";
import type { AttemptOptions, SendOnce } from "./send-once.js";
import { SharedPause, sleep } from "./shared-pause.js";

// A delay is reported when, by its end, a request has taken this time, or this time has passed
// since the first pause.
const reportedAfterMs = 5_000;

/** The options of an account for its requests. */
export interface TransportOptions extends AttemptOptions {
  /** How long one request is retried after its first attempt. */
  readonly retrySeconds: number;
}

/**
 * A delay before a retry. A `retry` delays one request. A `pause` delays all requests, because the
 * service limits their rate. Each kind is reported once.
 */
export interface ReportedDelay extends Delay {
  readonly request: RequestLine;
  readonly outcome: HttpOutcome;
}

/** Is called for a delay that the user should know of. */
export type OnDelay = (delay: ReportedDelay) => void;

/** How a request ended, after its last attempt. */
export interface CallResult {
  readonly outcome: HttpOutcome;
  readonly attempts: number;
  /** The time since the first attempt began. */
  readonly elapsedMs: number;
  /** Why a retry that was due did not take place. */
  readonly giveUpReason?: GiveUpReason | undefined;
}

/** Sends a request, and retries it as the retry policy decides. */
export type Send = (request: HttpRequest, onDelay: OnDelay) => Promise<CallResult>;

/**
 * Sends the requests of one account, with retries. When the service limits their rate, all of them
 * wait.
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #stopping: AbortSignal;
  readonly #random: () => number;
  readonly #createSendOnce: CreateSendOnce;
  readonly #reportedKinds = new Set<ReportedDelay["kind"]>();
  readonly #pause: SharedPause;
  #sendOnce: Promise<SendOnce> | undefined;

  /**
   * @param stopping When it aborts, requests in flight complete, and only undos are still sent.
   */
  constructor(
    options: TransportOptions,
    stopping: AbortSignal,
    createSendOnce: CreateSendOnce = async (...args) =>
      (await import("./send-once.js")).createSendOnce(...args),
    random: () => number = Math.random,
  ) {
    this.#options = options;
    this.#stopping = stopping;
    this.#random = random;
    this.#pause = new SharedPause(stopping, random);
    this.#createSendOnce = createSendOnce;
  }

  readonly send: Send = (request, onDelay) => this.#retry(this.#stopping, request, onDelay);

  /** Sends a request even after a stop, to delete a webhook that was just created. */
  readonly sendUndo: Send = (request, onDelay) => this.#retry(undefined, request, onDelay);

  /**
   * Attempts a request until the retry policy ends it.
   *
   * @param stopping When it aborts, the request is not sent any more.
   */
  async #retry(
    stopping: AbortSignal | undefined,
    request: HttpRequest,
    onDelay: OnDelay,
  ): Promise<CallResult> {
    // undici is loaded with the first request.
    this.#sendOnce ??= this.#createSendOnce(this.#options);
    const sendOnce = await this.#sendOnce;
    await this.#pause.waitForEnd();
    // The pause before the first attempt does not count against `retrySeconds`.
    const startedAtMs = performance.now();
    let previous: CallResult | undefined;

    for (let attempts = 1; ; attempts += 1) {
      const outcome = await sendOnce(request, stopping);
      // A stop during the wait has kept this attempt from being sent. Its outcome says nothing about
      // the request, so the call ends with that of the attempt before it.
      if (previous !== undefined && outcome.kind === "unsent" && outcome.cause === "stopping") {
        return { ...previous, giveUpReason: "stopping" };
      }
      const elapsedMs = performance.now() - startedAtMs;
      const ended: CallResult = { outcome, attempts, elapsedMs };
      const isStopping = stopping?.aborted ?? false;
      const step = stepAfterAttempt(
        { method: request.method, outcome, attemptNumber: attempts, elapsedMs, isStopping },
        this.#options.retrySeconds,
        this.#random,
      );
      if (step.kind === "end") {
        return { ...ended, giveUpReason: step.giveUpReason };
      }
      await this.#waitForRetry(step, ended, request, onDelay);
      previous = ended;
    }
  }

  /**
   * Waits until a request may be retried: for its own delay, or for the end of the pause of all
   * requests, which a rate limit extends. Reports a long delay.
   */
  async #waitForRetry(
    delay: Delay,
    { outcome, elapsedMs }: CallResult,
    { method, url }: RequestLine,
    onDelay: OnDelay,
  ): Promise<void> {
    const { kind, delayMs } = delay;
    if (kind === "pause") {
      this.#pause.extend(delayMs);
    }
    const slowMs = kind === "pause" ? this.#pause.spanMs : elapsedMs + delayMs;
    if (slowMs >= reportedAfterMs) {
      this.#report(onDelay, { ...delay, request: { method, url }, outcome });
    }
    // After a stop, only an undo is retried. The pause has ended then, so it waits for its own delay
    // of either kind, which the stop does not end.
    if (this.#stopping.aborted) {
      await sleep(delayMs);
    } else if (kind === "retry") {
      await sleep(delayMs, this.#stopping);
    }
    await this.#pause.waitForEnd();
  }

  #report(onDelay: OnDelay, delay: ReportedDelay): void {
    if (!this.#reportedKinds.has(delay.kind)) {
      this.#reportedKinds.add(delay.kind);
      onDelay(delay);
    }
  }
}

type CreateSendOnce = (options: AttemptOptions) => Promise<SendOnce>;
