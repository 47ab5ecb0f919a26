import { afterEach, describe, expect, it, vi } from "vitest";
import type { HttpOutcome } from "../../src/service/exchange.ts";
import type { AccountSettings } from "../../src/service/settings.ts";
import { TimeLimit } from "../../src/service/time-limit.ts";
import { createTransport } from "../../src/service/transport.ts";
import { someSettings } from "../helpers/builders.ts";
import {
  busy,
  type FakeTransport,
  fakeTransport,
  pendingWork,
  response,
  restoreWorld,
  settled,
  someRequest,
  unanswered,
  unsent,
} from "../helpers/transport.ts";

afterEach(restoreWorld);

const ok = response(200);
/** Answers in this order, and then always 200. */
const inOrder =
  (...outcomes: readonly (HttpOutcome | Promise<HttpOutcome>)[]) =>
  (attempt: number) =>
    outcomes[attempt - 1] ?? ok;
const timesOf = ({ attempts }: FakeTransport) => attempts.map(({ atMs }) => atMs);
const namesOf = ({ attempts }: FakeTransport) => attempts.map(({ name }) => name);
const all = (transport: FakeTransport, ...names: readonly string[]) =>
  settled(Promise.all(names.map((name) => transport.send(name))));

describe("a transport", () => {
  it("opens connections with the first request, once, and others for what undoes a stop", async () => {
    const opened: unknown[] = [];
    const open = async (...limits: unknown[]) => {
      opened.push(limits);
      return async () => ok;
    };
    const stop = new AbortController();
    const settings = someSettings({ timeoutSeconds: 7, maxConcurrentRequests: 3 });
    const { sendRequest } = createTransport(settings, stop.signal, open);
    const call = { kind: "delete", request: someRequest, onWait: () => undefined } as const;
    const openedBefore = [...opened];

    await Promise.all([sendRequest(call), sendRequest({ ...call, isUndo: true })]);
    expect([openedBefore, opened]).toEqual([[], [[7, 3]]]);
    stop.abort();
    await Promise.all([1, 2].map(() => sendRequest({ ...call, isUndo: true })));

    // What other requests hold does not hold these up.
    expect(opened).toEqual([
      [7, 3],
      [7, null],
    ]);
  });

  it.each([
    [{}, 20],
    [{ maxConcurrentRequests: 3 }, 3],
  ])("has as many requests in flight as %j allows", async (settings, expected) => {
    let inFlight = 0;
    let most = 0;
    const transport = await fakeTransport(async () => {
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setTimeout(resolve, 10));
      inFlight--;
      return ok;
    }, settings);

    await all(transport, ...Array(20).fill("x"));

    expect(most).toBe(expected);
    expect(transport.attempts).toHaveLength(20);
  });

  it("sends no more requests in a second than the settings allow, retries included", async () => {
    const transport = await fakeTransport(inOrder(response(429, 0), response(429, 0)), {
      requestsPerSecond: 4,
    });

    await all(transport, ..."abcd");

    expect(timesOf(transport)).toEqual([0, 250, 500, 750, 1000, 1250]);
  });

  it("frees the place of a request that waits for its next attempt", async () => {
    const transport = await fakeTransport((_attempt, name) => (name === "bad" ? unsent : ok), {
      maxConcurrentRequests: 1,
    });
    const bad = transport.send("bad");

    expect((await settled(transport.send("good"))).outcome).toEqual(ok);
    await settled(bad);
  });

  it("says what each attempt came to, and how long all took", async () => {
    const transport = await fakeTransport(inOrder(unanswered, response(500), response(403)));

    expect(await settled(transport.send())).toEqual({
      outcome: response(403),
      earlier: [unanswered, response(500)],
      elapsedMs: 375 + 750,
    });
  });

  it("rejects when the exchange does, and goes on", async () => {
    const fault = new TypeError("wrong");
    const transport = await fakeTransport((attempt) =>
      attempt === 1 ? Promise.reject(fault) : ok,
    );

    await expect(transport.send()).rejects.toBe(fault);
    expect((await settled(transport.send())).outcome).toEqual(ok);
  });
});

describe("a request to slow down", () => {
  it.each([
    ["429", response(429, 30_000), 30_000],
    ["429 without a time", response(429), 375],
    ["503 of the service itself", busy(30_000), 30_000],
  ])("holds back all requests: %s", async (_case, throttled, delayMs) => {
    const transport = await fakeTransport(inOrder(throttled));
    const first = transport.send("first");
    await pendingWork();

    await all(transport, "second", "third");
    await first;

    expect(namesOf(transport)).toEqual(["first", "first", "second", "third"]);
    expect(timesOf(transport)).toEqual([0, delayMs, delayMs, delayMs]);
  });

  it.each([
    ["500 with Retry-After", response(500, 30_000)],
    ["503 of a proxy", response(503, 30_000)],
  ])("is not seen in a %s", async (_case, outcome) => {
    const transport = await fakeTransport(inOrder(outcome));
    const bad = transport.send("bad");
    await pendingWork();

    await transport.send("good");

    expect(timesOf(transport)).toEqual([0, 0]);
    await settled(bad);
    expect(timesOf(transport)).toEqual([0, 0, 30_000]);
  });

  it.each([
    [60_000, 1_000],
    [1_000, 60_000],
  ])("lasts as long as the longest: %d and %d ms", async (one, other) => {
    const transport = await fakeTransport(inOrder(response(429, one), response(429, other)));

    await all(transport, "first", "second");

    expect(timesOf(transport)).toEqual([0, 0, 60_000, 60_000]);
  });

  it("lasts as long whatever the clock of the machine shows by then", async () => {
    const transport = await fakeTransport((attempt) => (attempt % 2 ? response(429, 30_000) : ok));
    const first = transport.send();
    await pendingWork();
    vi.setSystemTime(0);
    await settled(first);
    const before = Date.now();

    await settled(transport.send());

    expect(Date.now() - before).toBe(30_000);
  });

  it("lets retries go first", async () => {
    const transport = await fakeTransport(inOrder(response(429, 1_000)), {
      maxConcurrentRequests: 1,
    });

    await all(transport, "first", "second", "third");

    expect(namesOf(transport)).toEqual(["first", "first", "second", "third"]);
  });

  it("is told once while it lasts, and again after an answer", async () => {
    const slow = response(429, 20_000);
    const transport = await fakeTransport(inOrder(slow, slow, slow, slow, ok, ok, slow));

    await all(transport, "a", "b");
    expect(transport.waits).toEqual([{ kind: "pause", delayMs: 20_000 }]);
    await settled(transport.send());

    expect(transport.waits).toHaveLength(2);
  });

  it("is not told when it is short, and holds back nobody when no attempt follows", async () => {
    const transport = await fakeTransport(
      inOrder(response(429, 4_999), ok, response(429, 999_000)),
    );

    await settled(transport.send());
    await settled(transport.send());
    await settled(transport.send());

    expect(transport.waits).toEqual([]);
    expect(timesOf(transport)).toEqual([0, 4_999, 4_999, 4_999]);
  });
});

describe("a wait", () => {
  it.each<[Partial<AccountSettings>, string]>([
    [{ requestsPerSecond: 0.1 }, "requestsPerSecond"],
    [{ maxConcurrentRequests: 1 }, "maxConcurrentRequests"],
    [{ maxConcurrentRequests: 1, requestsPerSecond: 100 }, "maxConcurrentRequests"],
  ])("for the turn is told once when it takes 5 seconds: %j", async (settings, setting) => {
    const answers = [6_000, 12_000, 18_000].map(
      (ms) => () => new Promise<HttpOutcome>((resolve) => setTimeout(resolve, ms, ok)),
    );
    const transport = await fakeTransport((attempt) => answers[attempt - 1]?.() ?? ok, settings);

    await all(transport, "a", "b", "c");

    expect(transport.waits).toEqual([{ kind: "turn", setting }]);
  });

  it("of less is not told", async () => {
    const transport = await fakeTransport(() => ok, { requestsPerSecond: 0.21 });

    await all(transport, "a", "b");

    expect(transport.waits).toEqual([]);
  });

  it("for the next attempt is told once for each request", async () => {
    const outcome = response(500, 10_000);
    const transport = await fakeTransport(inOrder(outcome, outcome, outcome));

    await settled(transport.send("somewhere"));

    expect(transport.waits).toEqual([{ kind: "again", request: someRequest, outcome }]);
  });
});

describe("the time for retries", () => {
  it("begins with the first attempt, not in the queue", async () => {
    const transport = await fakeTransport(inOrder(ok, unsent), {
      retrySeconds: 5,
      requestsPerSecond: 0.1,
    });
    await settled(transport.send());

    const { outcome } = await settled(transport.send());

    expect(outcome).toEqual(ok);
    expect(timesOf(transport)).toEqual([0, 10_000, 20_000]);
  });
});

describe("the operation's own time", () => {
  it.each([
    ["first attempt", 1, 0.1, { cause: { kind: "noAttempt", because: "operation" } }, undefined],
    ["next attempt", 2, 2, unsent, { limit: "operation" }],
  ])("ends the wait for the %s, and nothing is sent then", async (...row) => {
    const [_case, attempts, requestsPerSecond, outcome, gaveUp] = row;
    const transport = await fakeTransport(inOrder(ok, unsent), { requestsPerSecond });
    await transport.send();

    const timeLimit = new TimeLimit(0.95);
    const result = await settled(transport.send("late", { timeLimit }));

    expect(result).toMatchObject({ outcome, gaveUp });
    await vi.runAllTimersAsync();
    expect(transport.attempts).toHaveLength(attempts);
  });
});

/** A transport of a Pulumi that stops when the test says so. */
async function stoppable(
  answer: Parameters<typeof fakeTransport>[0],
  settings: Partial<AccountSettings> = {},
) {
  const stop = new AbortController();
  return { stop, transport: await fakeTransport(answer, settings, stop.signal) };
}

const noAttempt = { kind: "unsent", cause: { kind: "noAttempt", because: "stopping" } };

describe("Pulumi's stop", () => {
  it.each<[string, Partial<AccountSettings>, HttpOutcome]>([
    ["a pause", {}, response(429, 60_000)],
    ["a turn", { requestsPerSecond: 0.01 }, ok],
  ])("sends nothing that waits for %s", async (_case, settings, outcome) => {
    const { stop, transport } = await stoppable(() => outcome, settings);
    void transport.send("other");
    await pendingWork();
    const results = [transport.send(), transport.send()];
    await pendingWork();

    stop.abort();

    expect((await Promise.all(results)).map((result) => result.outcome)).toEqual([
      noAttempt,
      noAttempt,
    ]);
    expect(namesOf(transport)).toEqual(["other"]);
  });

  it("sends nothing whose turn comes at that moment", async () => {
    const { stop, transport } = await stoppable(() => ok, { requestsPerSecond: 4 });
    const results = [..."abcd"].map((name) => transport.send(name));
    await pendingWork();
    // The pace allows the next one, but its timer has not fired: the process was busy.
    vi.setSystemTime(Date.now() + 251);

    stop.abort();

    await Promise.all(results);
    expect(namesOf(transport)).toEqual(["a"]);
  });

  it.each([
    ["429", response(429, 60_000)],
    ["a connection that failed", unsent],
  ])("ends the wait for another attempt: %s", async (_case, outcome) => {
    const { stop, transport } = await stoppable(() => outcome);
    const result = transport.send();
    await pendingWork();

    stop.abort();

    expect(await result).toMatchObject({ outcome, gaveUp: { limit: "stopping" } });
    expect(transport.attempts).toHaveLength(1);
  });

  it("ends what was in flight with its answer, without a wait or a line for others", async () => {
    const answers = [500, 429].map(() => Promise.withResolvers<HttpOutcome>());
    const { stop, transport } = await stoppable(
      (attempt) => answers[attempt - 1]?.promise as Promise<HttpOutcome>,
    );
    const results = [transport.send(), transport.send()];
    await pendingWork();
    stop.abort();
    const startedAt = Date.now();

    answers[0]?.resolve(response(500, 100_000));
    answers[1]?.resolve(response(429, 100_000));

    expect(await settled(Promise.all(results))).toMatchObject([
      { outcome: { statusCode: 500 }, gaveUp: { limit: "stopping" } },
      { outcome: { statusCode: 429 }, gaveUp: { limit: "stopping" } },
    ]);
    expect(Date.now()).toBe(startedAt);
    expect(transport.waits).toEqual([]);
  });
});

describe("an undo", () => {
  const undo = (transport: FakeTransport) => transport.send("undo", { isUndo: true });

  it("waits like any request while Pulumi goes on", async () => {
    const { transport } = await stoppable(inOrder(response(429, 60_000)));
    const other = transport.send("other");
    await pendingWork();

    await settled(Promise.all([other, undo(transport)]));

    expect(timesOf(transport)).toEqual([0, 60_000, 60_000]);
  });

  it.each([
    ["already stops", 0],
    ["stops while it waits", 1_000],
  ])("waits for no pause, no pace and no turn when Pulumi %s", async (_case, stopAtMs) => {
    const { stop, transport } = await stoppable(
      (_attempt, name) => (name === "undo" ? ok : response(429, 60_000)),
      { maxConcurrentRequests: 1, requestsPerSecond: 0.01 },
    );
    void transport.send("other");
    await pendingWork();
    if (stopAtMs === 0) {
      stop.abort();
    } else {
      setTimeout(() => stop.abort(), stopAtMs);
    }

    expect(await settled(undo(transport))).toMatchObject({ outcome: ok, earlier: [] });
    expect(timesOf(transport)).toEqual([0, stopAtMs]);
  });

  it("is tried again although Pulumi stops, as long as the service asks", async () => {
    const { stop, transport } = await stoppable(inOrder(response(429, 60_000), response(429)));
    void transport.send("other");
    await pendingWork();
    const result = undo(transport);
    await pendingWork();

    stop.abort();

    // To leave the queue was no attempt: the wait is that after a first one.
    expect(await settled(result)).toMatchObject({ outcome: ok, earlier: [response(429)] });
    expect(timesOf(transport)).toEqual([0, 0, 375]);
    expect(transport.attempts.map(({ mayBeStopped }) => mayBeStopped)).toEqual([
      true,
      false,
      false,
    ]);
  });
});
