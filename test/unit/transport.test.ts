import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { HttpOutcome, HttpRequest } from "../../src/service/http.ts";
import type { Operation } from "../../src/service/operation.ts";
import type { AccountSettings } from "../../src/service/settings.ts";
import { createTransport, type HttpTransport } from "../../src/service/transport.ts";
import { someOperation, someSettings } from "../helpers/builders.ts";
import {
  delayed,
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

const always = () => true;
const never = () => false;
const unlessOk = (outcome: HttpOutcome) =>
  outcome.kind !== "response" || outcome.statusCode !== 200;
const ok = response(200);

const request = (name: string): HttpRequest => ({
  ...someRequest,
  url: new URL(`https://tables.example.com/${name}`),
});

const send = (
  transport: HttpTransport & { readonly operation?: Operation },
  name = "x",
  retries = unlessOk,
) => transport.sendRequest(transport.operation ?? someOperation(), request(name), retries);

describe("a transport", () => {
  it("opens its exchange with the first request, once, with the time limit of the settings", async () => {
    const opened: number[] = [];
    const transport = createTransport(
      someSettings({ timeoutSeconds: 7 }),
      new AbortController().signal,
      async (timeoutSeconds) => {
        opened.push(timeoutSeconds);
        return async () => ok;
      },
    );
    const openedBefore = [...opened];

    await Promise.all([send(transport), send(transport)]);

    expect(openedBefore).toEqual([]);
    expect(opened).toEqual([7]);
  });

  it("returns what needs no retry as it is", async () => {
    const transport = await fakeTransport(() => unanswered);

    const result = await settled(send(transport, "x", never));

    expect(result).toEqual(unanswered);
    expect(transport.attempts).toHaveLength(1);
  });

  it("keeps to the limit of requests in flight", async () => {
    let inFlight = 0;
    let most = 0;
    const transport = await fakeTransport(
      async () => {
        most = Math.max(most, ++inFlight);
        await new Promise((resolve) => setTimeout(resolve, 10));
        inFlight--;
        return ok;
      },
      { maxConcurrentRequests: 3 },
    );

    await settled(Promise.all(Array.from({ length: 20 }, () => send(transport))));

    expect(most).toBe(3);
    expect(transport.attempts).toHaveLength(20);
  });

  it("sends no more requests in a second than the settings allow", async () => {
    const transport = await fakeTransport(() => ok, { requestsPerSecond: 4 });

    await settled(Promise.all(Array.from({ length: 9 }, () => send(transport))));

    const times = transport.attempts.map(({ atMs }) => atMs);
    expect(times).toEqual([0, 250, 500, 750, 1000, 1250, 1500, 1750, 2000]);
  });

  it("paces retries too", async () => {
    const transport = await fakeTransport((attempt) => (attempt < 5 ? response(429, 0) : ok), {
      requestsPerSecond: 0.5,
    });

    await settled(send(transport));

    expect(transport.attempts.map(({ atMs }) => atMs)).toEqual([0, 2000, 4000, 6000, 8000]);
  });

  it("frees the place of a request that waits for its next attempt", async () => {
    const transport = await fakeTransport(
      (_attempt, { url }) => (url.pathname === "/bad" ? unsent : ok),
      { maxConcurrentRequests: 1 },
    );
    const bad = send(transport, "bad");

    const good = await settled(send(transport, "good"));

    expect(good).toEqual(ok);
    await settled(bad);
  });
});

describe("a request to slow down", () => {
  it.each([
    ["429", response(429, 30_000)],
    ["503 with Retry-After", response(503, 30_000)],
  ])("holds back all requests: %s", async (_case, throttled) => {
    const transport = await fakeTransport((attempt) => (attempt === 1 ? throttled : ok));
    const first = send(transport, "first");
    await pendingWork();

    const others = [send(transport, "second"), send(transport, "third")];
    await settled(Promise.all([first, ...others]));

    expect(transport.attempts.map(({ atMs, request: { url } }) => [url.pathname, atMs])).toEqual([
      ["/first", 0],
      ["/first", 30_000],
      ["/second", 30_000],
      ["/third", 30_000],
    ]);
  });

  it("without a time holds back all requests for the backoff", async () => {
    const transport = await fakeTransport((attempt) => (attempt === 1 ? response(429) : ok));
    const first = send(transport, "first");
    await pendingWork();

    await settled(Promise.all([first, send(transport, "second")]));

    expect(transport.attempts.map(({ atMs }) => atMs)).toEqual([0, 375, 375]);
  });

  it("ends, however long it is and whatever the clock of the machine shows by then", async () => {
    const transport = await fakeTransport(
      (attempt) => (attempt === 1 ? response(429) : ok),
      {},
      0.123,
    );
    const result = send(transport);
    await pendingWork();
    vi.setSystemTime(0);

    await settled(result);

    expect(transport.attempts).toHaveLength(2);
  });

  it("is kept after the clock of the machine was set back", async () => {
    const transport = await fakeTransport((attempt) => (attempt % 2 ? response(429, 30_000) : ok));
    await settled(send(transport));
    vi.setSystemTime(0);

    await settled(send(transport));

    const [third, fourth] = transport.attempts.slice(2).map(({ atMs }) => atMs);
    expect((fourth ?? 0) - (third ?? 0)).toBe(30_000);
  });

  it("does not shorten an earlier one", async () => {
    const answers = [response(429, 60_000), response(429, 1_000)];
    const transport = await fakeTransport((attempt) => answers[attempt - 1] ?? ok);

    await settled(Promise.all([send(transport, "first"), send(transport, "second")]));

    expect(transport.attempts.map(({ atMs }) => atMs)).toEqual([0, 0, 60_000, 60_000]);
  });

  it("lengthens an earlier one", async () => {
    const answers = [response(429, 1_000), response(429, 60_000)];
    const transport = await fakeTransport((attempt) => answers[attempt - 1] ?? ok);

    await settled(Promise.all([send(transport, "first"), send(transport, "second")]));

    expect(transport.attempts.map(({ atMs }) => atMs)).toEqual([0, 0, 60_000, 60_000]);
  });

  it("of no time at all still waits a little", async () => {
    const transport = await fakeTransport((attempt) => (attempt === 1 ? response(429, 0) : ok));

    await settled(send(transport));

    expect(transport.attempts.map(({ atMs }) => atMs)).toEqual([0, 50]);
  });

  it("is not seen in a 500 with Retry-After", async () => {
    const answer = delayed();
    const transport = await fakeTransport((_attempt, { url }) =>
      url.pathname === "/bad" ? response(500, 30_000) : answer.promise,
    );
    const bad = send(transport, "bad");
    await pendingWork();

    const good = send(transport, "good");
    await pendingWork();

    expect(transport.attempts.map(({ request: { url } }) => url.pathname)).toEqual([
      "/bad",
      "/good",
    ]);
    answer.answer(ok);
    await settled(Promise.all([good, bad]));
  });

  it("lets what was sent before go first", async () => {
    const transport = await fakeTransport(
      (attempt) => (attempt === 1 ? response(429, 1_000) : ok),
      { maxConcurrentRequests: 1 },
    );
    const names = ["first", "second", "third"];

    await settled(Promise.all(names.map((name) => send(transport, name))));

    expect(transport.attempts.map(({ request: { url } }) => url.pathname)).toEqual([
      "/first",
      "/first",
      "/second",
      "/third",
    ]);
  });

  it("is said once while it lasts", async () => {
    const transport = await fakeTransport((attempt) => (attempt < 6 ? response(429, 20_000) : ok));

    await settled(Promise.all([send(transport), send(transport)]));

    expect(transport.lines).toEqual(["The service asked to slow down; all requests wait 20 s."]);
  });

  it("is said again when another one comes after an answer", async () => {
    const transport = await fakeTransport((attempt) => (attempt % 2 ? response(429, 20_000) : ok));

    await settled(send(transport));
    await settled(send(transport));

    expect(transport.lines).toHaveLength(2);
  });

  it("is not said when it is short", async () => {
    const transport = await fakeTransport((attempt) => (attempt < 6 ? response(429, 4_999) : ok));

    await settled(send(transport));

    expect(transport.lines).toEqual([]);
  });
});

/** A transport of a Pulumi that stops when the test says so. */
async function stoppableTransport(
  answer: (attempt: number, path: string) => HttpOutcome,
  settings: Partial<AccountSettings> = {},
) {
  const stop = new AbortController();
  const answerTo = (attempt: number, { url }: HttpRequest) => answer(attempt, url.pathname);
  return { stop, transport: await fakeTransport(answerTo, settings, 0.5, stop.signal) };
}

describe("a request that waits when Pulumi stops", () => {
  it("is not sent, also where all wait", async () => {
    const { stop, transport } = await stoppableTransport(() => response(429, 60_000));
    void send(transport, "other");
    await pendingWork();
    const result = send(transport);
    await pendingWork();

    stop.abort();

    expect(await result).toEqual({
      kind: "unsent",
      reason: "was not sent, because Pulumi is stopping",
    });
    expect(transport.attempts).toHaveLength(1);
  });

  it.each([
    ["429", response(429, 60_000)],
    ["a refused connection", unsent],
  ])("says what its last attempt came to: %s", async (_case, outcome) => {
    const { stop, transport } = await stoppableTransport(() => outcome);
    const result = send(transport);
    await pendingWork();

    stop.abort();

    expect(await result).toEqual({ ...outcome, gaveUp: "Pulumi is stopping" });
    expect(transport.attempts).toHaveLength(1);
  });
});

describe("Pulumi's stop", () => {
  it("sends nothing whose turn comes at that moment", async () => {
    const { stop, transport } = await stoppableTransport(() => ok, { requestsPerSecond: 4 });
    const results = ["a", "b", "c", "d"].map((name) => send(transport, name));
    await pendingWork();
    // The pace allows the next one, but its timer has not fired: the process was busy.
    vi.setSystemTime(Date.now() + 251);

    stop.abort();

    expect((await Promise.all(results)).map(({ kind }) => kind)).toEqual([
      "response",
      ...Array(3).fill("unsent"),
    ]);
    expect(transport.attempts).toHaveLength(1);
  });

  it("ends what was in flight with its answer, without a wait or a line for others", async () => {
    const answers = [delayed(), delayed()];
    const stop = new AbortController();
    const answer = (attempt: number) => answers[attempt - 1]?.promise ?? ok;
    const transport = await fakeTransport(answer, {}, 0.5, stop.signal);
    const results = [send(transport), send(transport)];
    await pendingWork();
    stop.abort();
    const startedAt = Date.now();

    answers[0]?.answer(response(500, 100_000));
    answers[1]?.answer(response(429, 100_000));

    expect(await settled(Promise.all(results))).toEqual([
      { ...response(500, 100_000), gaveUp: "Pulumi is stopping" },
      { ...response(429, 100_000), gaveUp: "Pulumi is stopping" },
    ]);
    expect(Date.now()).toBe(startedAt);
    expect(transport.lines).toEqual([]);
  });
});

describe("an undo", () => {
  const undo = (transport: FakeTransport) =>
    transport.sendRequest(transport.operation, request("undo"), unlessOk, true);

  it("waits like any request while Pulumi goes on", async () => {
    const { transport } = await stoppableTransport((attempt) =>
      attempt === 1 ? response(429, 60_000) : ok,
    );
    const other = send(transport, "other");
    await pendingWork();

    await settled(Promise.all([other, undo(transport)]));

    expect(transport.attempts.map(({ atMs }) => atMs)).toEqual([0, 60_000, 60_000]);
  });

  it.each([
    ["already stops", 0],
    ["stops while it waits", 1_000],
  ])("waits for no pause, no pace and no turn when Pulumi %s", async (_case, stopAtMs) => {
    const { stop, transport } = await stoppableTransport(
      (_attempt, path) => (path === "/undo" ? ok : response(429, 60_000)),
      { maxConcurrentRequests: 1, requestsPerSecond: 0.01 },
    );
    void send(transport, "other");
    await pendingWork();
    if (stopAtMs === 0) {
      stop.abort();
    } else {
      setTimeout(() => stop.abort(), stopAtMs);
    }

    const result = await settled(undo(transport));

    expect(result).toEqual(ok);
    expect(transport.attempts.map(({ atMs }) => atMs)).toEqual([0, stopAtMs]);
  });

  it("that leaves the queue when Pulumi stops has not been tried by that", async () => {
    const answers = [response(429, 60_000), response(500)];
    const { stop, transport } = await stoppableTransport((attempt) => answers[attempt - 1] ?? ok);
    void send(transport, "other");
    await pendingWork();
    const result = undo(transport);
    await pendingWork();

    stop.abort();

    expect(await settled(result)).toEqual(ok);
    // The wait after a first attempt.
    expect(transport.attempts.map(({ atMs }) => atMs)).toEqual([0, 0, 375]);
  });

  it("of a Pulumi that stops waits as long as the service asks", async () => {
    const { stop, transport } = await stoppableTransport((attempt) =>
      attempt === 1 ? response(429, 1_000) : ok,
    );
    stop.abort();

    const result = await settled(undo(transport));

    expect(result).toEqual(ok);
    expect(transport.attempts.map(({ atMs }) => atMs)).toEqual([0, 1_000]);
  });
});

describe("a wait for the turn", () => {
  it.each<[Partial<AccountSettings>, string]>([
    [{ requestsPerSecond: 0.1 }, "dbwebhooks:requestsPerSecond is 0.1"],
    [{ maxConcurrentRequests: 1 }, "dbwebhooks:maxConcurrentRequests is 1"],
    [{ maxConcurrentRequests: 1, requestsPerSecond: 100 }, "dbwebhooks:maxConcurrentRequests is 1"],
  ])("of more than 5 seconds is said once: %j", async (settings, name) => {
    const answers = [delayed(), delayed(), delayed()];
    const transport = await fakeTransport(
      (attempt) => answers[attempt - 1]?.promise ?? ok,
      settings,
    );
    for (const [index, { answer }] of answers.entries()) {
      setTimeout(() => answer(ok), 6_000 * (index + 1));
    }

    await settled(Promise.all(answers.map(() => send(transport))));

    expect(transport.lines).toEqual([`Requests wait for their turn: ${name}.`]);
  });

  it("of less is not said", async () => {
    const transport = await fakeTransport(() => ok, { requestsPerSecond: 0.21 });

    await settled(Promise.all([send(transport), send(transport)]));

    expect(transport.lines).toEqual([]);
  });
});

describe("a service that always asks for one second", () => {
  it("is asked again each second", async () => {
    const transport = await fakeTransport((attempt) => (attempt < 9 ? response(429, 1_000) : ok));

    await settled(send(transport));

    expect(transport.attempts.at(-1)?.atMs).toBe(8_000);
    expect(transport.lines).toEqual([]);
  });
});

describe("a service that asks for no wait", () => {
  it("is asked again and again, but less and less often", async () => {
    const transport = await fakeTransport(() => response(429, 0));

    const { gaveUp } = await settled(send(transport));

    expect(gaveUp).toMatch(/^tried \d+ times in \d+ s; dbwebhooks:retrySeconds is 120$/);
    expect(transport.attempts.slice(0, 4).map(({ atMs }) => atMs)).toEqual([0, 50, 150, 350]);
    expect(transport.attempts.length).toBeLessThan(30);
    expect(transport.lines).toHaveLength(1);
  });
});

describe("the time for retries", () => {
  it("ends an operation at once when the service asks for more", async () => {
    const transport = await fakeTransport(() => response(429, 121_000));

    const result = await settled(send(transport));

    expect(result).toEqual({
      ...response(429, 121_000),
      gaveUp: "it asked to wait 121 s more; dbwebhooks:retrySeconds is 120",
    });
    expect(transport.attempts).toHaveLength(1);
  });

  it.each([Number.POSITIVE_INFINITY, 1e15])("ends it when that is %d ms", async (retryAfterMs) => {
    const transport = await fakeTransport(() => response(503, retryAfterMs));

    const { gaveUp } = await settled(send(transport));

    expect(gaveUp).toBe("it asked to wait over a day more; dbwebhooks:retrySeconds is 120");
  });

  it("of an operation that may not wait allows one attempt", async () => {
    const transport = await fakeTransport(() => unsent, { retrySeconds: 0 });

    const { gaveUp } = await settled(send(transport));

    expect(gaveUp).toBe("tried 1 time in 0 s; dbwebhooks:retrySeconds is 0");
    expect(transport.attempts).toHaveLength(1);
  });

  it("holds back nobody else when it is over", async () => {
    const transport = await fakeTransport((attempt) =>
      attempt === 1 ? response(429, 999_000) : ok,
    );

    await settled(send(transport));
    await settled(send(transport));

    expect(transport.attempts.map(({ atMs }) => atMs)).toEqual([0, 0]);
  });

  it("begins with the first attempt, not in the queue", async () => {
    const transport = await fakeTransport(
      (attempt) => (attempt === 1 ? ok : attempt === 2 ? unsent : ok),
      { retrySeconds: 5, requestsPerSecond: 0.1 },
    );
    await settled(send(transport));

    const result = await settled(send(transport));

    expect(result).toEqual(ok);
    expect(transport.attempts.map(({ atMs }) => atMs)).toEqual([0, 10_000, 20_000]);
  });
});

describe("the backoff", () => {
  it("doubles from half a second to ten seconds", async () => {
    const transport = await fakeTransport(() => unsent, { retrySeconds: 60 }, 1);

    await settled(send(transport));

    const times = transport.attempts.map(({ atMs }) => atMs);
    const delays = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000]);
  });

  it("is at least half of that, and ends in time, whatever chance says", async () => {
    await fc.assert(
      fc
        .asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), async (random) => {
          const transport = await fakeTransport(() => unsent, { retrySeconds: 30 }, random);

          await settled(send(transport, "x", always));

          const times = transport.attempts.map(({ atMs }) => atMs);
          expect(times[1]).toBeGreaterThanOrEqual(250);
          expect(times[1]).toBeLessThanOrEqual(500);
          expect(times.at(-1)).toBeLessThanOrEqual(30_000);
          expect(times.length).toBeLessThan(15);
        })
        .afterEach(restoreWorld),
      { numRuns: 25 },
    );
  });

  it("says what it waits for, once for each operation", async () => {
    const transport = await fakeTransport(() => unsent, {}, 1);

    await settled(send(transport));

    expect(transport.lines).toEqual([
      "https://tables.example.com could not be reached (ECONNREFUSED); trying POST again.",
    ]);
  });
});

describe("a connection that fails", () => {
  it("is not tried again when it can never succeed", async () => {
    const transport = await fakeTransport(() => ({ ...unsent, passes: "never" }));

    const result = await settled(send(transport, "x", always));

    expect(transport.attempts).toHaveLength(1);
    expect(result).not.toHaveProperty("gaveUp");
  });

  it("is tried for 15 seconds when it is refused", async () => {
    const transport = await fakeTransport(() => ({ ...unsent, passes: "soon" }));

    const result = await settled(send(transport, "x", always));

    const last = transport.attempts.at(-1)?.atMs ?? 0;
    expect(last).toBeLessThanOrEqual(15_000);
    expect(last).toBeGreaterThan(7_000);
    expect(result.gaveUp).toContain("a refused connection is tried for 15 s");
  });

  it("is tried no longer than the settings allow when it is refused", async () => {
    const transport = await fakeTransport(() => ({ ...unsent, passes: "soon" }), {
      retrySeconds: 2,
    });

    const result = await settled(send(transport, "x", always));

    expect(transport.attempts.at(-1)?.atMs).toBeLessThanOrEqual(2_000);
    expect(result.gaveUp).toContain("dbwebhooks:retrySeconds is 2");
  });
});
