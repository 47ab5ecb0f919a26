import dns from "node:dns";
import { getEventListeners } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HttpOutcome, HttpRequest } from "../../src/service/exchange.ts";
import { TimeLimit } from "../../src/service/exchange.ts";
import { openExchange, parseRetryAfter } from "../../src/service/http.ts";
import { apiKey } from "../helpers/builders.ts";
import {
  refusedUrl,
  startGate,
  startRawServer,
  startServer,
  startTlsServer,
} from "../helpers/http-server.ts";

beforeEach(() => {
  // Nothing of the network of the machine.
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toLowerCase(), undefined);
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
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

const notOnLoopback = "https://tables.example.test";

/** Lets every name lead to these addresses. */
function resolveTo(...addresses: readonly string[]): void {
  const found = addresses.map((address) => ({ address, family: 4 }));
  const lookup = (_host: string, _options: object, done: (...result: unknown[]) => void) =>
    done(null, found);
  vi.spyOn(dns, "lookup").mockImplementation(lookup as never);
}

describe("an exchange", () => {
  it("sends its body as JSON, and returns status and body of any answer", async () => {
    await using server = await startServer({ statusCode: 418, body: "\ufeffTeekanne ☕" });

    const outcome = await exchangeOnce(server.url);

    expect(outcome).toMatchObject({ kind: "response", statusCode: 418, body: "Teekanne ☕" });
    expect(server.requests).toMatchObject([{ method: "POST", path: "/", body: '{"text":"ä"}' }]);
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      accept: "application/json",
      "accept-encoding": "identity",
      "content-type": "application/json",
      "content-length": "13",
      "user-agent": expect.stringMatching(/^pulumi-dbwebhooks\/\d+\.\d+\.\d+/),
    });
  });

  it("sends method and path as they are, and without a body nothing about one", async () => {
    await using server = await startServer({});
    const exchange = await openExchange(10);

    await exchange({ method: "DELETE", url: new URL(`${server.url}/a%2Fb/c`), apiKey });

    expect(server.requests).toMatchObject([{ method: "DELETE", path: "/a%2Fb/c", body: "" }]);
    expect(server.requests[0]?.headers).not.toHaveProperty("content-type");
  });

  it("keeps connections for the requests that follow", async () => {
    await using server = await startServer({});
    const exchange = await openExchange(10);

    for (let count = 0; count < 10; count++) {
      await exchange(post(server.url));
    }

    const connections = new Set(server.requests.map(({ connection }) => connection));
    // undici takes back a connection a moment after the answer, so there may be a second one.
    expect(connections.size).toBeLessThanOrEqual(2);
  });

  it("reads 1 MiB and no more, and goes on after that", async () => {
    const body = "x".repeat(1024 * 1024);
    await using server = await startServer({ body }, { statusCode: 201, body: `${body}x` }, {});
    const exchange = await openExchange(10);

    expect(await exchange(post(server.url))).toMatchObject({ kind: "response", body });
    expect(await exchange(post(server.url))).toEqual({
      kind: "unreadable",
      cause: { kind: "tooLong", statusCode: 201 },
    });
    expect(await exchange(post(server.url))).toMatchObject({ kind: "response", body: "" });
  });

  it.each([
    ["https://else.example/path?query#fragment", "https://else.example"],
    ["/elsewhere", undefined],
    ["http://[", "none"],
  ])("is not redirected, and knows where to: %s", async (location, expected) => {
    await using server = await startServer({ statusCode: 307, headers: { location } });

    const outcome = (await exchangeOnce(server.url)) as { redirectOrigin?: string };

    expect(outcome).toMatchObject({ statusCode: 307 });
    expect(outcome.redirectOrigin ?? "none").toBe(expected ?? server.url);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [200, { "retry-after": "7" }, { retryAfterMs: 7_000 }],
    [206, {}, { isPart: true }],
    [200, { link: '<https://x.example>; rel="next"' }, { isPart: true }],
  ])("tells what the head says besides: %d %j", async (statusCode, headers, expected) => {
    await using server = await startServer({ statusCode, headers });

    expect(await exchangeOnce(server.url)).toMatchObject(expected);
  });

  it("rejects when the call itself is wrong, which is no failure of a connection", async () => {
    const exchange = await openExchange(10);

    await expect(exchange({ ...post(await refusedUrl()), body: 1n })).rejects.toThrow(TypeError);
  });
});

describe("a proxy of the environment", () => {
  it("carries requests to other hosts, but not to this machine, nor to those of NO_PROXY", async () => {
    await using proxy = await startServer({ statusCode: 502 });
    await using server = await startServer({ body: "direct" });
    vi.stubEnv("HTTP_PROXY", proxy.url);
    vi.stubEnv("NO_PROXY", "other.example.test");

    await exchangeOnce("http://tables.example.test/path");
    resolveTo("127.0.0.1");
    const { port } = new URL(server.url);
    const outcomes = [
      await exchangeOnce(server.url),
      await exchangeOnce(server.url.replace("127.0.0.1", "localhost")),
      await exchangeOnce(`http://other.example.test:${port}`),
    ];

    expect(outcomes).toMatchObject([{ body: "direct" }, { body: "direct" }, { body: "direct" }]);
    expect(proxy.requests).toHaveLength(1);
  });

  it.each(["gateway:3128", "not a URL", "http://user:p%@proxy.example.com"])(
    "that has no usable address sends nothing but to this machine: %j",
    async (proxy) => {
      await using server = await startServer({});
      vi.stubEnv("HTTPS_PROXY", proxy);

      expect(await exchangeOnce(notOnLoopback)).toEqual({
        kind: "unsent",
        cause: { kind: "badProxy" },
      });
      expect(await exchangeOnce(server.url)).toMatchObject({ kind: "response" });
    },
  );
});

describe("a server that prefers HTTP/2", () => {
  it.each(["directly", "behind a proxy"])("is spoken to in HTTP/1.1, %s", async (name) => {
    await using server = await startTlsServer({ isTrusted: true });
    await using gate = await startGate(server.url);
    gate.open();
    resolveTo("127.0.0.1");
    if (name === "behind a proxy") {
      vi.stubEnv("HTTPS_PROXY", gate.url);
    }

    const outcome = await exchangeOnce(server.url.replace("127.0.0.1", "tables.example.test"));

    expect(outcome).toMatchObject({ kind: "response", statusCode: 200 });
    expect(gate.count()).toBe(name === "behind a proxy" ? 1 : 0);
  });
});

describe("a certificate that is not trusted", () => {
  const cases: [string, (url: string) => string][] = [
    ["of the service", (url) => url],
    ["of a host elsewhere", (url) => url.replace("127.0.0.1", "tables.example.test")],
    ["behind a proxy", () => notOnLoopback],
    ["of a proxy", () => notOnLoopback],
  ];

  it.each(cases)("%s ends it, whatever NODE_TLS_REJECT_UNAUTHORIZED says", async (name, urlOf) => {
    await using server = await startTlsServer({ isTrusted: false });
    await using gate = await startGate(server.url);
    gate.open();
    resolveTo("127.0.0.1");
    vi.spyOn(process, "emitWarning").mockReturnValue();
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    if (name.includes("proxy")) {
      vi.stubEnv("HTTPS_PROXY", name === "of a proxy" ? server.url : gate.url);
    }

    const outcome = await exchangeOnce(urlOf(server.url));

    expect(outcome).toMatchObject({
      kind: "unsent",
      cause: { kind: "connection", codes: ["DEPTH_ZERO_SELF_SIGNED_CERT"] },
    });
    expect(server.requests).toEqual([]);
  });
});

describe("before a connection is established", () => {
  // What ends the attempt, and what then is known of it.
  const endings: [string, number, number | undefined, unknown][] = [
    ["timeoutSeconds", 0.2, undefined, { kind: "limit", limit: "attempt", ms: 200 }],
    [
      "the operation's time",
      30,
      0.2,
      { kind: "limit", limit: "operation", ms: expect.any(Number) },
    ],
    ["Pulumi's stop", 30, undefined, undefined],
  ];

  it.each(
    ["TLS", "CONNECT"].flatMap((silence) => endings.map((ending) => [silence, ...ending] as const)),
  )("at a silent %s, %s ends it, and it is not sent when the silence does", async (...row) => {
    const [silence, ending, timeoutSeconds, limitSeconds, cause] = row;
    await using server = await startTlsServer({ isTrusted: true });
    await using gate = await startGate(server.url);
    if (silence === "CONNECT") {
      vi.stubEnv("HTTPS_PROXY", gate.url);
    }
    const base = silence === "CONNECT" ? notOnLoopback : gate.url.replace("http:", "https:");
    const exchange = await openExchange(timeoutSeconds, 1);
    const timeLimit = limitSeconds === undefined ? undefined : new TimeLimit(limitSeconds);
    const stop = new AbortController();

    const attempt = exchange(post(`${base}/first`), timeLimit, stop.signal);
    await expect.poll(gate.count).toBe(1);
    if (ending === "Pulumi's stop") {
      stop.abort();
    }

    expect(await attempt).toEqual(cause === undefined ? undefined : { kind: "unsent", cause });
    gate.open();
    // One connection: whatever is sent late goes before it.
    await expect.poll(async () => (await exchange(post(`${base}/next`)))?.kind).toBe("response");
    expect(new Set(server.requests.map(({ path }) => path))).toEqual(new Set(["/next"]));
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });

  it.each([
    ["ECONNREFUSED", refusedUrl],
    ["ENOTFOUND", async () => `http://${"no".repeat(40)}.example`],
  ])("a failure is named by its code: %s", async (code, urlOf) => {
    expect(await exchangeOnce(await urlOf())).toMatchObject({
      kind: "unsent",
      cause: { kind: "connection", codes: [code], text: expect.stringMatching(/./) },
    });
  });

  it("a failure has the codes of all addresses that were tried", async () => {
    resolveTo("127.0.0.1", "127.0.0.2");
    const { port } = new URL(await refusedUrl());

    expect(await exchangeOnce(`http://tables.example.test:${port}`)).toMatchObject({
      cause: { codes: ["ECONNREFUSED", "ECONNREFUSED", "ECONNREFUSED"] },
    });
  });
});

describe("an exchange that breaks after the request went out", () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n";

  it.each<[string, (socket: Socket) => unknown]>([
    ["no answer in time", () => undefined],
    ["only a head in time", (socket) => socket.write(head)],
    ["a reset", (socket) => socket.resetAndDestroy()],
    ["an end", (socket) => socket.end()],
    ["an end within the body", (socket) => socket.end(`${head}123`)],
    ["a reset within it", (socket) => socket.write(`${head}1`, () => socket.resetAndDestroy())],
    ["something else than HTTP", (socket) => socket.end("220 mail.example ESMTP\r\n")],
    ["a broken head", (socket) => socket.end("HTTP/1.1 200 OK\r\n : \r\n\r\n")],
  ])("is unanswered: %s", async (name, answer) => {
    await using server = await startRawServer(answer);

    const isLimit = name.includes("in time");
    const outcome = await exchangeOnce(server.url, isLimit ? 0.2 : 10);

    expect(outcome).toMatchObject({
      kind: "unanswered",
      cause: isLimit ? { kind: "limit", limit: "attempt", ms: 200 } : { kind: "connection" },
    });
    expect(server.requests).toHaveLength(1);
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

    expect(await exchange(post(server.url))).toMatchObject({ kind: "unanswered" });
    expect(server.requests).toHaveLength(2);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("Sun, 06 Nov 1994 08:49:37 GMT");

  it.each([
    ["0", 0],
    ["120", 120_000],
    [" 007 ", 7_000],
    ["Sun, 06 Nov 1994 08:49:47 GMT", 10_000],
    ["Sun, 06 Nov 1994 08:00:00 GMT", 0],
    ...["", "soon", "-1", "1.5", "1e3", "0x10", "5 minutes", "1,2", "1994-11-06"].map(
      (value): [string, undefined] => [value, undefined],
    ),
    ["Sun, 99 Nov 1994 08:49:37 GMT", undefined],
    ["on Sun, 06 Nov 1994 08:49:47 GMT", undefined],
  ])("%j is %d ms", (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });
});
