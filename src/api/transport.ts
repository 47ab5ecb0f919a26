import { type Delay, type GiveUpReason, stepAfterAttempt } from "./retry-policy.js";
import type { HttpOutcome, HttpRequest, SendOnce } from "./send-once.js";
import { SharedPause, sleep } from "./shared-pause.js";

// A delay is reported when, by its end, a request has taken this time, or this time has passed
// since the first pause.
const reportedAfterMs = 5_000;

/** How to reach the service with one account. */
export interface ClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The timeout of one attempt. */
  readonly timeoutSeconds: number;
  /** How long one request is retried after its first attempt. */
  readonly retrySeconds: number;
}

/** A request, and who learns that it is delayed. */
export interface Call {
  readonly request: HttpRequest;
  /** Is called for a delay that the user should know of. */
  readonly onDelay: (delay: ReportedDelay) => void;
}

/**
 * A delay before a retry. A `retry` delays one request. A `pause` delays all requests, because the
 * service limits their rate. Each kind is reported once.
 */
export interface ReportedDelay extends Delay {
  readonly request: HttpRequest;
  readonly outcome: HttpOutcome;
}

/** How a request ended, after its last attempt. */
export interface CallResult {
  readonly outcome: HttpOutcome;
  readonly attempts: number;
  /** The time since the first attempt began. */
  readonly elapsedMs: number;
  /** Why a retry that was due did not take place. */
  readonly giveUpReason?: GiveUpReason | undefined;
}

/** Sends requests. */
export interface Sender {
  /** Sends a request and retries it as the retry policy decides. */
  readonly sendWithRetries: (call: Call) => Promise<CallResult>;
}

/**
 * Sends the requests of one account, with retries. When the service limits their rate, all of them
 * wait.
 */
export class Transport implements Sender {
  readonly #options: ClientOptions;
  readonly #stopping: AbortSignal;
  readonly #random: () => number;
  readonly #createSendOnce: CreateSendOnce;
  readonly #reportedKinds = new Set<ReportedDelay["kind"]>();
  readonly #pause: SharedPause;
  #sendOnce: Promise<SendOnce> | undefined;

  /**
   * @param stopping When it aborts, requests in flight complete, and only those of `undoSender` are
   * still sent.
   */
  constructor(
    options: ClientOptions,
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

  sendWithRetries(call: Call): Promise<CallResult> {
    return this.#send(call, this.#stopping);
  }

  /** Sends requests even after a stop, to delete webhooks that were just created. */
  get undoSender(): Sender {
    return { sendWithRetries: (call) => this.#send(call, undefined) };
  }

  async #send(call: Call, stopping: AbortSignal | undefined): Promise<CallResult> {
    const { request } = call;
    // undici is loaded with the first request.
    this.#sendOnce ??= this.#createSendOnce(this.#options.timeoutSeconds);
    const sendOnce = await this.#sendOnce;
    await this.#pause.waitForEnd();
    // The pause before the first attempt does not count against `retrySeconds`.
    const startedAtMs = performance.now();
    let ended: CallResult | undefined;

    for (let attempts = 1; ; attempts += 1) {
      // After a stop, the attempt ends as unsent.
      const outcome = await sendOnce(request, stopping);
      if (ended !== undefined && outcome.kind === "unsent" && outcome.cause === "stopping") {
        // The outcome of the attempt before it says what went wrong.
        return { ...ended, giveUpReason: "stopping" };
      }
      const elapsedMs = performance.now() - startedAtMs;
      ended = { outcome, attempts, elapsedMs };
      const step = stepAfterAttempt(
        { method: request.method, outcome, attemptNumber: attempts, elapsedMs },
        {
          retrySeconds: this.#options.retrySeconds,
          isStopping: stopping?.aborted ?? false,
        },
        this.#random,
      );
      if (step.kind === "end") {
        return { ...ended, giveUpReason: step.giveUpReason };
      }
      if (step.kind === "pause") {
        this.#pause.extend(step.delayMs);
      }
      const slowMs = step.kind === "pause" ? this.#pause.durationMs : elapsedMs + step.delayMs;
      if (slowMs >= reportedAfterMs) {
        this.#report(call, { ...step, request, outcome });
      }
      // After a stop nothing but an undo comes here, and it waits for its own delay only.
      if (this.#stopping.aborted) {
        await sleep(step.delayMs);
      } else if (step.kind === "retry") {
        await sleep(step.delayMs, this.#stopping);
      }
      await this.#pause.waitForEnd();
    }
  }

  #report({ onDelay }: Call, delay: ReportedDelay): void {
    if (!this.#reportedKinds.has(delay.kind)) {
      this.#reportedKinds.add(delay.kind);
      onDelay(delay);
    }
  }
}

type CreateSendOnce = (timeoutSeconds: number) => Promise<SendOnce>;
