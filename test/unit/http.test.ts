import dns from "node:dns";
import { getEventListeners } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openExchange, parseRetryAfter } from "../../src/api/http.ts";
import { Deadline } from "../../src/api/transport.ts";
import { apiKey, someState } from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import {
  refusedUrl,
  startGate,
  startRawServer,
  startServer,
  startTlsServer,
} from "../helpers/http-server.ts";
import { kindOf } from "../helpers/kind-of.ts";
import { startProvider } from "../helpers/provider.ts";

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

describe("an exchange", () => {
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
  ])("uses a connection again within half a second if the service %s", async (_case, headers) => {
    await using server = await startServer({ headers });
    const exchange = openExchange(10);
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const connectionsAfter = async (idleMs: number) => {
      await vi.advanceTimersByTimeAsync(idleMs);
      await exchange(post(server.url));
      return server.connections();
    };

    const burst = [await connectionsAfter(0), await connectionsAfter(0), await connectionsAfter(0)];
    const soon = await connectionsAfter(499);
    const late = await connectionsAfter(500);

    expect([...burst, soon, late]).toEqual([1, 1, 1, 1, 2]);
  });

  it("reads 1 MiB and no more, and goes on after that", async () => {
    const body = "x".repeat(1024 * 1024);
    await using server = await startServer({ body }, { statusCode: 201, body: `${body}x` }, {});
    const exchange = openExchange(10);

    expect(await exchange(post(server.url))).toMatchObject({ kind: "response", body });
    expect(await exchange(post(server.url))).toEqual({
      kind: "unreadable",
      cause: { kind: "tooLong", statusCode: 201 },
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
    "returns the facts of the head, and follows no redirect: %d %j",
    async (statusCode, headers, said) => {
      await using server = await startServer({ statusCode, headers });

      expect(await exchangeOnce(server.url)).toMatchObject({ statusCode, ...said });
      expect(server.requests).toHaveLength(1);
    },
  );

  it("rejects when the call itself is wrong, which is no failure of a connection", async () => {
    const exchange = openExchange(10);

    await expect(exchange({ ...post(await refusedUrl()), body: 1n })).rejects.toThrow(TypeError);
  });
});

describe("a proxy of the environment", () => {
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
    ["that has no host", "badProxy", "gateway:3128"],
    ["that is no URL", "badProxy", "http://user:p%@proxy.example.com"],
    ["that refuses", "connection", undefined],
  ])("%s gets nothing, but for this machine it is not needed", async (_case, kind, url) => {
    await using proxy = await startRawServer((socket) => socket.end("HTTP/1.1 403 No\r\n\r\n"));
    await using server = await startServer({});
    vi.stubEnv("HTTPS_PROXY", url ?? proxy.url);

    expect(await exchangeOnce(notOnLoopback)).toMatchObject({ kind: "unsent", cause: { kind } });
    expect(await exchangeOnce(server.url)).toMatchObject({ kind: "response" });
  });
});

describe("a certificate that is not trusted", () => {
  it.each([
    ["of the service", "127.0.0.1", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["of a host elsewhere", "tables.example.test", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["behind a proxy", "tables.example.test", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["of a proxy", "tables.example.test", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["for another host", "localhost", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])("%s ends it, whatever NODE_TLS_REJECT_UNAUTHORIZED says", async (name, host, code) => {
    await using server = await startTlsServer({ isTrusted: name === "for another host" });
    await using gate = await startGate(server.url);
    gate.open();
    resolveTo("127.0.0.1");
    vi.spyOn(process, "emitWarning").mockReturnValue();
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    if (name.includes("proxy")) {
      vi.stubEnv("HTTPS_PROXY", name === "of a proxy" ? server.url : gate.url);
    }

    expect(await exchangeOnce(server.url.replace("127.0.0.1", host))).toMatchObject({
      kind: "unsent",
      cause: { codes: [code] },
    });
    expect(server.requests).toEqual([]);
  });
});

describe("before a connection is established", () => {
  const ends = ["timeout", "deadline", "stopping"] as const;

  it.each(ends.flatMap((end) => [["TLS", end] as const, ["CONNECT", end] as const]))(
    "a silent %s does not outlast the %s, and the request is not sent afterwards",
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

      expect(await attempt).toEqual({ kind: "unsent", cause: { kind: end } });
      gate.open();
      await expect.poll(async () => (await exchange(post(`${base}/next`))).kind).toBe("response");
      expect(new Set(server.requests.map(({ path }) => path))).toEqual(new Set(["/next"]));
      expect(getEventListeners(signals.stopping, "abort")).toEqual([]);
    },
  );

  it("a failure has a text, and the codes of all addresses that were tried", async () => {
    const url = await refusedUrl();
    const one = await exchangeOnce(url);
    resolveTo("127.0.0.1", "127.0.0.2");
    const all = await exchangeOnce(url.replace("127.0.0.1", "tables.example.test"));

    const text = expect.stringMatching(/./);
    expect([one, all]).toMatchObject([
      { kind: "unsent", cause: { kind: "connection", codes: ["ECONNREFUSED"], text } },
      { kind: "unsent", cause: { codes: Array(3).fill("ECONNREFUSED") } },
    ]);
  });
});

describe("an exchange that breaks after the request was sent", () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n";
  const hint = "HTTP/1.1 103 Early Hints\r\n\r\n";

  it.each<[string, (socket: Socket) => unknown, number?]>([
    ["no response in time", () => undefined],
    ["only a head in time", (socket) => socket.write(hint.repeat(99) + head)],
    ["a reset", (socket) => socket.resetAndDestroy()],
    ["a reset of a connection that served before", (socket) => socket.resetAndDestroy(), 1],
    ["an end within the body", (socket) => socket.end(`${head}123`)],
    ["something else than HTTP", (socket) => socket.end("220 mail.example ESMTP\r\n")],
  ])("may have taken effect: %s", async (name, respond, before = 0) => {
    await using server = await startRawServer((socket) =>
      server.requests.length > before ? respond(socket) : socket.write(`${head}0123456789`),
    );
    const isTimeout = name.includes("in time");
    const exchange = openExchange(isTimeout ? 0.2 : 10);
    for (let count = 0; count < before; count++) {
      await exchange(post(server.url));
    }

    const cause = { kind: isTimeout ? "timeout" : "connection" };
    expect(await exchange(post(server.url))).toMatchObject({ kind: "noResponse", cause });
    expect(server.requests).toHaveLength(before + 1);
  });

  it("is ended by the deadline", async () => {
    await using server = await startRawServer(() => undefined);
    const deadline = new AbortController();

    const attempt = openExchange(30)(post(server.url), { deadline: deadline.signal });
    await expect.poll(() => server.requests).toHaveLength(1);
    deadline.abort();

    expect(await attempt).toEqual({ kind: "noResponse", cause: { kind: "deadline" } });
  });

  it.each<[string, (socket: Socket) => unknown, object]>([
    ["its response", (socket) => socket.write(`${head}0123456789`), { kind: "response" }],
    ["a reset", (socket) => socket.resetAndDestroy(), { cause: { codes: ["ECONNRESET"] } }],
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

describe("the deadline of an operation", () => {
  it("is as long as the program says, even beyond the longest timer of Node.js", () => {
    const timeout = vi.spyOn(AbortSignal, "timeout");

    const short = new Deadline(1.2345);
    const long = new Deadline(3_600_000);

    expect(timeout.mock.calls).toEqual([[1_235], [2 ** 31 - 1]]);
    expect([short.seconds, long.remainingMs > 3_599_000_000]).toEqual([1.2345, true]);
  });

  it("ends a deletion at a silent server", async () => {
    await using server = await startRawServer(() => undefined);
    const run = startProvider({ baseUrl: server.url });
    const state = someState({ baseUrl: server.url });

    const error = await errorOf(run.delete("17", state, { timeoutSeconds: 0.2 }));

    expect(kindOf(error)).toBe("notDeleted");
    expect(error.message).toContain("customTimeouts, 0.2 s");
  });
});

describe("Retry-After", () => {
  const now = Date.parse("Sun, 06 Nov 1994 08:49:37 GMT");

  it.each<[string[], number | undefined]>([
    [["0", "000", "Sun, 06 Nov 1994 08:00:00 GMT"], 0],
    [[" 0010 ", "Sun, 06 Nov 1994 08:49:47 GMT"], 10_000],
    [["", "soon", "-1", "1.5", "1e3", "1994-11-06"], undefined],
    [["Sun, 99 Nov 1994 08:49:37 GMT", "on Sun, 06 Nov 1994 08:49:47 GMT"], undefined],
  ])("%j is %d ms", (values, expected) => {
    expect(values.map((value) => parseRetryAfter(value, now))).toEqual(values.map(() => expected));
  });
});
