import dns from "node:dns";
import { getEventListeners } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openExchange, parseRetryAfter } from "../../src/api/http.ts";
import { Deadline } from "../../src/api/transport.ts";
import { apiKey } from "../helpers/builders.ts";
import {
  refusedUrl,
  startGate,
  startRawServer,
  startServer,
  startTlsServer,
} from "../helpers/http-server.ts";

beforeEach(() => {
  // The tests ignore the proxy of the machine.
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toLowerCase(), undefined);
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const post = (url: string) => ({ method: "POST" as const, url: new URL(url), apiKey, body: ["ä"] });

function exchangeOnce(url: string) {
  return openExchange(10)(post(url));
}

const notOnLoopback = "https://tables.example.test";

/** Resolves every host name to these addresses. */
function resolveTo(...addresses: readonly string[]): void {
  const found = addresses.map((address) => ({ address, family: 4 }));
  const lookup = (_host: string, _options: object, done: (...result: unknown[]) => void) =>
    done(null, found);
  vi.spyOn(dns, "lookup").mockImplementation(lookup as never);
}

describe("An exchange", () => {
  it("sends a request as it is, and returns the status code and the body", async () => {
    await using server = await startServer({ statusCode: 418, body: "\ufeffTeekanne ☕" });
    const exchange = openExchange(10);
    const url = new URL(`${server.url}/a%2Fb/c`);

    const outcome = await exchange(post(server.url));
    await exchange({ method: "DELETE", url, apiKey });

    expect(outcome).toMatchObject({ kind: "response", statusCode: 418, body: "Teekanne ☕" });
    expect(server.requests[0]).toMatchObject({ method: "POST", path: "/", body: '["ä"]' });
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      accept: "application/json",
      "accept-encoding": "identity",
      "content-type": "application/json",
      "content-length": "6",
      "user-agent": expect.stringMatching(/^pulumi-dbwebhooks\/\d+\.\d+\.\d+/),
    });
    expect(server.requests[1]).toMatchObject({ method: "DELETE", path: "/a%2Fb/c", body: "" });
    expect(server.requests[1]?.headers).not.toHaveProperty("content-type");
  });

  it.each<[string, Record<string, string>]>([
    ["announces no idle time", { connection: "keep-alive" }],
    ["announces 5 s", { connection: "keep-alive", "keep-alive": "timeout=5" }],
    ["announces an hour", { connection: "keep-alive", "keep-alive": "timeout=3600" }],
  ])(
    "uses a connection again within half a second only, if the service %s",
    async (_case, headers) => {
      await using server = await startServer({ headers });
      const exchange = openExchange(10);
      onTestFinished(() => void vi.useRealTimers());
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const connectionsAfter = async (idleMs: number) => {
        await vi.advanceTimersByTimeAsync(idleMs);
        await exchange(post(server.url));
        return server.connections();
      };

      await connectionsAfter(0);
      const atOnce = await connectionsAfter(0);
      const soon = await connectionsAfter(499);
      const late = await connectionsAfter(500);

      expect({ atOnce, soon, late }).toEqual({ atOnce: 1, soon: 1, late: 2 });
    },
  );

  it("reads a body of 1 MiB and no more, and serves the next request", async () => {
    const body = "x".repeat(1024 * 1024);
    await using server = await startServer({ body }, { statusCode: 201, body: `${body}x` }, {});
    const exchange = openExchange(10);

    expect(await exchange(post(server.url))).toMatchObject({ kind: "response", body });
    expect(await exchange(post(server.url))).toMatchObject({
      kind: "response",
      statusCode: 201,
      body: "(more than 1 MiB)",
    });
    expect(await exchange(post(server.url))).toMatchObject({ kind: "response", body: "" });
  });

  const loopback = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);

  it.each<[number, Record<string, string>, object]>([
    [307, { location: "https://else.example/a?b#c" }, { redirectOrigin: "https://else.example" }],
    [307, { location: "/elsewhere" }, { redirectOrigin: loopback }],
    [307, { location: "http://[" }, { redirectOrigin: undefined }],
    [200, { "retry-after": "7" }, { retryAfterMs: 7_000 }],
    [206, {}, { isPartial: true }],
    [200, { link: '<https://x.example>; rel="next"' }, { isPartial: true }],
  ])(
    "follows no redirect and returns what it needs of the head: %d %j",
    async (statusCode, headers, said) => {
      await using server = await startServer({ statusCode, headers });

      expect(await exchangeOnce(server.url)).toMatchObject({ statusCode, ...said });
      expect(server.requests).toHaveLength(1);
    },
  );

  it("rejects when the request cannot be written as JSON", async () => {
    const exchange = openExchange(10);

    await expect(exchange({ ...post(await refusedUrl()), body: 1n })).rejects.toThrow(TypeError);
  });
});

describe("A proxy of the environment", () => {
  it("carries requests to other hosts, but not to this machine, nor to those of NO_PROXY", async () => {
    await using proxy = await startServer({ statusCode: 502 });
    await using server = await startServer({ body: "direct" });
    vi.stubEnv("HTTP_PROXY", proxy.url);
    vi.stubEnv("NO_PROXY", "other.example.test");
    const at = (host: string) => exchangeOnce(server.url.replace("127.0.0.1", host));

    await exchangeOnce("http://tables.example.test/path");
    resolveTo("127.0.0.1");

    for (const host of ["127.0.0.1", "localhost", "other.example.test"]) {
      expect(await at(host)).toMatchObject({ body: "direct" });
    }
    expect(proxy.requests).toHaveLength(1);
  });

  it.each([
    ["has no host", ["ERR_INVALID_URL"], "gateway:3128"],
    ["is no URL", ["ERR_INVALID_URL"], "http://user:p%@proxy.example.com"],
    ["refuses to connect", ["UND_ERR_ABORTED"], undefined],
  ])("that %s ends a request unsent", async (_case, codes, url) => {
    await using proxy = await startRawServer((socket) => socket.end("HTTP/1.1 403 No\r\n\r\n"));
    vi.stubEnv("HTTPS_PROXY", url ?? proxy.url);

    expect(await exchangeOnce(notOnLoopback)).toMatchObject({ kind: "unsent", codes });
  });

  it("that is no URL does not matter on loopback", async () => {
    await using server = await startServer({});
    vi.stubEnv("HTTPS_PROXY", "http://user:p%@proxy.example.com");

    expect(await exchangeOnce(server.url)).toMatchObject({ kind: "response" });
  });
});

describe("A certificate that is not trusted", () => {
  const untrusted = { kind: "unsent", codes: ["DEPTH_ZERO_SELF_SIGNED_CERT"] };
  const on = (host: string, { url }: { readonly url: string }) => url.replace("127.0.0.1", host);

  beforeEach(() => {
    resolveTo("127.0.0.1");
    vi.spyOn(process, "emitWarning").mockReturnValue();
    // Pulumi's users may have it set for other programs.
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  });

  it.each(["127.0.0.1", "tables.example.test"])("ends a request to %s unsent", async (host) => {
    await using server = await startTlsServer({ isTrusted: false });

    expect(await exchangeOnce(on(host, server))).toMatchObject(untrusted);
    expect(server.requests).toEqual([]);
  });

  it("ends a request unsent behind a proxy", async () => {
    await using server = await startTlsServer({ isTrusted: false });
    await using gate = await startGate(server.url);
    gate.open();
    vi.stubEnv("HTTPS_PROXY", gate.url);

    expect(await exchangeOnce(on("tables.example.test", server))).toMatchObject(untrusted);
    expect(gate.heads).toHaveLength(1);
    expect(server.requests).toEqual([]);
  });

  it("ends a request unsent when it is the proxy's", async () => {
    await using proxy = await startTlsServer({ isTrusted: false });
    vi.stubEnv("HTTPS_PROXY", proxy.url);

    expect(await exchangeOnce(notOnLoopback)).toMatchObject(untrusted);
    expect(proxy.requests).toEqual([]);
  });

  it("ends a request unsent when it is trusted for another host", async () => {
    await using server = await startTlsServer({ isTrusted: true });

    expect(await exchangeOnce(on("localhost", server))).toMatchObject({
      kind: "unsent",
      codes: ["ERR_TLS_CERT_ALTNAME_INVALID"],
    });
    expect(server.requests).toEqual([]);
  });
});

describe("A connection that is not established", () => {
  const ends = ["timeout", "deadline", "stopping"] as const;

  it.each(ends.flatMap((end) => [["TLS", end] as const, ["CONNECT", end] as const]))(
    "with a silent %s ends with the %s, and its request is not sent afterwards",
    async (silence, end) => {
      // The server prefers HTTP/2, which it does not speak.
      await using server = await startTlsServer({ isTrusted: true });
      await using gate = await startGate(server.url);
      if (silence === "CONNECT") {
        vi.stubEnv("HTTPS_PROXY", gate.url);
      }
      const base = silence === "CONNECT" ? notOnLoopback : gate.url.replace("http:", "https:");
      const exchange = openExchange(end === "timeout" ? 0.2 : 30);
      const abort = { deadline: new AbortController(), stopping: new AbortController() };
      const signals = { deadline: abort.deadline.signal, stopping: abort.stopping.signal };

      const attempt = exchange(post(`${base}/first`), signals);
      await expect.poll(() => gate.heads).toHaveLength(1);
      abort[end as "deadline"]?.abort();

      expect(await attempt).toEqual({ kind: "unsent", cause: end });
      gate.open();
      await expect.poll(async () => (await exchange(post(`${base}/next`))).kind).toBe("response");
      expect(new Set(server.requests.map(({ path }) => path))).toEqual(new Set(["/next"]));
      expect(getEventListeners(signals.stopping, "abort")).toEqual([]);
    },
  );

  it("has the text and the code of its failure", async () => {
    expect(await exchangeOnce(await refusedUrl())).toMatchObject({
      kind: "unsent",
      cause: "connection",
      codes: ["ECONNREFUSED"],
      text: expect.stringMatching(/./),
    });
  });

  it("has the codes of all addresses that were tried", async () => {
    const url = await refusedUrl();
    resolveTo("127.0.0.1", "127.0.0.2");

    expect(await exchangeOnce(url.replace("127.0.0.1", "tables.example.test"))).toMatchObject({
      kind: "unsent",
      codes: ["ECONNREFUSED", "ECONNREFUSED", "ECONNREFUSED"],
    });
  });
});

describe("A request that was sent", () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n";
  const earlyHint = "HTTP/1.1 103 Early Hints\r\n\r\n";

  it.each<[string, (socket: Socket) => unknown]>([
    ["the service is silent", () => undefined],
    ["only heads arrive", (socket) => socket.write(earlyHint.repeat(99) + head)],
  ])("ends with the timeout when %s", async (_case, respond) => {
    await using server = await startRawServer(respond);

    expect(await openExchange(0.2)(post(server.url))).toMatchObject({
      kind: "noResponse",
      cause: "timeout",
    });
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, (socket: Socket) => unknown]>([
    ["a reset", (socket) => socket.resetAndDestroy()],
    ["an end within the body", (socket) => socket.end(`${head}123`)],
    ["text that is not HTTP", (socket) => socket.end("220 mail.example ESMTP\r\n")],
  ])("is not sent again after %s", async (_case, respond) => {
    await using server = await startRawServer(respond);

    expect(await exchangeOnce(server.url)).toMatchObject({
      kind: "noResponse",
      cause: "connection",
    });
    expect(server.requests).toHaveLength(1);
  });

  it("is not sent again when a connection is reset that served before", async () => {
    await using server = await startRawServer((socket) =>
      server.requests.length === 1 ? socket.write(`${head}0123456789`) : socket.resetAndDestroy(),
    );
    const exchange = openExchange(10);
    await exchange(post(server.url));

    expect(await exchange(post(server.url))).toMatchObject({ kind: "noResponse" });
    expect(server.requests).toHaveLength(2);
  });

  it("ends with the deadline of the operation", async () => {
    await using server = await startRawServer(() => undefined);
    const deadline = new AbortController();

    const attempt = openExchange(30)(post(server.url), { deadline: deadline.signal });
    await expect.poll(() => server.requests).toHaveLength(1);
    deadline.abort();

    expect(await attempt).toEqual({ kind: "noResponse", cause: "deadline" });
  });

  it.each<[string, (socket: Socket) => unknown, object]>([
    ["its response", (socket) => socket.write(`${head}0123456789`), { kind: "response" }],
    ["a reset", (socket) => socket.resetAndDestroy(), { codes: ["ECONNRESET"] }],
  ])("still ends with %s after a stop", async (_case, respond, expected) => {
    const arrived = Promise.withResolvers<Socket>();
    await using server = await startRawServer(arrived.resolve);
    const stopping = new AbortController();

    const attempt = openExchange(30)(post(server.url), { stopping: stopping.signal });
    const socket = await arrived.promise;
    stopping.abort();
    respond(socket);

    expect(await attempt).toMatchObject(expected);
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
});

describe("Retry-After", () => {
  const now = Date.parse("Sun, 06 Nov 1994 08:49:37 GMT");

  it.each([
    ["0", 0],
    ["000", 0],
    ["Sun, 06 Nov 1994 08:00:00 GMT", 0],
    [" 0010 ", 10_000],
    ["Sun, 06 Nov 1994 08:49:47 GMT", 10_000],
  ])("of %j is %d ms", (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });

  it.each([
    ...["", "soon", "-1", "1.5", "1e3", "1994-11-06"],
    ...["Sun, 99 Nov 1994 08:49:37 GMT", "on Sun, 06 Nov 1994 08:49:47 GMT"],
  ])("of %j is ignored", (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined();
  });
});
