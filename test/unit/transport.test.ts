import { describe, expect, it, vi } from "vitest";
import type { HttpOutcome } from "../../src/api/http.ts";
import { type ClientOptions, Deadline } from "../../src/api/transport.ts";
import {
  connectionLost,
  dnsFailure,
  fakeTransport,
  pendingWork,
  response,
  settled,
  throttled,
  throttledBy503,
  unsent,
} from "../helpers/transport.ts";

type Outcome = HttpOutcome | (() => Promise<HttpOutcome>);
type Respond = Parameters<typeof fakeTransport>[0];

const ok = response(200);
const okAfter6s = () => new Promise<HttpOutcome>((resolve) => setTimeout(resolve, 6_000, ok));
const throttled9ms = throttled(9);
const throttled9s = throttled(9_000);
const failed9s = response(500, 9_000);
const oneAtATime = { maxConcurrentRequests: 1 };
const perSecond = (requestsPerSecond: number) => ({ requestsPerSecond });

/** Returns these outcomes in this order, and then always 200. */
const inOrder =
  (...outcomes: readonly Outcome[]) =>
  (attempt: number) => {
    const outcome = outcomes[attempt - 1] ?? ok;
    return typeof outcome === "function" ? outcome() : outcome;
  };

it("A transport opens its connections with the first request, once", async () => {
  const { openConnections, sendAtOnce } = await fakeTransport(() => ok, { timeoutSeconds: 7 });
  expect(openConnections).not.toHaveBeenCalled();

  await sendAtOnce("first", "second");

  expect(openConnections.mock.calls).toEqual([[7]]);
});

it("A transport returns the outcome of each attempt, and the time that they took together", async () => {
  const transport = await fakeTransport(inOrder(connectionLost, response(500), response(403)));

  expect(await settled(transport.send())).toEqual({
    outcome: response(403),
    earlierOutcomes: [connectionLost, response(500)],
    // 0.75 of 500 ms and of 1 s: the random number of the fake transport is 0.5.
    elapsedMs: 375 + 750,
  });
});

it("A transport rejects when the sender rejects, and sends the next request", async () => {
  const wrong = new TypeError("wrong");
  const transport = await fakeTransport((at) => (at === 1 ? Promise.reject(wrong) : ok));

  await expect(transport.send()).rejects.toBe(wrong);
  expect((await settled(transport.send())).outcome).toEqual(ok);
});

// An attempt every 10 s. retrySeconds decides whether to retry, not how long the retry then waits in the queue.
const slowQueue = { ...perSecond(0.1), retrySeconds: 5 };
const together = { first: [0], second: [0] };
const togetherAfter9s = { first: [0, 9_000], second: [0, 9_000] };
const queuedAfterRetry = { first: [0, 250], second: [500] };
const queuedAndRetried = { first: [0], second: [10_000, 20_000] };

it.each<[string, Partial<ClientOptions>, Outcome[], sentAtMs: Record<string, number[]>]>([
  ["are in flight together by default", {}, [okAfter6s], together],
  ["keep to maxConcurrentRequests", oneAtATime, [okAfter6s], { first: [0], second: [6_000] }],
  ["keep to requestsPerSecond", perSecond(4), [], { first: [0], second: [250] }],
  ["retry within requestsPerSecond", perSecond(4), [throttledBy503(0)], queuedAfterRetry],
  ["share no delay before a retry", oneAtATime, [dnsFailure], { first: [0, 375], second: [0] }],
  ["wait as a 429 asks", oneAtATime, [throttled9s], { first: [0, 9_000], second: [9_000] }],
  ["wait as the second 429 asks, if longer", {}, [throttled9ms, throttled9s], togetherAfter9s],
  ["wait as the first 429 asks, if longer", {}, [throttled9s, throttled9ms], togetherAfter9s],
  ["ignore a delay too long for a retry", oneAtATime, [throttled(999_000)], together],
  ["start retrySeconds with the first attempt", slowQueue, [ok, dnsFailure], queuedAndRetried],
])("Two requests that are made at once %s", async (_fact, options, outcomes, sentAtMs) => {
  const transport = await fakeTransport(inOrder(...outcomes), options);

  await transport.sendAtOnce("first", "second");

  expect(transport.timesOf("first")).toEqual(sentAtMs.first);
  expect(transport.timesOf("second")).toEqual(sentAtMs.second);
});

it("A wait of 5 s or more is reported once for all throttled requests", async () => {
  const transport = await fakeTransport(inOrder(throttledBy503(5_000), ok, throttled9s));

  await transport.sendAtOnce("first");
  await transport.sendAtOnce("second");

  expect(transport.waits).toMatchObject([{ kind: "pause", delayMs: 5_000 }]);
});

it("A wait of 5 s or more is reported once for all retries of a request, and again for another request", async () => {
  const transport = await fakeTransport(inOrder(failed9s, failed9s, ok, failed9s));

  await transport.sendAtOnce("first");
  await transport.sendAtOnce("second");

  expect(transport.waits).toMatchObject(Array(2).fill({ kind: "retry", outcome: failed9s }));
});

it("A wait of less than 5 s is reported with the fourth retry of a request", async () => {
  const transport = await fakeTransport(inOrder(...Array(4).fill(dnsFailure)));

  await transport.sendAtOnce("request");

  // 0.75 of 4 s: the random number of the fake transport is 0.5.
  expect(transport.waits).toMatchObject([{ kind: "retry", delayMs: 3_000 }]);
});

it("A wait of less than 5 s is reported with the fourth throttled request", async () => {
  const throttledOnce = [throttled(4_999), ok];
  const transport = await fakeTransport(inOrder(...Array(4).fill(throttledOnce).flat()));

  for (const name of ["first", "second", "third"]) await transport.sendAtOnce(name);
  const waitsBefore = [...transport.waits];
  await transport.sendAtOnce("fourth");

  expect(waitsBefore).toEqual([]);
  expect(transport.waits).toMatchObject([{ kind: "pause" }]);
});

it("A wait of less than 5 s counts once for all throttled requests in flight, even if each of them prolongs it", async () => {
  const prolonging = Array.from({ length: 9 }, (_, at) => throttled(9 + at));
  const transport = await fakeTransport(inOrder(...prolonging));

  await transport.sendAtOnce(..."abcdefghi");

  expect(transport.waits).toEqual([]);
});

it("The deadline of an operation is as long as the program says, and its timer at most as long as Node.js allows", () => {
  using timeout = vi.spyOn(AbortSignal, "timeout");

  const short = new Deadline(1.2345);
  const long = new Deadline(3_600_000);

  expect(timeout.mock.calls).toEqual([[1_235], [2 ** 31 - 1]]);
  expect(short.seconds).toBe(1.2345);
  expect(long.remainingMs).toBeGreaterThan(3_599_000_000);
});

it.each<[wait: string, rate: number, ending: object, attempts: number]>([
  ["the first attempt", 0.1, { outcome: unsent("deadline") }, 0],
  ["a retry", 2, { outcome: dnsFailure, giveUpReason: "deadline" }, 1],
])("The deadline of an operation ends the wait for %s", async (_wait, rate, ending, attempts) => {
  // The retry waits until 875 ms because of its delay, and until 1 s because of the rate.
  const transport = await fakeTransport(inOrder(ok, dnsFailure), perSecond(rate));
  await transport.send();
  const deadline = new Deadline(0.95);

  expect(await settled(transport.send("late", { deadline }))).toMatchObject(ending);
  expect(deadline.remainingMs).toBe(0);
  await vi.runAllTimersAsync();
  expect(transport.timesOf("late")).toHaveLength(attempts);
});

/** Returns a transport that has sent a request, and a controller whose abort stands for a stop of Pulumi. */
async function stoppable(respond: Respond, options: Partial<ClientOptions> = {}) {
  const stop = new AbortController();
  const transport = await fakeTransport(respond, options, stop.signal);
  const first = transport.send("first");
  await pendingWork();
  return { stop, transport, first };
}

describe("A stop of Pulumi", () => {
  const givenUp = { giveUpReason: "stopping", elapsedMs: 0 };
  const notSent = { outcome: unsent("stopping") };

  it.each([
    { wait: "that a 429 asks for", outcome: throttled9s, results: [givenUp, notSent, notSent] },
    { wait: "before a retry", outcome: dnsFailure, results: [givenUp, givenUp, givenUp] },
  ])("ends, for all requests, the wait $wait", async ({ outcome, results }) => {
    const { stop, transport, first } = await stoppable(() => outcome);
    const requests = [first, transport.send(), transport.send()];
    await pendingWork();
    const attemptsBefore = transport.attempts.length;

    stop.abort();

    expect(await Promise.all(requests)).toMatchObject(results);
    expect(transport.attempts).toHaveLength(attemptsBefore);
  });

  it("keeps queued requests from being sent", async () => {
    const { stop, transport, first } = await stoppable(() => ok, perSecond(4));
    const requests = [first, transport.send(), transport.send()];
    await pendingWork();

    stop.abort();

    await Promise.all(requests);
    expect(transport.attempts).toHaveLength(1);
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
  it("waits as a 429 asks, and is sent before other requests, while Pulumi is not stopping", async () => {
    const transport = await fakeTransport(inOrder(throttled9s), oneAtATime);

    const others = [transport.send("first"), transport.send("second")];
    await pendingWork();
    await settled(Promise.all([...others, transport.sendUndo()]));

    expect(transport.attempts).toMatchObject([
      { name: "first", atMs: 0 },
      { name: "undo", atMs: 9_000 },
      { name: "first", atMs: 9_000 },
      { name: "second", atMs: 9_000 },
    ]);
  });

  const never = new Promise<HttpOutcome>(() => undefined);

  it.each<[fact: string, HttpOutcome | Promise<HttpOutcome>, stopAtMs: number]>([
    ["skips the wait that a 429 asks for once Pulumi is stopping", throttled9s, 0],
    ["ends the wait that a 429 asks for when Pulumi stops", throttled9s, 1_000],
    ["waits for no response to another request when Pulumi stops", never, 1_000],
  ])("%s", async (_fact, outcome, stopAtMs) => {
    const respond = (_attempt: number, name: string) => (name === "undo" ? ok : outcome);
    // After its first request this queue sends nothing for 100 s, so the undo has to bypass it.
    const { stop, transport } = await stoppable(respond, { ...oneAtATime, ...perSecond(0.01) });
    setTimeout(() => stop.abort(), stopAtMs);
    await vi.advanceTimersByTimeAsync(0); // A stop at 0 ms comes before the undo.

    expect(await settled(transport.sendUndo())).toMatchObject({ outcome: ok, earlierOutcomes: [] });
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

    expect(await settled(result)).toMatchObject({
      outcome: ok,
      earlierOutcomes: [throttled(), response(500)],
    });
    expect(transport.attempts).toMatchObject([
      { name: "first", atMs: 0, endsAtStopIfUnsent: true },
      { name: "undo", atMs: 0, endsAtStopIfUnsent: false },
      { name: "undo", atMs: 375, endsAtStopIfUnsent: false },
      { name: "undo", atMs: 375 + 750, endsAtStopIfUnsent: false },
    ]);
  });
});
