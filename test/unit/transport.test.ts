import { afterEach, describe, expect, it, vi } from "vitest";
import { type HttpOutcome, TimeLimit } from "../../src/api/exchange.ts";
import type { AccountSettings } from "../../src/api/settings.ts";
import { createTransport } from "../../src/api/transport.ts";
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
function inOrder(...outcomes: readonly HttpOutcome[]) {
  return (attempt: number) => outcomes[attempt - 1] ?? ok;
}
const timesOf = ({ attempts }: FakeTransport) => attempts.map(({ atMs }) => atMs);
const one = { maxConcurrentRequests: 1 };
const pace = (requestsPerSecond: number) => ({ requestsPerSecond });

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
    const undo = { ...call, isUndo: true };

    expect(opened).toEqual([]);
    await Promise.all([sendRequest(call), sendRequest(undo)]);
    expect(opened.splice(0)).toEqual([[7, 3]]);
    stop.abort();
    await Promise.all([sendRequest(undo), sendRequest(undo)]);
    // What other requests hold does not hold these up.
    expect(opened).toEqual([[7, null]]);
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
    const wrong = new TypeError("wrong");
    const transport = await fakeTransport((at) => (at === 1 ? Promise.reject(wrong) : ok));

    await expect(transport.send()).rejects.toBe(wrong);
    expect((await settled(transport.send())).outcome).toEqual(ok);
  });
});

const short = response(429, 9);
const slow = response(429, 9_000);
const fault = response(500, 9_000);
const late = "late" as const;

type Outcome = HttpOutcome | typeof late;

/** Sends requests at once, and says when each was sent, and what was told. */
async function play(settings: Partial<AccountSettings>, outcomes: Outcome[], names: string) {
  const transport = await fakeTransport((attempt) => {
    const outcome = outcomes[attempt - 1] ?? ok;
    return outcome === late ? new Promise((resolve) => setTimeout(resolve, 6_000, ok)) : outcome;
  }, settings);
  await settled(Promise.all([...names].map((name) => transport.send(name))));
  const sent = transport.attempts.map(({ name, atMs }) => `${name}${atMs}`);
  const told = transport.waits.map((wait) =>
    wait.kind === "turn" ? wait.setting : `${wait.kind}${"delayMs" in wait ? wait.delayMs : ""}`,
  );
  return [...sent, ...told].join(" ");
}

describe("requests that are made at once", () => {
  const turns = "requestsPerSecond";
  const briefly = { ...pace(0.1), retrySeconds: 5 };

  // Settings, the first outcomes, names of requests, and when each was sent in milliseconds.
  it.each<[string, Partial<AccountSettings>, Outcome[], string, string]>([
    ["are all in flight", {}, [late, late, late], "abc", "a0 b0 c0"],
    ["or as many as allowed", one, [late], "abc", "a0 b6000 c6000 maxConcurrentRequests"],
    ["whatever the pace", { ...one, ...pace(9) }, [late], "ab", "a0 b6000 maxConcurrentRequests"],
    ["keep to the pace", pace(4), [], "abc", "a0 b250 c500"],
    ["retries, too", pace(4), [busy(0)], "ab", "a0 a250 b500"],
    ["leave their place while they wait", one, [unsent], "ab", "a0 b0 a375"],
    ["wait after 429", one, [slow], "abc", "a0 a9000 b9000 c9000 pause9000"],
    ["wait after 429 without a time", one, [response(429)], "ab", "a0 a375 b375"],
    ["wait after the service's 503", one, [busy(5_000)], "ab", "a0 a5000 b5000 pause5000"],
    ["not after a proxy's", one, [response(503, 5_000)], "ab", "a0 b0 a5000 again"],
    ["wait longer when asked", {}, [short, slow], "ab", "a0 b0 a9000 b9000 pause9000"],
    ["but not shorter", {}, [slow, short], "ab", "a0 b0 a9000 b9000 pause9000"],
    ["are told of one pause once", one, [slow, slow], "ab", "a0 a9000 a18000 b18000 pause9000"],
    ["and of the next", one, [slow, ok, slow], "ab", "a0 a9000 b9000 b18000 pause9000 pause9000"],
    ["of none that is short", one, [response(429, 4_999)], "a", "a0 a4999"],
    ["wait for none that is given up", one, [response(429, 999_000)], "ab", "a0 b0"],
    ["are told once of retries", {}, [fault, fault], "a", "a0 a9000 a18000 again"],
    ["are told once of their turn", pace(0.1), [], "abc", `a0 b10000 c20000 ${turns}`],
    ["not of a short wait for it", pace(0.21), [], "ab", "a0 b4762"],
    ["have time for retries then", briefly, [ok, unsent], "ab", `a0 b10000 b20000 ${turns}`],
  ])("%s", async (_case, settings, outcomes, names, expected) => {
    expect(await play(settings, outcomes, names)).toBe(expected);
  });

  it("wait as long as asked whatever the clock of the machine shows by then", async () => {
    const transport = await fakeTransport((attempt) => (attempt % 2 ? slow : ok));
    const first = transport.send();
    await pendingWork();
    vi.setSystemTime(0);
    await settled(first);
    const before = Date.now();

    await settled(transport.send());

    expect(Date.now() - before).toBe(9_000);
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

/** A transport of a Pulumi that stops when the test says so, and a request that it has sent. */
async function stoppable(
  answer: Parameters<typeof fakeTransport>[0],
  settings: Partial<AccountSettings> = {},
) {
  const stop = new AbortController();
  const transport = await fakeTransport(answer, settings, stop.signal);
  const first = transport.send("first");
  await pendingWork();
  return { stop, transport, first };
}

describe("Pulumi's stop", () => {
  const given = { gaveUp: { limit: "stopping" } };
  const noAttempt = { outcome: { kind: "unsent", cause: { because: "stopping" } } };

  it.each<[string, Partial<AccountSettings>, HttpOutcome, object[], number]>([
    ["a pause", {}, slow, [given, noAttempt, noAttempt], 1],
    ["a turn", pace(0.01), ok, [{ outcome: ok }, noAttempt, noAttempt], 1],
    ["another attempt", {}, unsent, [given, given, given], 3],
  ])("ends the wait for %s", async (_case, settings, outcome, expected, attempts) => {
    const { stop, transport, first } = await stoppable(() => outcome, settings);
    const results = [first, transport.send(), transport.send()];
    await pendingWork();

    stop.abort();

    expect(await Promise.all(results)).toMatchObject(expected);
    expect(transport.attempts).toHaveLength(attempts);
  });

  it("sends nothing whose turn comes at that moment", async () => {
    const stop = new AbortController();
    const transport = await fakeTransport(() => ok, pace(4), stop.signal);
    const results = [..."abcd"].map((name) => transport.send(name));
    await pendingWork();
    // The pace allows the next one, but its timer has not fired: the process was busy.
    vi.setSystemTime(Date.now() + 251);

    stop.abort();

    await Promise.all(results);
    expect(transport.attempts).toHaveLength(1);
  });

  it.each([500, 429])("ends what is answered %d then, without a wait or a line", async (status) => {
    const answer = Promise.withResolvers<HttpOutcome>();
    const { stop, transport, first } = await stoppable(() => answer.promise);
    stop.abort();
    await pendingWork();
    const startedAt = Date.now();

    answer.resolve(response(status, 100_000));

    expect(await settled(first)).toMatchObject({ outcome: { statusCode: status }, ...given });
    expect(Date.now()).toBe(startedAt);
    expect(transport.waits).toEqual([]);
  });
});

describe("an undo", () => {
  const undo = (transport: FakeTransport) => transport.send("undo", { isUndo: true });

  it("waits like any request while Pulumi goes on", async () => {
    const { transport, first } = await stoppable(inOrder(slow));

    await settled(Promise.all([first, undo(transport)]));

    expect(timesOf(transport)).toEqual([0, 9_000, 9_000]);
  });

  it.each([
    ["already stops", 0],
    ["stops while it waits", 1_000],
  ])("waits for no pause, no pace and no turn when Pulumi %s", async (_case, stopAtMs) => {
    const { stop, transport } = await stoppable((_attempt, name) => (name === "undo" ? ok : slow), {
      ...one,
      ...pace(0.01),
    });
    if (stopAtMs === 0) {
      stop.abort();
    } else {
      setTimeout(() => stop.abort(), stopAtMs);
    }

    expect(await settled(undo(transport))).toMatchObject({ outcome: ok, earlier: [] });
    expect(timesOf(transport)).toEqual([0, stopAtMs]);
  });

  it("is tried again although Pulumi stops, as long as the service asks", async () => {
    const { stop, transport } = await stoppable(inOrder(slow, response(429)));
    const result = undo(transport);
    await pendingWork();

    stop.abort();

    // To leave the queue was no attempt: the wait is that after a first one.
    expect(await settled(result)).toMatchObject({ outcome: ok, earlier: [response(429)] });
    expect(transport.attempts).toMatchObject([
      { atMs: 0, mayBeStopped: true },
      { atMs: 0, mayBeStopped: false },
      { atMs: 375, mayBeStopped: false },
    ]);
  });
});
