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

const ok = response(200);
/** Returns these outcomes in this order, and then always 200. */
function inOrder(...outcomes: readonly HttpOutcome[]) {
  return (attempt: number) => outcomes[attempt - 1] ?? ok;
}
const timesOf = ({ attempts }: FakeTransport) => attempts.map(({ atMs }) => atMs);
const one = { maxConcurrentRequests: 1 };
const perSecond = (requestsPerSecond: number) => ({ requestsPerSecond });

describe("a transport", () => {
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

const short = response(429, 9);
const growing = Array.from({ length: 9 }, (_, at) => response(429, 9 + at));
const slow = response(429, 9_000);
const fault = response(500, 9_000);
const late = "late" as const;

type Outcome = HttpOutcome | typeof late;

/** Sends requests at once, and returns when each was sent, and which waits were told. */
async function play(options: Partial<ClientOptions>, outcomes: Outcome[], names: string) {
  const transport = await fakeTransport((attempt) => {
    const outcome = outcomes[attempt - 1] ?? ok;
    return outcome === late ? new Promise((resolve) => setTimeout(resolve, 6_000, ok)) : outcome;
  }, options);
  await settled(Promise.all([...names].map((name) => transport.send(name))));
  const sent = transport.attempts.map(({ name, atMs }) => `${name}${atMs}`);
  const told = transport.waits.map(
    (wait) => `${wait.kind}${"delayMs" in wait ? wait.delayMs : ""}`,
  );
  return [...sent, ...told].join(" ");
}

describe("requests that are made at once", () => {
  const queued = { ...perSecond(0.1), retrySeconds: 5 };

  // The options, the first outcomes, the names of the requests, and when each was sent in milliseconds.
  it.each<[string, Partial<ClientOptions>, Outcome[], string, string]>([
    ["are all in flight", {}, [late, late, late], "abc", "a0 b0 c0"],
    ["are in flight up to maxConcurrentRequests", one, [late], "abc", "a0 b6000 c6000"],
    ["keep to both limits", { ...one, ...perSecond(9) }, [late], "ab", "a0 b6000"],
    ["keep to requestsPerSecond", perSecond(4), [], "abc", "a0 b250 c500"],
    ["keep to it with their retries", perSecond(4), [busy(0)], "ab", "a0 a250 b500"],
    ["leave the queue between attempts", one, [unsent], "ab", "a0 b0 a375"],
    ["wait after 429", one, [slow], "abc", "a0 a9000 b9000 c9000 throttled9000"],
    ["wait after 429 without a time", one, [response(429)], "ab", "a0 a375 b375"],
    ["wait after the service's 503", one, [busy(5_000)], "ab", "a0 a5000 b5000 throttled5000"],
    ["do not wait after a proxy's 503", one, [response(503, 5_000)], "ab", "a0 b0 a5000 retry"],
    ["wait for a longer pause", {}, [short, slow], "ab", "a0 b0 a9000 b9000 throttled9000"],
    ["keep the longer pause", {}, [slow, short], "ab", "a0 b0 a9000 b9000 throttled9000"],
    ["do not wait for a pause that ends a request", one, [response(429, 999_000)], "ab", "a0 b0"],
    ["tell of retries once", {}, [fault, fault], "a", "a0 a9000 a18000 retry"],
    ["have time for retries after the queue", queued, [ok, unsent], "ab", "a0 b10000 b20000"],
  ])("%s", async (_case, options, outcomes, names, expected) => {
    expect(await play(options, outcomes, names)).toBe(expected);
  });

  it.each([
    ["a retry of a later request", [fault, ok, fault], "ab", ["retry", "retry"]],
    ["a pause of 5 s once", [slow, ok, slow], "ab", ["throttled"]],
    ["three short pauses not at all", [short, short, short], "a", []],
    ["the fourth short pause", [short, short, short, short], "a", ["throttled"]],
    ["one pause that many requests share not at all", growing, "abcdefghi", []],
  ])("tell of %s", async (_case, outcomes: readonly HttpOutcome[], names, expected) => {
    const transport = await fakeTransport(inOrder(...outcomes));

    await settled(names.length > 2 ? sendAtOnce(transport, names) : sendInTurn(transport, names));

    expect(transport.waits.map(({ kind }) => kind)).toEqual(expected);
  });

  const sendAtOnce = async ({ send }: FakeTransport, names: string) => {
    await Promise.all([...names].map((name) => send(name)));
  };
  const sendInTurn = async ({ send }: FakeTransport, names: string) => {
    for (const name of names) {
      await send(name);
    }
  };
});

describe("the deadline of an operation", () => {
  it.each([
    ["first attempt", 1, 0.1, { kind: "unsent", cause: { kind: "deadline" } }, undefined],
    ["next attempt", 2, 2, unsent, { reason: "deadline" }],
  ])("ends the wait for the %s, and nothing is sent then", async (...row) => {
    const [_case, attempts, requestsPerSecond, outcome, gaveUp] = row;
    const transport = await fakeTransport(inOrder(ok, unsent), { requestsPerSecond });
    await transport.send();

    const deadline = new Deadline(0.95);
    const result = await settled(transport.send("late", { deadline }));

    expect(result).toMatchObject({ outcome, gaveUp });
    await vi.runAllTimersAsync();
    expect(transport.attempts).toHaveLength(attempts);
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

describe("Pulumi's stop", () => {
  const given = { gaveUp: { reason: "stopping" } };
  const notSent = { outcome: { kind: "unsent", cause: { kind: "stopping" } } };

  it.each<[string, Partial<ClientOptions>, HttpOutcome, object[], number]>([
    ["a pause", {}, slow, [given, notSent, notSent], 1],
    ["a place in the queue", perSecond(0.01), ok, [{ outcome: ok }, notSent, notSent], 1],
    ["another attempt", {}, unsent, [given, given, given], 3],
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
    const results = [..."abcd"].map((name) => transport.send(name));
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

    expect(await settled(first)).toMatchObject({ outcome: { statusCode: status }, ...given });
    expect(Date.now()).toBe(startedAt);
    expect(transport.waits).toEqual([]);
  });
});

describe("an undo", () => {
  const undo = (transport: FakeTransport) => transport.send("undo", { isUndo: true });

  it("waits for a pause while Pulumi goes on", async () => {
    const { transport, first } = await stoppable(inOrder(slow));

    await settled(Promise.all([first, undo(transport)]));

    expect(timesOf(transport)).toEqual([0, 9_000, 9_000]);
  });

  it("goes before retries and first attempts while Pulumi goes on", async () => {
    const transport = await fakeTransport(inOrder(slow), one);

    await settled(Promise.all([transport.send("a"), transport.send("b"), undo(transport)]));

    expect(transport.attempts.map(({ name }) => name)).toEqual(["a", "undo", "a", "b"]);
  });

  const never = new Promise<HttpOutcome>(() => undefined);

  it.each<[string, HttpOutcome | Promise<HttpOutcome>, number]>([
    ["no pause and no rate limit once Pulumi is stopping", slow, 0],
    ["no pause and no rate limit when Pulumi stops meanwhile", slow, 1_000],
    ["no request in flight once Pulumi is stopping", never, 0],
    ["no request in flight when Pulumi stops meanwhile", never, 1_000],
  ])("waits for %s", async (_case, outcome, stopAtMs) => {
    const limits = { ...one, ...perSecond(0.01) };
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
    const { stop, transport } = await stoppable(inOrder(slow, response(429), response(500)));
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
