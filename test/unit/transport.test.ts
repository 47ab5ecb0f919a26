import { afterEach, describe, expect, it, vi } from "vitest";
import type { HttpOutcome } from "../../src/api/http.ts";
import { type ClientOptions, Deadline, Transport } from "../../src/api/transport.ts";
import { someSettings } from "../helpers/builders.ts";
import {
  busy,
  type FakeTransport,
  fakeTransport,
  noResponse,
  pendingWork,
  response,
  restoreWorld,
  settled,
  someRequest,
  unsent,
} from "../helpers/transport.ts";

afterEach(restoreWorld);

type Outcome = HttpOutcome | (() => Promise<HttpOutcome>);

const ok = response(200);
const okAfter6s = () => new Promise<HttpOutcome>((resolve) => setTimeout(resolve, 6_000, ok));
const shortLimit = response(429, 9);
const longLimit = response(429, 9_000);
const retryIn9s = response(500, 9_000);
const oneAtATime = { maxConcurrentRequests: 1 };
const perSecond = (requestsPerSecond: number) => ({ requestsPerSecond });

/** Returns these outcomes in this order, and then always 200. */
function inOrder(...outcomes: readonly Outcome[]) {
  return (attempt: number) => {
    const outcome = outcomes[attempt - 1] ?? ok;
    return typeof outcome === "function" ? outcome() : outcome;
  };
}

/** Returns when the attempts of one request, or of all, were sent. */
function timesOf({ attempts }: FakeTransport, name?: string): number[] {
  const wanted = attempts.filter((attempt) => name === undefined || attempt.name === name);
  return wanted.map(({ atMs }) => atMs);
}

/** Sends requests at once and waits for all of them. */
async function sendAtOnce({ send }: FakeTransport, names: readonly string[]): Promise<void> {
  await settled(Promise.all(names.map((name) => send(name))));
}

describe("A transport", () => {
  it("opens its connections with the first request, once", async () => {
    const open = vi.fn(async (_timeoutSeconds: number) => async () => ok);
    const { signal } = new AbortController();
    const transport = new Transport(someSettings({ timeoutSeconds: 7 }), signal, open);
    const call = { kind: "delete", request: someRequest, onDelay: () => undefined } as const;

    await Promise.all([transport.sendRequest(call), transport.sendRequest(call)]);

    expect(open.mock.calls).toEqual([[7]]);
  });

  it("returns the outcome of each attempt, and the time that they took together", async () => {
    const transport = await fakeTransport(inOrder(noResponse, response(500), response(403)));

    expect(await settled(transport.send())).toEqual({
      outcome: response(403),
      earlierOutcomes: [noResponse, response(500)],
      elapsedMs: 375 + 750,
    });
  });

  it("rejects when the exchange rejects, and goes on", async () => {
    const wrong = new TypeError("wrong");
    const transport = await fakeTransport((at) => (at === 1 ? Promise.reject(wrong) : ok));

    await expect(transport.send()).rejects.toBe(wrong);
    expect((await settled(transport.send())).outcome).toEqual(ok);
  });
});

describe("Two requests that are made at once", () => {
  const tooLong = response(429, 999_000);
  const slowQueue = { ...perSecond(0.1), retrySeconds: 5 };

  it.each<[string, Partial<ClientOptions>, Outcome[], first: number[], second: number[]]>([
    ["are both in flight without a limit", {}, [okAfter6s], [0], [0]],
    ["keep to maxConcurrentRequests", oneAtATime, [okAfter6s], [0], [6_000]],
    ["keep to requestsPerSecond", perSecond(4), [], [0], [250]],
    ["keep to requestsPerSecond with retries", perSecond(4), [busy(0)], [0, 250], [500]],
    ["do not wait for each other's retries", oneAtATime, [unsent], [0, 375], [0]],
    ["both wait as long as 429 says", oneAtATime, [longLimit], [0, 9_000], [9_000]],
    ["wait for a later longer limit", {}, [shortLimit, longLimit], [0, 9_000], [0, 9_000]],
    ["wait for an earlier longer limit", {}, [longLimit, shortLimit], [0, 9_000], [0, 9_000]],
    ["do not wait for a limit that ends a request", oneAtATime, [tooLong], [0], [0]],
    ["do not count the queue as retrying", slowQueue, [ok, unsent], [0], [10_000, 20_000]],
  ])("%s", async (_fact, options, outcomes, firstSentAtMs, secondSentAtMs) => {
    const transport = await fakeTransport(inOrder(...outcomes), options);

    await sendAtOnce(transport, ["first", "second"]);

    expect(timesOf(transport, "first")).toEqual(firstSentAtMs);
    expect(timesOf(transport, "second")).toEqual(secondSentAtMs);
  });
});

describe("A wait of 5 s or more", () => {
  it("is reported for a rate limit", async () => {
    const transport = await fakeTransport(inOrder(busy(5_000)));

    await sendAtOnce(transport, ["request"]);

    expect(transport.waits).toMatchObject([{ kind: "pause", delayMs: 5_000 }]);
  });

  it("is reported once for all rate limits of all requests", async () => {
    const transport = await fakeTransport(inOrder(longLimit, ok, longLimit));

    await sendAtOnce(transport, ["first"]);
    await sendAtOnce(transport, ["second"]);

    expect(transport.waits).toMatchObject([{ kind: "pause" }]);
  });

  it("is reported once for all retries of a request, and again for another request", async () => {
    const transport = await fakeTransport(inOrder(retryIn9s, retryIn9s, ok, retryIn9s));

    await sendAtOnce(transport, ["first"]);
    await sendAtOnce(transport, ["second"]);

    expect(transport.waits).toMatchObject([
      { kind: "retry", outcome: retryIn9s },
      { kind: "retry", outcome: retryIn9s },
    ]);
  });
});

describe("A short rate limit", () => {
  it.each([
    { count: 3, reports: [] },
    { count: 4, reports: [{ kind: "pause" }] },
  ])("is reported from the fourth time on, not after $count: $reports", async (row) => {
    const transport = await fakeTransport(inOrder(...Array(row.count).fill(shortLimit)));

    await sendAtOnce(transport, ["request"]);

    expect(transport.waits).toMatchObject(row.reports);
  });

  it("is reported from the fourth request on that meets one", async () => {
    const limitedOnce = [shortLimit, ok];
    const transport = await fakeTransport(inOrder(...Array(4).fill(limitedOnce).flat()));

    for (const name of ["first", "second", "third"]) {
      await sendAtOnce(transport, [name]);
    }
    expect(transport.waits).toEqual([]);
    await sendAtOnce(transport, ["fourth"]);

    expect(transport.waits).toMatchObject([{ kind: "pause" }]);
  });

  it("counts once for all requests that it meets", async () => {
    const growing = Array.from({ length: 9 }, (_, at) => response(429, 9 + at));
    const transport = await fakeTransport(inOrder(...growing));

    await sendAtOnce(transport, [..."abcdefghi"]);

    expect(transport.waits).toEqual([]);
  });
});

describe("The deadline of an operation", () => {
  it("is as long as the program says, even beyond the longest timer of Node.js", () => {
    const timeout = vi.spyOn(AbortSignal, "timeout");

    const short = new Deadline(1.2345);
    const long = new Deadline(3_600_000);

    expect(timeout.mock.calls).toEqual([[1_235], [2 ** 31 - 1]]);
    expect(short.seconds).toBe(1.2345);
    expect(long.remainingMs).toBeGreaterThan(3_599_000_000);
  });

  it("ends the wait for the first attempt, and nothing is sent afterwards", async () => {
    const transport = await fakeTransport(() => ok, perSecond(0.1));
    await transport.send();

    const result = await settled(transport.send("late", { deadline: new Deadline(0.95) }));

    expect(result).toMatchObject({ outcome: { kind: "unsent", cause: "deadline" } });
    await vi.runAllTimersAsync();
    expect(transport.attempts).toHaveLength(1);
  });

  it("ends the wait for a retry, and nothing is sent afterwards", async () => {
    const transport = await fakeTransport(inOrder(ok, unsent), perSecond(2));
    await transport.send();

    const result = await settled(transport.send("late", { deadline: new Deadline(0.95) }));

    expect(result).toMatchObject({ outcome: unsent, giveUpReason: "deadline" });
    await vi.runAllTimersAsync();
    expect(transport.attempts).toHaveLength(2);
  });
});

/** A transport that has sent a request, and the controller that stops Pulumi. */
async function stoppable(
  respond: Parameters<typeof fakeTransport>[0],
  options: Partial<ClientOptions> = {},
) {
  const stop = new AbortController();
  const transport = await fakeTransport(respond, options, stop.signal);
  const first = transport.send("first");
  await pendingWork();
  return { stop, transport, first };
}

describe("A stop of Pulumi", () => {
  const givenUp = { giveUpReason: "stopping" };
  const notSent = { outcome: { kind: "unsent", cause: "stopping" } };

  it.each([
    { wait: "a rate limit", outcome: longLimit, results: [givenUp, notSent, notSent] },
    { wait: "another attempt", outcome: unsent, results: [givenUp, givenUp, givenUp] },
  ])("ends the wait of all requests for $wait", async ({ outcome, results }) => {
    const { stop, transport, first } = await stoppable(() => outcome);
    const requests = [first, transport.send(), transport.send()];
    await pendingWork();
    const attemptsBefore = transport.attempts.length;

    stop.abort();

    expect(await Promise.all(requests)).toMatchObject(results);
    expect(transport.attempts).toHaveLength(attemptsBefore);
  });

  it("sends nothing that the queue would release at that moment", async () => {
    const stop = new AbortController();
    const transport = await fakeTransport(() => ok, perSecond(4), stop.signal);
    const results = [transport.send(), transport.send(), transport.send()];
    await pendingWork();
    // The rate limit allows the next request, but its timer has not fired: the process was busy.
    vi.setSystemTime(Date.now() + 251);

    stop.abort();

    await Promise.all(results);
    expect(transport.attempts).toHaveLength(1);
  });

  it.each([500, 429])("ends a request that returns %d then, without a wait", async (status) => {
    const arrival = Promise.withResolvers<HttpOutcome>();
    const { stop, transport, first } = await stoppable(() => arrival.promise);
    stop.abort();
    await pendingWork();
    const startedAt = Date.now();

    arrival.resolve(response(status, 100_000));

    expect(await settled(first)).toMatchObject({ outcome: { statusCode: status }, ...givenUp });
    expect(Date.now()).toBe(startedAt);
    expect(transport.waits).toEqual([]);
  });
});

describe("An undo", () => {
  const undo = (transport: FakeTransport) => transport.send("undo", { isUndo: true });

  it("waits for a rate limit while Pulumi goes on", async () => {
    const { transport, first } = await stoppable(inOrder(longLimit));

    await settled(Promise.all([first, undo(transport)]));

    expect(timesOf(transport)).toEqual([0, 9_000, 9_000]);
  });

  it("goes before retries and first attempts while Pulumi goes on", async () => {
    const transport = await fakeTransport(inOrder(longLimit), oneAtATime);

    await settled(
      Promise.all([transport.send("first"), transport.send("second"), undo(transport)]),
    );

    const names = transport.attempts.map(({ name }) => name);
    expect(names).toEqual(["first", "undo", "first", "second"]);
  });

  const never = new Promise<HttpOutcome>(() => undefined);

  it.each<[string, HttpOutcome | Promise<HttpOutcome>, number]>([
    ["rate limit once Pulumi is stopping", longLimit, 0],
    ["rate limit when Pulumi stops meanwhile", longLimit, 1_000],
    ["request in flight when Pulumi stops meanwhile", never, 1_000],
  ])("waits for no %s", async (_case, outcome, stopAtMs) => {
    const limits = { ...oneAtATime, ...perSecond(0.01) };
    const respond = (_attempt: number, name: string) => (name === "undo" ? ok : outcome);
    const { stop, transport } = await stoppable(respond, limits);
    setTimeout(() => stop.abort(), stopAtMs);
    await vi.advanceTimersByTimeAsync(0);

    expect(await settled(undo(transport))).toMatchObject({ outcome: ok, earlierOutcomes: [] });
    expect(timesOf(transport)).toEqual([0, stopAtMs]);
  });

  it("is retried at once when Pulumi stops during its wait for a retry", async () => {
    const { stop, transport } = await stoppable(inOrder(ok, response(500, 9_000)));
    setTimeout(() => stop.abort(), 1_000);

    expect(await settled(undo(transport))).toMatchObject({ outcome: ok });
    expect(timesOf(transport)).toEqual([0, 0, 1_000]);
  });

  it("is retried after a stop, when the service allows it, and no stop ends it", async () => {
    const { stop, transport } = await stoppable(inOrder(longLimit, response(429), response(500)));
    const result = undo(transport);
    await pendingWork();

    stop.abort();

    expect(await settled(result)).toMatchObject({
      outcome: ok,
      earlierOutcomes: [response(429), response(500)],
    });
    expect(transport.attempts).toMatchObject([
      { atMs: 0, endsAtStop: true },
      { atMs: 0, endsAtStop: false },
      { atMs: 375, endsAtStop: false },
      { atMs: 1125, endsAtStop: false },
    ]);
  });
});
