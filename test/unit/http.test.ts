import { getEventListeners, once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { WebhookError } from "../../src/service/errors.ts";
import { type HttpOutcome, type HttpRequest, openExchange } from "../../src/service/http.ts";
import { parseRetryAfter } from "../../src/service/response-headers.ts";
import { TimeLimit } from "../../src/service/time-limit.ts";
import { apiKey } from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { refusedUrl, startRawServer, startServer } from "../helpers/http-server.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const post = (url: string): HttpRequest => ({
  method: "POST",
  url: new URL(url),
  apiKey,
  body: { text: "ä" },
});

async function exchangeOnce(url: string, timeoutSeconds = 10): Promise<HttpOutcome> {
  const exchange = await openExchange(timeoutSeconds);
  return (await exchange(post(url))) as HttpOutcome;
}

describe("an exchange", () => {
  it("returns status and body of any answer", async () => {
    await using server = await startServer({ statusCode: 418, body: "Ich bin eine Teekanne ☕" });

    const outcome = await exchangeOnce(server.url);

    expect(outcome).toEqual({
      kind: "response",
      statusCode: 418,
      body: "Ich bin eine Teekanne ☕",
    });
  });

  it("asks for an answer that is not encoded, and drops a byte order mark", async () => {
    await using server = await startServer({ body: "\ufeff{}" });

    const outcome = await exchangeOnce(server.url);

    expect(outcome).toMatchObject({ body: "{}" });
    expect(server.requests[0]?.headers).toMatchObject({ "accept-encoding": "identity" });
  });

  it("waits for the answer to what it has sent when Pulumi stops", async () => {
    const stop = new AbortController();
    await using server = await startRawServer((socket) => {
      stop.abort();
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    });
    const exchange = await openExchange(10);

    const outcome = await exchange(post(server.url), undefined, stop.signal);

    expect(outcome).toMatchObject({ kind: "response", body: "ok" });
  });

  it("sends its body as JSON", async () => {
    await using server = await startServer({});

    await exchangeOnce(server.url);

    expect(server.requests[0]).toMatchObject({
      method: "POST",
      body: '{"text":"ä"}',
      headers: { "content-type": "application/json", "content-length": "13" },
    });
  });

  it("sends path and method as they are, and no query", async () => {
    await using server = await startServer({});
    const exchange = await openExchange(10);

    await exchange({ method: "DELETE", url: new URL(`${server.url}/a%2Fb/c`), apiKey });

    expect(server.requests[0]).toMatchObject({ method: "DELETE", path: "/a%2Fb/c", body: "" });
  });

  it("keeps connections for the requests that follow", async () => {
    await using server = await startServer({ body: "ok" });
    const exchange = await openExchange(10);

    for (let count = 0; count < 10; count++) {
      await exchange(post(server.url));
    }

    const connections = new Set(server.requests.map(({ connection }) => connection));
    // undici takes back a connection a moment after the answer, so there may be a second one.
    expect(connections.size).toBeLessThanOrEqual(2);
  });

  it("reads an answer of just 1 MiB", async () => {
    const body = "x".repeat(1024 * 1024);
    await using server = await startServer({ body });

    const outcome = await exchangeOnce(server.url);

    expect(outcome).toMatchObject({ kind: "response", body });
  });

  it("reads no more than 1 MiB", async () => {
    await using server = await startServer({ statusCode: 201, body: "x".repeat(1024 * 1024 + 1) });

    const outcome = await exchangeOnce(server.url);

    expect(outcome).toEqual({ kind: "unreadable", reason: "answered 201 with more than 1 MiB" });
  });

  it("works after an answer that was too long", async () => {
    await using server = await startServer({ body: "x".repeat(3 * 1024 * 1024) }, { body: "ok" });
    const exchange = await openExchange(10);
    await exchange(post(server.url));

    const outcome = await exchange(post(server.url));

    expect(outcome).toMatchObject({ kind: "response", body: "ok" });
  });

  it("is not redirected", async () => {
    await using other = await startServer({});
    await using server = await startServer({
      statusCode: 307,
      headers: { location: `${other.url}/path?query#fragment` },
    });

    const outcome = await exchangeOnce(server.url);

    expect(outcome).toMatchObject({ statusCode: 307, redirectOrigin: other.url });
    expect(other.requests).toEqual([]);
  });

  it.each(["/elsewhere", "elsewhere"])(
    "knows the origin of a relative redirect: %s",
    async (to) => {
      await using server = await startServer({ statusCode: 302, headers: { location: to } });

      const outcome = await exchangeOnce(server.url);

      expect(outcome).toMatchObject({ redirectOrigin: server.url });
    },
  );

  it("tells how long the service asks to wait", async () => {
    await using server = await startServer({ statusCode: 429, headers: { "Retry-After": "7" } });

    const outcome = await exchangeOnce(server.url);

    expect(outcome).toMatchObject({ retryAfterMs: 7_000 });
  });

  it.each([1.001, 4.0005, 3_599.9999])("accepts a time limit of %d s", async (timeoutSeconds) => {
    await using server = await startServer({ body: "ok" });

    const outcome = await exchangeOnce(server.url, timeoutSeconds);

    expect(outcome).toMatchObject({ kind: "response", body: "ok" });
  });

  it("reaches a loopback host without the proxy", async () => {
    await using server = await startServer({ body: "direct" });
    vi.stubEnv("HTTP_PROXY", await refusedUrl());
    vi.stubEnv("NO_PROXY", "example.com");

    const outcomes = [
      await exchangeOnce(server.url),
      await exchangeOnce(server.url.replace("127.0.0.1", "localhost")),
      await exchangeOnce("http://127.0.0.2:9/"),
    ];

    expect(outcomes).toMatchObject([
      { body: "direct" },
      { body: "direct" },
      { reason: expect.stringContaining("127.0.0.2:9") },
    ]);
  });

  it("reaches other hosts through the proxy", async () => {
    await using proxy = await startServer({ statusCode: 502, body: "from the proxy" });
    vi.stubEnv("http_proxy", proxy.url);
    vi.stubEnv("no_proxy", "");

    await exchangeOnce("http://tables.example.test/path");

    expect(proxy.requests).toHaveLength(1);
  });

  it.each(["gateway:3128", "not a URL", "http://user:p%@proxy.example.com"])(
    "is not opened with the proxy %j",
    async (proxy) => {
      vi.stubEnv("HTTPS_PROXY", proxy);

      const error = await errorOf(openExchange(10));

      expect(error).toEqual(
        new WebhookError(
          'No request can be sent: HTTPS_PROXY or HTTP_PROXY holds no usable URL, such as "http://proxy.example.com:3128". Nothing was sent.',
        ),
      );
    },
  );

  it("respects NO_PROXY", async () => {
    await using proxy = await startServer({ statusCode: 502 });
    vi.stubEnv("HTTP_PROXY", proxy.url);
    vi.stubEnv("NO_PROXY", "tables.example.test");

    await exchangeOnce(`http://${"no".repeat(40)}.tables.example.test/path`);

    expect(proxy.requests).toEqual([]);
  });
});

describe("an exchange that fails before anything is sent", () => {
  it("is unsent when nothing listens", async () => {
    const outcome = await exchangeOnce(await refusedUrl());

    expect(outcome).toMatchObject({
      kind: "unsent",
      reason: expect.stringMatching(/^could not be reached \(ECONNREFUSED: .+\)$/),
      passes: "soon",
    });
  });

  it("is unsent when the host has no address", async () => {
    const outcome = await exchangeOnce(`http://${"no".repeat(40)}.example`);

    expect(outcome).toMatchObject({ kind: "unsent", passes: "never" });
  });

  it("is a fault of the program, not of the connection, when the call itself is wrong", async () => {
    const exchange = await openExchange(10);
    const wrong = { ...post("http://127.0.0.1:1"), body: 1n };

    await expect(exchange(wrong)).rejects.toThrow(TypeError);
  });

  it("is unsent when the handshake fails", async () => {
    await using server = await startServer({});

    const outcome = await exchangeOnce(server.url.replace("http:", "https:"));

    expect(outcome.kind).toBe("unsent");
    expect(server.requests).toEqual([]);
  });

  it("is unsent when the handshake does not end in time", async () => {
    await using server = await startRawServer(() => undefined);

    const outcome = await exchangeOnce(`https://${server.host}`, 0.1);

    expect(outcome).toEqual({
      kind: "unsent",
      reason: "could not be reached within 0.1 s (dbwebhooks:timeoutSeconds)",
    });
  });

  it("is not made when Pulumi stops while it connects", async () => {
    await using server = await startServer({});
    const stop = new AbortController();
    const exchange = await openExchange(10);
    const outcome = exchange(post(server.url), undefined, stop.signal);

    stop.abort();

    expect(await outcome).toBeUndefined();
    expect(server.requests).toEqual([]);
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });

  it("is not made when Pulumi stops while the handshake hangs, and is not waited for", async () => {
    const stop = new AbortController();
    const server = createServer(() => stop.abort()).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    // Longer than any test may take.
    const exchange = await openExchange(600);

    const outcome = await exchange(post(`https://127.0.0.1:${port}`), undefined, stop.signal);

    expect(outcome).toBeUndefined();
  });

  it("is unsent when its time is over before there is a connection for it", async () => {
    const held: Socket[] = [];
    await using server = await startRawServer((socket) => held.push(socket));
    const exchange = await openExchange(10, 1);
    const first = exchange(post(server.url));
    await expect.poll(() => held).toHaveLength(1);
    const limit = new TimeLimit(0.1);
    const second = exchange(post(server.url), limit);
    // Begins later and lasts longer, so it ends later.
    await once(AbortSignal.timeout(200), "abort");
    held[0]?.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");

    expect((await second)?.kind).toBe("unsent");
    expect((await first)?.kind).toBe("response");
    expect(server.requests).toHaveLength(1);
    limit.clear();
  });

  it("is unsent when the proxy refuses the tunnel", async () => {
    await using proxy = await startRawServer((socket) =>
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"),
    );
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    vi.stubEnv("NO_PROXY", "");

    const outcome = await exchangeOnce("https://tables.example.test");

    expect(outcome.kind).toBe("unsent");
  });
});

describe("an exchange that breaks after the request went out", () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n";

  it.each<[string, (socket: Socket) => unknown]>([
    ["no answer in time", () => undefined],
    ["only a head in time", (socket) => socket.write(head)],
    ["a reset", (socket) => socket.resetAndDestroy()],
    ["an end", (socket) => socket.end()],
    ["an end within the head", (socket) => socket.end(head.slice(0, 20))],
    ["an end within the body", (socket) => socket.end(`${head}123`)],
    [
      "a reset within the body",
      (socket) => socket.write(`${head}1`, () => socket.resetAndDestroy()),
    ],
    ["something else than HTTP", (socket) => socket.end("220 mail.example ESMTP\r\n")],
    ["a broken head", (socket) => socket.end("HTTP/1.1 200 OK\r\n : \r\n\r\n")],
    [
      "a broken chunk",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"),
    ],
  ])("is unanswered: %s", async (_case, answer) => {
    await using server = await startRawServer(answer);

    const outcome = await exchangeOnce(server.url, 0.2);

    expect(outcome.kind).toBe("unanswered");
    expect(server.requests).toHaveLength(1);
  });

  it("says that the time limit was the reason", async () => {
    await using server = await startRawServer(() => undefined);

    const outcome = await exchangeOnce(server.url, 0.1);

    expect(outcome).toEqual({
      kind: "unanswered",
      reason: "gave no complete answer within 0.1 s (dbwebhooks:timeoutSeconds)",
    });
  });

  it("says that the connection broke", async () => {
    await using server = await startRawServer((socket) => socket.resetAndDestroy());

    const outcome = await exchangeOnce(server.url);

    expect(outcome).toEqual({
      kind: "unanswered",
      reason: expect.stringMatching(
        /^broke the connection before its answer was complete \(ECONNRESET: .+\)$/,
      ),
    });
  });

  it("is unanswered on a connection that served before", async () => {
    let count = 0;
    await using server = await startRawServer((socket) => {
      count++;
      return count === 1
        ? socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
        : socket.resetAndDestroy();
    });
    const exchange = await openExchange(10);
    await exchange(post(server.url));

    const outcome = await exchange(post(server.url));

    expect(outcome?.kind).toBe("unanswered");
    expect(server.requests).toHaveLength(2);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("Sun, 06 Nov 1994 08:49:37 GMT");

  it.each([
    ["0", 0],
    ["120", 120_000],
    [" 7 ", 7_000],
    ["007", 7_000],
    ["Sun, 06 Nov 1994 08:49:47 GMT", 10_000],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 0],
    ["Sun, 06 Nov 1994 08:00:00 GMT", 0],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ])("%j is understood", (value, expected) => {
    const delayMs = parseRetryAfter(value, now);

    expect(delayMs).toBe(expected);
  });

  it.each(["", "soon", "-1", "1.5", "1e3", "0x10", "5 minutes", "1,2", "Infinity", "∞"])(
    "%j is ignored",
    (value) => {
      const delayMs = parseRetryAfter(value, now);

      expect(delayMs).toBeUndefined();
    },
  );

  it.each(["Sun, 99 Nov 1994 08:49:37 GMT", "Xxx, 06 Xxx 1994 08:49:37 GMT"])(
    "%j is ignored, as it is no date",
    (value) => {
      const delayMs = parseRetryAfter(value, now);

      expect(delayMs).toBeUndefined();
    },
  );

  it("is never negative and never not a number", () => {
    const values = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(..."0123456789 ,:.+-eGMTSunNov") }),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      fc.bigInt({ min: 0n }).map(String),
    );

    fc.assert(
      fc.property(values, fc.integer(), (value, time) => {
        const delayMs = parseRetryAfter(value, time);

        expect(delayMs === undefined || delayMs >= 0).toBe(true);
      }),
    );
  });
});
