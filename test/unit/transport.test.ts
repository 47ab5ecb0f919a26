import { afterEach, describe, expect, it, vi } from "vitest";
import type { HttpOutcome } from "../../src/service/exchange.ts";
import { TimeLimit } from "../../src/service/exchange.ts";
import type { AccountSettings } from "../../src/service/settings.ts";
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

const one = { maxConcurrentRequests: 1 };
const slow = response(429, 20_000);

/** Sends requests at once, and says when each was sent, and what was told. */
async function play(settings: Partial<AccountSettings>, outcomes: HttpOutcome[], names: string) {
  const transport = await fakeTransport(inOrder(...outcomes), settings);
  await all(transport, ...names);
  const sent = transport.attempts.map(({ name, atMs }) => `${name}${atMs}`);
  const told = transport.waits.map((wait) =>
    wait.kind === "turn" ? wait.setting : wait.kind === "pause" ? `pause${wait.delayMs}` : "again",
  );
  return [...sent, ...told].join(" ");
}

describe("requests that are made at once", () => {
  // Settings, the first outcomes, names of requests, and when each was sent in milliseconds.
  it.each<[string, Partial<AccountSettings>, HttpOutcome[], string, string]>([
    ["keep to the pace", { requestsPerSecond: 4 }, [], "abc", "a0 b250 c500"],
    ["retries, too", { requestsPerSecond: 4 }, [busy(0)], "ab", "a0 a250 b500"],
    ["leave their place while they wait", one, [unsent], "ab", "a0 b0 a375"],
    ["wait after 429", one, [slow], "abc", "a0 a20000 b20000 c20000 pause20000"],
    ["wait after 429 without a time", one, [response(429)], "ab", "a0 a375 b375"],
    ["wait after the service's 503", one, [busy(5_000)], "ab", "a0 a5000 b5000 pause5000"],
    ["not after a proxy's", one, [response(503, 5_000)], "ab", "a0 b0 a5000 again"],
    ["not after 500", one, [response(500, 5_000)], "ab", "a0 b0 a5000 again"],
    [
      "wait longer when asked to",
      {},
      [response(429, 9), slow],
      "ab",
      "a0 b0 a20000 b20000 pause20000",
    ],
    ["but not shorter", {}, [slow, response(429, 9)], "ab", "a0 b0 a20000 b20000 pause20000"],
    ["are told of one pause once", one, [slow, slow], "ab", "a0 a20000 a40000 b40000 pause20000"],
    [
      "and of the next",
      one,
      [slow, ok, slow],
      "ab",
      "a0 a20000 b20000 b40000 pause20000 pause20000",
    ],
    ["of none that is short", one, [response(429, 4_999)], "a", "a0 a4999"],
    ["wait for none that is given up", one, [response(429, 999_000)], "ab", "a0 b0"],
    [
      "are told once why they are tried again",
      {},
      Array(2).fill(response(500, 9_000)),
      "a",
      "a0 a9000 a18000 again",
    ],
    [
      "are told once of their turn",
      { requestsPerSecond: 0.1 },
      [],
      "abc",
      "a0 b10000 c20000 requestsPerSecond",
    ],
    ["not of a short wait for it", { requestsPerSecond: 0.21 }, [], "ab", "a0 b4762"],
    [
      "have time for retries from the first attempt on",
      { requestsPerSecond: 0.1, retrySeconds: 5 },
      [ok, unsent],
      "ab",
      "a0 b10000 b20000 requestsPerSecond",
    ],
  ])("%s", async (_case, settings, outcomes, names, expected) => {
    expect(await play(settings, outcomes, names)).toBe(expected);
  });

  it.each([
    [one, "maxConcurrentRequests"],
    [{ ...one, requestsPerSecond: 100 }, "maxConcurrentRequests"],
  ])("are told which setting their turn is of: %j", async (settings, setting) => {
    const late = () => new Promise<HttpOutcome>((resolve) => setTimeout(resolve, 6_000, ok));
    const transport = await fakeTransport(late, settings);

    await all(transport, "a", "b", "c");

    expect(transport.waits).toEqual([{ kind: "turn", setting }]);
  });

  it("wait as long as asked whatever the clock of the machine shows by then", async () => {
    const transport = await fakeTransport((attempt) => (attempt % 2 ? response(429, 30_000) : ok));
    const first = transport.send();
    await pendingWork();
    vi.setSystemTime(0);
    await settled(first);
    const before = Date.now();

    await settled(transport.send());

    expect(Date.now() - before).toBe(30_000);
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
