import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { HttpOutcome } from "../../../src/api/http-exchange.ts";
import type { AttemptOptions, SendOnce } from "../../../src/api/send-once.ts";
import {
  type ReportedDelay,
  Transport,
  type TransportOptions,
} from "../../../src/api/transport.ts";
import { apiKey, someSettings } from "../../helpers/builders.ts";
import {
  between,
  connectionLost,
  dnsFailure,
  pendingWork,
  response,
  someRequest,
  throttled,
  unsent,
  useFakeClock,
} from "../../helpers/transport.ts";

type Outcome = HttpOutcome | (() => Promise<HttpOutcome>);
type Respond = (attempt: number, name: string) => HttpOutcome | Promise<HttpOutcome>;

const ok = response(200);
const okAfter6s = () => new Promise<HttpOutcome>((resolve) => setTimeout(resolve, 6_000, ok));
const throttled9ms = throttled(9);
const throttled9s = throttled(9_000);
const failed9s = response(500, 9_000);

/** Returns these outcomes in this order, and then always 200. */
const inOrder =
  (...outcomes: readonly Outcome[]) =>
  (attempt: number) => {
    const outcome = outcomes[attempt - 1] ?? ok;
    return typeof outcome === "function" ? outcome() : outcome;
  };

const afterRetry = between(250, 500);
const afterTwoRetries = between(750, 1_500);
const after9s = between(9_000, 10_000);

it("A transport opens its connections with the first request, once", async () => {
  const { openConnections, sendAtOnce } = fakeTransport(() => ok, { timeoutSeconds: 7 });
  expect(openConnections).not.toHaveBeenCalled();

  await sendAtOnce("first", "second");

  expect(openConnections.mock.calls).toEqual([
    [expect.objectContaining({ apiKey, timeoutSeconds: 7 })],
  ]);
});

it("A transport returns the last outcome, the number of attempts and the time that they took together", async () => {
  const transport = fakeTransport(inOrder(connectionLost, response(500), response(403)));

  expect(await settled(transport.send())).toEqual({
    outcome: response(403),
    attempts: 3,
    elapsedMs: afterTwoRetries,
  });
});

it("A transport rejects when the sender rejects, and sends the next request", async () => {
  const wrong = new TypeError("wrong");
  const transport = fakeTransport((at) => (at === 1 ? Promise.reject(wrong) : ok));

  await expect(transport.send()).rejects.toBe(wrong);
  expect((await settled(transport.send())).outcome).toEqual(ok);
});

const together = { first: [0], second: [0] };
const togetherAfter9s = { first: [0, after9s], second: [0, after9s] };

it.each<[string, Outcome[], sentAtMs: Record<string, number[]>]>([
  ["are in flight together", [okAfter6s], together],
  ["share no delay before a retry", [dnsFailure], { first: [0, afterRetry], second: [0] }],
  ["wait as the second 429 asks, if longer", [throttled9ms, throttled9s], togetherAfter9s],
  ["wait as the first 429 asks, if longer", [throttled9s, throttled9ms], togetherAfter9s],
  ["ignore a delay too long for a retry", [throttled(999_000)], together],
])("Two requests that are made at once %s", async (_fact, outcomes, sentAtMs) => {
  const transport = fakeTransport(inOrder(...outcomes));

  await transport.sendAtOnce("first", "second");

  expect(transport.timesOf("first")).toEqual(sentAtMs.first);
  expect(transport.timesOf("second")).toEqual(sentAtMs.second);
});

describe("A pause that a 429 asks for", () => {
  /** Returns 0, 0.25, 0.5 and 0.75, over and over. */
  function quarters() {
    let count = 0;
    return () => (count++ % 4) / 4;
  }

  /** Sends a request that meets the outcomes, and others while it waits. */
  async function sendDuringPause(...outcomes: Outcome[]) {
    const respond = inOrder(throttled9s, ...outcomes);
    const transport = fakeTransport(respond, {}, undefined, quarters());
    const first = transport.send("first");
    await pendingWork();
    const others = ["second", "third", "fourth"].map((name) => transport.send(name));
    await settled(Promise.all([first, ...others]));
    return transport;
  }

  it("holds back every request, and afterwards they start at random moments of a second", async () => {
    const transport = await sendDuringPause();

    const [, ...times] = transport.timesOf();
    expect(times).toEqual(Array(4).fill(after9s));
    expect(new Set(times).size).toBe(4);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(500);
  });

  it("begins anew for those that have not started, when one of them is throttled again", async () => {
    const transport = await sendDuringPause(ok, throttled9s);

    const afterSecondPause = Array(3).fill(between(18_000, 20_000));
    expect(transport.timesOf()).toEqual([0, after9s, after9s, ...afterSecondPause]);
  });

  it("slows no request that comes after its end", async () => {
    const transport = fakeTransport(inOrder(throttled9s));
    const first = transport.send("first");
    await vi.advanceTimersByTimeAsync(8_999);
    const during = transport.send("during");
    await vi.advanceTimersByTimeAsync(1);
    const after = transport.send("after");
    await settled(Promise.all([first, during, after]));

    expect(transport.timesOf("during")).toEqual([after9s]);
    expect(transport.timesOf("after")).toEqual([9_000]);
  });

  it("does not count against retrySeconds of a request that was not sent before", async () => {
    const transport = fakeTransport(inOrder(throttled9s, ok, dnsFailure), { retrySeconds: 9 });
    const first = transport.send("first");
    await pendingWork();

    const second = transport.send("second");

    expect((await settled(second)).outcome).toEqual(ok);
    expect(transport.timesOf("second")).toEqual([after9s, between(9_250, 10_500)]);
    await first;
  });
});

describe("A delay is reported", () => {
  it("once for each kind, when a request has taken 5 s by its end", async () => {
    const outcomes = [throttled(5_000), ok, failed9s, ok, failed9s, throttled9s];
    const transport = fakeTransport(inOrder(...outcomes));

    for (const name of ["first", "second", "third"]) {
      await transport.sendAtOnce(name);
    }

    expect(transport.waits).toMatchObject([
      { kind: "pause", delayMs: 5_000 },
      { kind: "retry", delayMs: 9_000 },
    ]);
  });

  it("also after many short delays", async () => {
    const transport = fakeTransport(inOrder(...Array(9).fill(throttled(1_000))));

    await transport.sendAtOnce("request");

    expect(transport.waits).toMatchObject([{ kind: "pause", delayMs: 1_000 }]);
  });
});

/**
 * Returns a transport that has sent a request, and a controller whose abort stands for a stop of
 * Pulumi.
 */
async function stoppable(respond: Respond, options: Partial<TransportOptions> = {}) {
  const stop = new AbortController();
  const transport = fakeTransport(respond, options, stop.signal);
  const first = transport.send("first");
  await pendingWork();
  return { stop, transport, first };
}

describe("A stop of Pulumi", () => {
  const givenUp = { giveUpReason: "stopping", attempts: 1, elapsedMs: 0 };
  const notSent = { outcome: unsent("stopping"), giveUpReason: undefined };

  it.each([
    { wait: "that a 429 asks for", outcome: throttled9s, others: notSent },
    { wait: "before a retry", outcome: dnsFailure, others: givenUp },
  ])("ends, for all requests, the wait $wait", async ({ outcome, others }) => {
    const { stop, transport, first } = await stoppable(() => outcome);
    const requests = [first, transport.send(), transport.send()];
    await pendingWork();
    const attemptsBefore = transport.attempts.length;

    stop.abort();

    expect(await Promise.all(requests)).toMatchObject([{ ...givenUp, outcome }, others, others]);
    expect(transport.attempts).toHaveLength(attemptsBefore);
  });

  it.each([500, 429])("ends a request that then returns %d, without a wait", async (statusCode) => {
    const arrival = Promise.withResolvers<HttpOutcome>();
    const { stop, transport, first } = await stoppable(() => arrival.promise);
    stop.abort();
    await pendingWork();

    arrival.resolve(response(statusCode, 100_000));

    expect(await settled(first)).toMatchObject({ outcome: { statusCode }, ...givenUp });
    expect(transport.waits).toEqual([]);
  });
});

// The deletion of a webhook that the service created, but that Pulumi cannot store as it should.
describe("An undo", () => {
  it("waits as a 429 asks while Pulumi is not stopping", async () => {
    const transport = fakeTransport(inOrder(throttled9s));

    const first = transport.send("first");
    await pendingWork();
    await settled(Promise.all([first, transport.sendUndo()]));

    expect(transport.timesOf("undo")).toEqual([after9s]);
  });

  it.each([
    { fact: "skips the wait that a 429 asks for once Pulumi is stopping", stopAtMs: 0 },
    { fact: "ends the wait that a 429 asks for when Pulumi stops", stopAtMs: 1_000 },
  ])("$fact", async ({ stopAtMs }) => {
    const { stop, transport } = await stoppable((_, name) => (name === "undo" ? ok : throttled9s));
    setTimeout(() => stop.abort(), stopAtMs);
    await vi.advanceTimersByTimeAsync(0); // A stop at 0 ms comes before the undo.

    expect(await settled(transport.sendUndo())).toMatchObject({ outcome: ok, attempts: 1 });
    expect(transport.timesOf()).toEqual([0, stopAtMs]);
  });

  it("is retried at once when Pulumi stops during its wait for a retry", async () => {
    const { stop, transport } = await stoppable(inOrder(ok, failed9s));
    setTimeout(() => stop.abort(), 1_000);

    expect(await settled(transport.sendUndo())).toMatchObject({ outcome: ok });
    expect(transport.timesOf()).toEqual([0, 0, 1_000]);
  });

  it("is retried after a stop, which ends none of its attempts", async () => {
    const { stop, transport } = await stoppable(inOrder(throttled9s, throttled(), response(500)));
    const result = transport.sendUndo();
    await pendingWork();

    stop.abort();

    expect(await settled(result)).toMatchObject({ outcome: ok, attempts: 3 });
    expect(transport.attempts).toMatchObject([
      { name: "first", atMs: 0, endsAtStopIfUnsent: true },
      { name: "undo", atMs: 0, endsAtStopIfUnsent: false },
      { name: "undo", atMs: afterRetry, endsAtStopIfUnsent: false },
      { name: "undo", atMs: afterTwoRetries, endsAtStopIfUnsent: false },
    ]);
  });
});

/** A transport on a fake clock. `respond` decides how each attempt ends. */
function fakeTransport(
  respond: Respond,
  options: Partial<TransportOptions> = {},
  stopping: AbortSignal = new AbortController().signal,
  random = () => 0.5,
) {
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  useFakeClock();
  const startedAt = Date.now();
  // `endsAtStopIfUnsent`: whether a stop of Pulumi ends the attempt while its request is not sent
  // yet.
  const attempts: { name: string; atMs: number; endsAtStopIfUnsent: boolean }[] = [];
  const waits: ReportedDelay[] = [];
  const sendOnce: SendOnce = async ({ url }, stoppingSignal) => {
    const name = url.pathname.slice(1);
    if (stoppingSignal?.aborted) {
      return unsent("stopping");
    }
    const endsAtStopIfUnsent = stoppingSignal !== undefined;
    attempts.push({ name, atMs: Date.now() - startedAt, endsAtStopIfUnsent });
    return respond(attempts.length, name);
  };
  const openConnections = vi.fn(async (_options: AttemptOptions) => sendOnce);
  const transport = new Transport(
    { ...someSettings(options), apiKey },
    stopping,
    openConnections,
    random,
  );
  /** Sends a request of this name. */
  const send = (name = "x", sendRequest = transport.send) =>
    sendRequest(
      { ...someRequest, method: "DELETE", url: new URL(name, someRequest.url) },
      (wait) => void waits.push(wait),
    );
  return {
    attempts,
    waits,
    openConnections,
    send,
    sendUndo: () => send("undo", transport.sendUndo),
    /** Sends requests at once and waits for all of them. */
    sendAtOnce: (...names: readonly string[]) =>
      settled(Promise.all(names.map((name) => send(name)))),
    /** Returns when the attempts of one request, or of all, were sent. */
    timesOf: (name?: string) =>
      attempts.filter((attempt) => (name ?? attempt.name) === attempt.name).map(({ atMs }) => atMs),
  };
}

/** Lets the fake clock run until a promise settles. */
async function settled<Result>(promise: Promise<Result>): Promise<Result> {
  const end = Promise.allSettled([promise]);
  while (!(await Promise.race([end, pendingWork()]))) {
    if (vi.getTimerCount() === 0) {
      throw new Error("nothing is left that could settle the promise");
    }
    await vi.advanceTimersToNextTimerAsync();
  }
  return promise;
}
