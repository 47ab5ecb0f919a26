import type fc from "fast-check";
import { vi } from "vitest";
import type { HttpOutcome, HttpRequest } from "../../../src/api/http-exchange.ts";
import type { SendOnce } from "../../../src/api/send-once.ts";
import { pendingWork, unsent } from "../transport.ts";
import { SimulatedEngine } from "./engine.ts";
import { type Deletion, History } from "./history.ts";
import type { Fault, Play } from "./plays.ts";
import { declareResource, type Resource, resourceNumberOf, retrySeconds } from "./resources.ts";
import { type ServiceWebhook, SimulatedService } from "./service.ts";

// The provider learns of a webhook that it imports only from Pulumi, and of a lost one perhaps
// never.
const unannouncedKinds = ["import", "recreate"];

/**
 * The world around the provider, in which one event happens after the other. The scheduler chooses
 * the next one.
 */
export class World {
  readonly history = new History();
  readonly engine = new SimulatedEngine(
    () => this.turn("the engine responds"),
    () => this.history.now(),
  );
  // An existing webhook is named only if the provider can know it, or is asked about it later.
  readonly service = new SimulatedService(
    ({ id }) =>
      this.history.hasMet(id, Number.POSITIVE_INFINITY) ||
      this.resources.some(
        ({ kind, old }) => old?.webhook.id === id && !unannouncedKinds.includes(kind),
      ),
  );
  readonly resources: readonly Resource[];
  readonly play: Play;
  readonly #scheduler: fc.Scheduler;
  readonly #beganAtMs = performance.now();
  #requestCount = 0;
  #pausedUntilMs = 0;

  constructor(play: Play, scheduler: fc.Scheduler) {
    this.play = play;
    this.#scheduler = scheduler;
    this.service.canList = play.canList;
    this.resources = play.operations.map((one, at) => declareResource(one, at, this.service));
  }

  /** Waits until the scheduler chooses this event. */
  turn(event: string): Promise<void> {
    return this.#scheduler.schedule(Promise.resolve(), event);
  }

  /** Lets events happen until a promise settles. Time passes when nothing else can happen. */
  async runUntil(promise: Promise<unknown>): Promise<void> {
    const ended = promise.then(() => true);
    for (let turns = 0; !(await Promise.race([ended, pendingWork()])); turns++) {
      if (turns > 10_000) {
        throw new Error("the operations do not end");
      }
      this.#checkSignalHandlers();
      if (this.#scheduler.count() > 0) {
        await this.#scheduler.waitNext(1);
      } else if (vi.getTimerCount() > 0) {
        await vi.advanceTimersToNextTimerAsync();
      }
    }
  }

  /** Sends one request. This replaces undici. */
  readonly sendOnce: SendOnce = async (request, stopping) => {
    if (stopping?.aborted) {
      return unsent("stopping");
    }
    const isUndo = stopping === undefined;
    if (!isUndo && performance.now() < this.#pausedUntilMs) {
      this.history.violations.push("a request is sent during a pause");
    }
    await this.turn(`${request.method} arrives`);
    const { faults } = this.play;
    const chosen = faults[this.#requestCount++ % faults.length] ?? "none";
    // The key that has just created a webhook has access to it.
    const fault = isUndo && chosen === "denied" ? "none" : chosen;
    const reply = this.service.receive(request, fault);
    if (fault === "slow") {
      await new Promise((resolve) => setTimeout(resolve, 8_000));
    }
    await this.turn(`the response to ${request.method} arrives`);
    this.#notePause(reply.outcome);
    this.#noteResponse(request, reply.outcome);
    if (fault === "denied") {
      this.#noteDenied(request);
    }
    if (reply.named) {
      this.#noteNamed(request, { webhook: reply.named, fault });
    }
    return reply.outcome;
  };

  #noteResponse({ method, url }: HttpRequest, outcome: HttpOutcome): void {
    const { history } = this;
    const succeeded = outcome.kind === "response" && outcome.statusCode === 200;
    const at = history.now();
    const id = url.pathname.split("/").at(-1) ?? "";
    if (method === "DELETE") {
      history.sentDeletions.push({ at, id, succeeded });
    }
  }

  #noteDenied({ method, url }: HttpRequest): void {
    const id = url.pathname.split("/").at(-1);
    const isInFlight = ({ webhook, endedAt }: Deletion) =>
      webhook.id === id && endedAt === undefined;
    const deletion = method === "DELETE" && this.history.deletions.find(isInFlight);
    if (deletion) {
      deletion.wasDenied = true;
    }
  }

  /** A request that has no time left for another attempt does not make the others wait. */
  #notePause(outcome: HttpOutcome): void {
    if (outcome.kind !== "response" || outcome.statusCode !== 429) {
      return;
    }
    const untilMs = performance.now() + (outcome.retryAfterMs ?? 0);
    const hasTimeLeft = untilMs - this.#beganAtMs < retrySeconds * 1000;
    if (hasTimeLeft) {
      this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    }
  }

  #noteNamed({ body }: HttpRequest, named: { webhook: ServiceWebhook; fault: Fault }): void {
    const number = resourceNumberOf((body as { url: string }).url);
    const creation = this.history.creations.findLast((one) => one.resource.number === number);
    const engineIsGone = this.engine.isGone;
    const at = this.history.meet(named.webhook.id);
    if (creation) {
      creation.named = { ...named, at, engineIsGone };
    }
  }

  #checkSignalHandlers(): void {
    const isCreating = this.history.creations.some(({ endedAt }) => endedAt === undefined);
    if (isCreating !== this.engine.signalHandlers.length > 0) {
      const text = isCreating ? "no handler during a creation" : "a handler without a creation";
      this.history.violations.push(text);
    }
  }
}
