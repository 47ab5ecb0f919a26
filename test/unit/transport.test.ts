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

const timesOf = ({ attempts }: FakeTransport) => attempts.map(({ atMs }) => atMs);

/** Sends requests at once and waits for all of them. */
async function sendAtOnce({ send }: FakeTransport, names: readonly string[]): Promise<void> {
  await settled(Promise.all(names.map((name) => send(name))));
}

describe("A transport", () => {
  it("opens its connections with the first request, once", async () => {
    const opened: unknown[] = [];
    const open = async (timeoutSeconds: number) => {
      opened.push(timeoutSeconds);
      return async () => ok;
    };
    const { signal } = new AbortController();
    const transport = new Transport(someSettings({ timeoutSeconds: 7 }), signal, open);
    const call = { kind: "delete", request: someRequest, onWait: () => undefined } as const;
    const openedBefore = [...opened];

    await Promise.all([transport.sendRequest(call), transport.sendRequest(call)]);

    expect([openedBefore, opened]).toEqual([[], [7]]);
  });

  it("returns the outcome of each attempt, and the time that they took together", async () => {
    const transport = await fakeTransport(inOrder(noResponse, response(500), response(403)));

    expect(await settled(transport.send())).toEqual({
      outcome: response(403),
      earlier: [noResponse, response(500)],
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
  type Fact = [
    fact: string,
    options: Partial<ClientOptions>,
    outcomes: Outcome[],
    firstIsSentAtMs: number[],
    secondIsSentAtMs: number[],
  ];
  const tooLong = response(429, 999_000);
  const queued = { ...perSecond(0.1), retrySeconds: 5 };
  it.each<Fact>([
    ["are both in flight without a limit", {}, [okAfter6s, okAfter6s], [0], [0]],
    ["are in flight up to maxConcurrentRequests", oneAtATime, [okAfter6s], [0], [6_000]],
    ["keep to requestsPerSecond", perSecond(4), [], [0], [250]],
    ["keep to both limits", { ...oneAtATime, ...perSecond(9) }, [okAfter6s], [0], [6_000]],
    ["keep to requestsPerSecond with retries", perSecond(4), [busy(0)], [0, 250], [500]],
    ["do not wait for each other's retries", oneAtATime, [unsent], [0, 375], [0]],
    ["wait as long as 429 says", oneAtATime, [longLimit], [0, 9_000], [9_000]],
    ["wait after 429 that says no time", oneAtATime, [response(429)], [0, 375], [375]],
    ["wait as long as the service's 503 says", oneAtATime, [busy(5_000)], [0, 5_000], [5_000]],
    ["do not wait for a proxy's 503", oneAtATime, [response(503, 5_000)], [0, 5_000], [0]],
    ["wait for a later and longer limit", {}, [shortLimit, longLimit], [0, 9_000], [0, 9_000]],
    ["wait for an earlier longer limit", {}, [longLimit, shortLimit], [0, 9_000], [0, 9_000]],
    ["do not wait for a limit that ends a request", oneAtATime, [tooLong], [0], [0]],
    ["do not count the queue as retrying", queued, [ok, unsent], [0], [10_000, 20_000]],
  ])("%s", async (_fact, options, outcomes, firstIsSentAtMs, secondIsSentAtMs) => {
    const transport = await fakeTransport(inOrder(...outcomes), options);

    await sendAtOnce(transport, ["first", "second"]);

    const sentAtMs = (name: string) =>
      transport.attempts.filter((attempt) => attempt.name === name).map(({ atMs }) => atMs);
    expect(sentAtMs("first")).toEqual(firstIsSentAtMs);
    expect(sentAtMs("second")).toEqual(secondIsSentAtMs);
  });
});

describe("A wait", () => {
  it.each([
    ["a rate limit", longLimit, { kind: "pause", delayMs: 9_000 }],
    ["the service's own 503", busy(5_000), { kind: "pause", delayMs: 5_000 }],
    ["a retry", retryIn9s, { kind: "retry" }],
  ])("of 5 s and more is reported: %s", async (_case, outcome, wait) => {
    const transport = await fakeTransport(inOrder(outcome));

    await sendAtOnce(transport, ["request"]);

    expect(transport.waits).toMatchObject([wait]);
  });

  it("is reported once for all retries of a request", async () => {
    const transport = await fakeTransport(inOrder(retryIn9s, retryIn9s));

    await sendAtOnce(transport, ["request"]);

    expect(transport.waits).toMatchObject([{ kind: "retry" }]);
  });

  it("is reported again for a retry of another request", async () => {
    const transport = await fakeTransport(inOrder(retryIn9s, ok, retryIn9s));

    await sendAtOnce(transport, ["first"]);
    await sendAtOnce(transport, ["second"]);

    expect(transport.waits).toMatchObject([{ kind: "retry" }, { kind: "retry" }]);
  });

  it("is reported once for all rate limits of all requests", async () => {
    const transport = await fakeTransport(inOrder(longLimit, ok, longLimit));

    await sendAtOnce(transport, ["first"]);
    await sendAtOnce(transport, ["second"]);

    expect(transport.waits).toMatchObject([{ kind: "pause" }]);
  });

  it.each([
    ["not at all for three short rate limits", 3, []],
    ["for the fourth short rate limit", 4, [{ kind: "pause" }]],
  ])("is reported %s", async (_case, count, expected) => {
    const transport = await fakeTransport(inOrder(...Array(count).fill(shortLimit)));

    await sendAtOnce(transport, ["request"]);

    expect(transport.waits).toMatchObject(expected);
  });

  it("is not reported for one short rate limit that many requests share", async () => {
    const growing = Array.from({ length: 9 }, (_, at) => response(429, 9 + at));
    const transport = await fakeTransport(inOrder(...growing));

    await sendAtOnce(transport, [..."abcdefghi"]);

    expect(transport.waits).toEqual([]);
  });
});

describe("The deadline of an operation", () => {
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

    expect(result).toMatchObject({ outcome: unsent, gaveUp: "deadline" });
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
  const givenUp = { gaveUp: "stopping" };
  const notSent = { outcome: { kind: "unsent", cause: "stopping" } };

  it.each<[string, Partial<ClientOptions>, HttpOutcome, object[], number]>([
    ["a rate limit", {}, longLimit, [givenUp, notSent, notSent], 1],
    ["a place in the queue", perSecond(0.01), ok, [{ outcome: ok }, notSent, notSent], 1],
    ["another attempt", {}, unsent, [givenUp, givenUp, givenUp], 3],
  ])("ends the wait for %s", async (_case, options, outcome, expected, attempts) => {
    const { stop, transport, first } = await stoppable(() => outcome, options);
    const results = [first, transport.send(), transport.send()];
    await pendingWork();

    stop.abort();

    expect(await Promise.all(results)).toMatchObject(expected);
    expect(transport.attempts).toHaveLength(attempts);
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
    ["request in flight once Pulumi is stopping", never, 0],
    ["request in flight when Pulumi stops meanwhile", never, 1_000],
  ])("waits for no %s", async (_case, outcome, stopAtMs) => {
    const limits = { ...oneAtATime, ...perSecond(0.01) };
    const { stop, transport } = await stoppable(
      (_attempt, name) => (name === "undo" ? ok : outcome),
      limits,
    );
    setTimeout(() => stop.abort(), stopAtMs);
    await vi.advanceTimersByTimeAsync(0);

    expect(await settled(undo(transport))).toMatchObject({ outcome: ok, earlier: [] });
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
      earlier: [response(429), response(500)],
    });
    expect(transport.attempts).toMatchObject([
      { atMs: 0, endsAtStop: true },
      { atMs: 0, endsAtStop: false },
      { atMs: 375, endsAtStop: false },
      { atMs: 1125, endsAtStop: false },
    ]);
  });
});
