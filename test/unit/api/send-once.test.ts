import dns from "node:dns";
import { createRequire } from "node:module";
import net, { type Socket } from "node:net";
import tls from "node:tls";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createSendOnce } from "../../../src/api/send-once.ts";
import { apiKey } from "../../helpers/builders.ts";
import {
  refusedUrl,
  type StubResponse,
  startProxy,
  startRawServer,
  startServer,
  startTlsServer,
} from "../../helpers/http-server.ts";

beforeEach(() => {
  // The proxy of this machine must not affect the tests.
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toLowerCase(), undefined);
  }
});

afterEach(() => void vi.restoreAllMocks());

const post = (url: string) => ({ method: "POST" as const, url: new URL(url), body: ["ä"] });
const senderWith = (timeoutSeconds: number) => createSendOnce({ apiKey, timeoutSeconds });
const sendOnce = (url: string) => senderWith(10)(post(url));
const remoteUrl = "https://tables.example.test";
/** The clock of the timeouts of connections. */
const clockOfUndici = createRequire(__filename)("undici/lib/util/timers.js");

/** Resolves every host name to these addresses. */
function resolveTo(...addresses: readonly string[]): void {
  const found = addresses.map((address) => ({ address, family: 4 }));
  const lookup = (_host: string, _options: object, done: (...result: unknown[]) => void) =>
    done(null, found);
  vi.spyOn(dns, "lookup").mockImplementation(lookup as never);
}

describe("The HTTP sender", () => {
  it("sends the request as it is, and returns the status code and the text without a byte order mark", async () => {
    await using server = await startServer({ statusCode: 418, body: "\ufeffTeekanne ☕" });

    const outcome = await sendOnce(`${server.url}/a%2Fb/c?page=2`);

    expect(outcome).toMatchObject({ kind: "response", statusCode: 418, body: "Teekanne ☕" });
    expect(server.requests).toMatchObject([
      { method: "POST", path: "/a%2Fb/c?page=2", body: '["ä"]' },
    ]);
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      accept: "application/json",
      "accept-encoding": "identity",
      "content-type": "application/json",
      "content-length": "6",
      "user-agent": expect.stringMatching(/^pulumi-dbwebhooks\/\d+\.\d+\.\d+/),
    });
  });

  it("names no content type without a body", async () => {
    await using server = await startServer();

    await senderWith(10)({ method: "DELETE", url: new URL(server.url) });

    expect(server.requests).toMatchObject([{ method: "DELETE", body: "" }]);
    expect(server.requests[0]?.headers).not.toHaveProperty("content-type");
  });

  it("asks caches for no stored list", async () => {
    await using server = await startServer();
    const send = senderWith(10);

    await send({ method: "GET", url: new URL(server.url) });
    await send(post(server.url));

    const directives = server.requests.map(({ headers }) => headers["cache-control"]);
    expect(directives).toEqual(["no-cache", undefined]);
  });

  it("reads a body of 1 MiB and no more, and can send the next request", async () => {
    const body = "x".repeat(1024 * 1024);
    await using server = await startServer({ body }, { statusCode: 201, body: `${body}x` }, {});
    const send = senderWith(10);

    const full = await send(post(server.url));
    const tooLong = await send(post(server.url));
    const next = await send(post(server.url));

    expect(full).toMatchObject({ kind: "response", body });
    expect(tooLong).toMatchObject({ statusCode: 201, body: undefined });
    expect(next).toMatchObject({ kind: "response", body: "" });
  });

  it("reads headers of 60 KiB, directly and through a proxy", async () => {
    const headers = { "x-policy": "x".repeat(60 * 1024) };
    await using server = await startTlsServer({ isTrusted: true }, { headers, body: "read" });
    await using proxy = await startProxy(server.url);
    proxy.open();
    vi.stubEnv("HTTPS_PROXY", proxy.url);

    for (const url of [server.url, remoteUrl]) {
      expect(await sendOnce(url)).toMatchObject({ body: "read" });
    }
    expect(proxy.heads).toHaveLength(1);
  });

  const redirectTo = (location: string) => ({ statusCode: 307, headers: { location } });
  const nothing = {
    retryAfterMs: undefined,
    redirectOrigin: undefined,
    extent: { isStored: false, mayBePartial: false, totalCounts: [] },
  };
  const partial = { extent: { isStored: false, mayBePartial: true } };
  const stored = { extent: { isStored: true, mayBePartial: false } };
  const cacheStatus = (...values: readonly string[]) => ({
    headers: { "cache-status": [...values] },
  });
  const sameOrigin = { redirectOrigin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) };
  const otherOrigin = { redirectOrigin: "https://a.b" };

  it.each<[string, StubResponse, expected: object]>([
    ["no header", {}, nothing],
    ["a Retry-After header", { headers: { "retry-after": "7" } }, { retryAfterMs: 7_000 }],
    [
      "a Retry-After header with a date, by the clock of the service",
      {
        headers: {
          date: "Sun, 06 Nov 1994 08:49:37 GMT",
          "retry-after": "Sun, 06 Nov 1994 08:49:39 GMT",
        },
      },
      { retryAfterMs: 2_000 },
    ],
    ["a Link header", { headers: { link: "<a>" } }, partial],
    ["a Content-Range header", { headers: { "content-range": "webhooks 0-24/25" } }, partial],
    ["a next page", { headers: { "x-next-page": "2" } }, partial],
    ["a next page in another header", { headers: { "next-page": "2" } }, partial],
    [
      "no next page after the last one",
      { headers: { "x-next-page": "", "next-page": "" } },
      nothing,
    ],
    ["the age of a stored response", { headers: { age: "59" } }, stored],
    ["several ages, as from two caches", { headers: { age: ["0", "59"] } }, stored],
    ["several ages in one header", { headers: { age: "0, 59" } }, stored],
    [
      "an age of 0 and no next page, twice",
      { headers: { age: ["0", "0"], "next-page": ["", ""] } },
      nothing,
    ],
    ["an age of 0", { headers: { age: "0" } }, nothing],
    ["a hit of a cache", cacheStatus("Cdn; hit"), stored],
    ["a hit with other parameters", cacheStatus('"A, b"; fwd=miss, Cdn;ttl=30;hit=?1;x=1'), stored],
    ["a hit of the first of two caches", cacheStatus("Origin;hit, Cdn; fwd=uri-miss"), stored],
    ["a hit of a cache in a second line", cacheStatus("Cdn; fwd=stale", "Edge; hit"), stored],
    ["no hit of a cache", cacheStatus("Cdn; hit=?0"), nothing],
    ["a miss of a cache", cacheStatus("Cdn; fwd=miss; stored; fwd-status=304"), nothing],
    ["a cache that is named hit", cacheStatus("hit, hit; fwd=uri-miss, hit"), nothing],
    ["a cache with hit in its name or text", cacheStatus('"a; hit"; detail="\\"; hit"'), nothing],
    ["a parameter that only begins with hit", cacheStatus("Cdn; hits; detail=hit; hit-x"), nothing],
    ["a total", { headers: { "x-total-count": "7" } }, { extent: { totalCounts: ["7"] } }],
    [
      "one total twice",
      { headers: { "x-total-count": ["7 ", "7"] } },
      { extent: { totalCounts: ["7"] } },
    ],
    [
      "two totals",
      { headers: { "x-total-count": ["7", "9"] } },
      { extent: { totalCounts: ["7", "9"] } },
    ],
    ["a redirect to a URL", redirectTo("https://a.b/c?d"), otherOrigin],
    ["a redirect to a path", redirectTo("/a"), sameOrigin],
    ["a redirect to an invalid URL", redirectTo("http://["), nothing],
    ["a redirect to a URL without a host", redirectTo("mailto:a"), nothing],
  ])("reads a response with %s, and follows no redirect", async (_case, response, expected) => {
    await using server = await startServer(response);

    expect(await sendOnce(server.url)).toMatchObject(expected);
    expect(server.requests).toHaveLength(1);
  });

  it("rejects when the request cannot be written as JSON", async () => {
    const request = { ...post(refusedUrl), body: 1n };

    await expect(senderWith(10)(request)).rejects.toThrow(TypeError);
  });
});

// Without this header Node.js would announce a timeout of its own.
const noTimeout = { connection: "keep-alive" };
const anHour = { ...noTimeout, "keep-alive": "timeout=3600" };

it.each<[string, headers: Record<string, string>, isProxied: boolean]>([
  ["the service announces no timeout", noTimeout, false],
  ["the service announces a timeout of an hour", anHour, false],
  ["a proxy connects it to the service", anHour, true],
])("An idle connection is reused for half a second when %s", async (_case, headers, isProxied) => {
  await using server = await startTlsServer({ isTrusted: true }, { headers });
  await using proxy = await startProxy(server.url);
  proxy.open();
  vi.stubEnv("HTTPS_PROXY", proxy.url);
  const sender = senderWith(10);
  const send = () => sender(post(isProxied ? remoteUrl : server.url));
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

  await send();
  await vi.advanceTimersByTimeAsync(499);
  await send();
  const connectionsAfter499Ms = server.connections();
  await vi.advanceTimersByTimeAsync(500);
  await send();

  expect(connectionsAfter499Ms).toBe(1);
  expect(server.connections()).toBe(2);
  expect(proxy.heads).toHaveLength(isProxied ? 2 : 0);
});

const hosts = ["127.0.0.1", "localhost", "other.example.test"];
it.each(hosts)("A proxy is not used for a loopback host or one in NO_PROXY: %s", async (host) => {
  await using server = await startServer({ body: "direct" });
  vi.stubEnv("HTTP_PROXY", refusedUrl);
  vi.stubEnv("NO_PROXY", "other.example.test");
  resolveTo("127.0.0.1");

  const outcome = await sendOnce(server.url.replace("127.0.0.1", host));

  expect(outcome).toMatchObject({ body: "direct" });
});

it.each([
  "http://user:password@proxy:99999",
  "proxy.example.test:3128",
  "user:password@proxy.example.test:3128",
  "127.0.0.1:3128",
  "socks4://127.0.0.1:1080",
  "socks5://127.0.0.1:1080",
  " SOCKS://127.0.0.1:1080",
])("A proxy whose URL is not that of an HTTP proxy prevents a request: %s", async (url) => {
  const warn = vi.spyOn(process, "emitWarning");
  vi.stubEnv("HTTPS_PROXY", url);

  expect(await sendOnce(remoteUrl)).toEqual({ kind: "unsent", cause: "proxyUrl" });
  expect(warn).not.toHaveBeenCalled();
});

it.each([
  { used: "https_proxy", unused: "HTTPS_PROXY" },
  { used: "HTTPS_PROXY", unused: "http_proxy" },
  // undici takes a variable in lower case first, even an empty one.
  { used: "HTTP_PROXY", unused: "HTTPS_PROXY", empty: "https_proxy" },
])("A SOCKS proxy in $unused does not count beside $used and empty $empty", async (row) => {
  const { used, unused, empty = used } = row;
  await using server = await startTlsServer({ isTrusted: true }, { body: "through the proxy" });
  await using proxy = await startProxy(server.url);
  proxy.open();
  vi.stubEnv(empty, "");
  vi.stubEnv(used, proxy.url);
  vi.stubEnv(unused, "socks5://127.0.0.1:1080");

  expect(await sendOnce(remoteUrl)).toMatchObject({ body: "through the proxy" });
});

it.each<[variable: string | undefined, environment: Record<string, string>, url?: string]>([
  ["HTTPS_PROXY", { HTTPS_PROXY: refusedUrl, HTTP_PROXY: "http://192.0.2.1" }],
  ["https_proxy", { https_proxy: refusedUrl, HTTPS_PROXY: "http://192.0.2.1" }],
  ["HTTP_PROXY", { https_proxy: "", HTTPS_PROXY: "http://192.0.2.1", HTTP_PROXY: refusedUrl }],
  ["http_proxy", { http_proxy: refusedUrl }, `${remoteUrl}:8443`],
  [undefined, {}],
  [undefined, { HTTPS_PROXY: refusedUrl, NO_PROXY: "a.test,.example.test" }],
  [undefined, { HTTPS_PROXY: refusedUrl }, refusedUrl.replace("http:", "https:")],
  [undefined, { HTTPS_PROXY: refusedUrl }, refusedUrl.replace("127.0.0.1", "a.example.test")],
])(
  "A failed connection names the variable of its proxy: %s, with %j",
  async (variable, environment, url = `${remoteUrl}:1`) => {
    for (const [name, value] of Object.entries(environment)) {
      vi.stubEnv(name, value);
    }
    resolveTo("127.0.0.1");

    const outcome = await sendOnce(url);

    expect(outcome).toMatchObject({ kind: "unsent", cause: "connection" });
    expect("proxyVariable" in outcome ? outcome.proxyVariable : undefined).toBe(variable);
  },
);

describe("What speaks no HTTP", () => {
  const banner = "SSH-2.0-OpenSSH_9.6\r\n";

  it("as a proxy prevents a request", async () => {
    await using proxy = await startRawServer((socket) => socket.end(banner));
    vi.stubEnv("HTTPS_PROXY", proxy.url);

    const outcome = await sendOnce(remoteUrl);

    expect(outcome).toMatchObject({ kind: "unsent", codes: ["HTTPParserError"] });
    expect(proxy.requests).toHaveLength(1);
  });

  it("in place of the service may have got the request", async () => {
    await using server = await startRawServer((socket) => socket.end(banner));

    expect(await sendOnce(server.url)).toMatchObject({ kind: "noResponse", codes: [] });
  });
});

it.each([403, 407])(
  "A proxy prevents a request if it responds to CONNECT with %s",
  async (statusCode) => {
    const policy = "x".repeat(60 * 1024);
    const head = `HTTP/1.1 ${statusCode} No\r\nx-policy: ${policy}\r\ncontent-length: 0\r\n\r\n`;
    await using proxy = await startRawServer((socket) => socket.end(head));
    vi.stubEnv("HTTPS_PROXY", proxy.url);

    const outcome = await sendOnce(remoteUrl);

    const text = expect.stringContaining(String(statusCode));
    const unsent = { kind: "unsent", cause: "proxy", text, statusCode };
    expect(outcome).toMatchObject(unsent);
    expect(proxy.requests).toHaveLength(1);
  },
);

it("A port without TLS prevents a request with https, with a code of its own", async () => {
  await using server = await startServer();
  resolveTo("127.0.0.1");

  const outcome = await sendOnce(
    server.url.replace("http://127.0.0.1", "https://plain.example.test"),
  );

  expect(outcome).toMatchObject({ kind: "unsent", codes: ["ERR_SSL_WRONG_VERSION_NUMBER"] });
});

describe("A certificate that is not trusted", () => {
  const untrusted = { kind: "unsent", codes: ["DEPTH_ZERO_SELF_SIGNED_CERT"] };

  beforeEach(() => {
    resolveTo("127.0.0.1");
    vi.spyOn(process, "emitWarning").mockReturnValue();
    // Users may have set it for other programs.
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  });

  it.each(["127.0.0.1", "tables.example.test"])("ends a request to %s unsent", async (host) => {
    await using server = await startTlsServer({ isTrusted: false });

    expect(await sendOnce(server.url.replace("127.0.0.1", host))).toMatchObject(untrusted);
    expect(server.requests).toEqual([]);
  });

  it("ends a request unsent when the proxy, or the service behind a proxy, presents it", async () => {
    await using server = await startTlsServer({ isTrusted: false });
    await using proxy = await startProxy(server.url);
    proxy.open();

    // Node.js 26 refuses an IP address as the TLS server name of a proxy.
    for (const proxyUrl of [server.url.replace("127.0.0.1", "localhost"), proxy.url]) {
      vi.stubEnv("HTTPS_PROXY", proxyUrl);
      expect(await sendOnce(remoteUrl)).toMatchObject(untrusted);
    }
    expect(proxy.heads).toHaveLength(1);
    expect(server.requests).toEqual([]);
  });
});

it("A proxy whose certificate has another name prevents a request, with the code of TLS first", async () => {
  await using proxy = await startTlsServer({ isTrusted: true });
  vi.stubEnv("HTTPS_PROXY", proxy.url.replace("127.0.0.1", "proxy.example.test"));
  resolveTo("127.0.0.1");

  const outcome = await sendOnce(remoteUrl);

  const codes = ["ERR_TLS_CERT_ALTNAME_INVALID", "UND_ERR_PRX_TLS"];
  expect(outcome).toMatchObject({ kind: "unsent", codes });
});

it.each([
  { timeoutSeconds: 2, addressMs: 250 },
  { timeoutSeconds: 12, addressMs: 1_000 },
  { timeoutSeconds: 12.01, addressMs: 1_001 },
  { timeoutSeconds: 300, addressMs: 2_500 },
])(
  "Each address of the service or a proxy gets $addressMs ms of a timeout of $timeoutSeconds s",
  async ({ timeoutSeconds, addressMs }) => {
    await using server = await startTlsServer({ isTrusted: true });
    const plain = vi.spyOn(net, "connect");
    const encrypted = vi.spyOn(tls, "connect");
    const send = () => senderWith(timeoutSeconds)(post(remoteUrl));
    resolveTo("127.0.0.1");

    await senderWith(timeoutSeconds)(post(server.url));
    for (const proxyUrl of [server.url.replace("127.0.0.1", "tables.example.test"), refusedUrl]) {
      vi.stubEnv("HTTPS_PROXY", proxyUrl);
      await send();
    }

    // The service, a proxy with TLS, the service through that proxy, and a proxy without TLS.
    const options = [...encrypted.mock.calls, ...plain.mock.calls].map(([given]) => given);
    const expected = { autoSelectFamilyAttemptTimeout: addressMs };
    expect(options).toMatchObject([expected, expected, expected, expected]);
  },
);

describe("A connection that is not established", () => {
  it.each<[to: string, cause: string, timeoutSeconds: number, getStopping?: () => AbortSignal]>([
    ["the service", "timeout", 0.2],
    ["a proxy", "timeout", 0.2],
    ["the service", "stopping", 30, () => AbortSignal.timeout(200)],
    ["a proxy", "stopping", 30, () => AbortSignal.timeout(200)],
  ])(
    "to %s ends with cause %s and sends nothing later",
    async (to, cause, seconds, getStopping) => {
      await using server = await startTlsServer({ isTrusted: true });
      // In place of the service or as a proxy, it accepts connections but is silent until `open`.
      await using proxy = await startProxy(server.url);
      vi.stubEnv("HTTPS_PROXY", proxy.url);
      const baseUrl = to === "a proxy" ? remoteUrl : proxy.url.replace("http:", "https:");
      const sender = senderWith(seconds);
      const send = (path: string, stopping?: AbortSignal) => sender(post(baseUrl + path), stopping);

      const outcome = await send("/first", getStopping?.());

      expect(outcome).toMatchObject({ kind: "unsent", cause });
      await expect.poll(() => proxy.heads).toHaveLength(1);
      proxy.open();
      // A first request that was sent late would arrive before the next one.
      await expect.poll(async () => (await send("/next")).kind).toBe("response");
      expect(server.requests.map(({ path }) => path)).not.toContain("/first");
    },
  );

  it.each(["the service", "a proxy"])(
    "to %s is awaited for more than 10 s if timeoutSeconds is longer",
    async (to) => {
      await using server = await startTlsServer({ isTrusted: true });
      await using proxy = await startProxy(server.url);
      // As the service or as a proxy with TLS, it completes no handshake until `open`.
      const silentUrl = proxy.url.replace("http:", "https:");
      vi.stubEnv("HTTPS_PROXY", silentUrl.replace("https://127.0.0.1", remoteUrl));
      resolveTo("127.0.0.1");

      const attempt = senderWith(30)(post(to === "a proxy" ? remoteUrl : silentUrl));
      await expect.poll(() => proxy.heads).toHaveLength(1);
      // The first tick starts the timeout of the connection.
      clockOfUndici.tick();
      clockOfUndici.tick(15_000);
      await new Promise(setImmediate);
      proxy.open();

      expect(await attempt).toMatchObject({ kind: "response" });
    },
  );

  it("is not opened when Pulumi is already stopping", async () => {
    await using server = await startServer();

    const outcome = await senderWith(10)(post(server.url), AbortSignal.abort());

    expect(outcome).toEqual({ kind: "unsent", cause: "stopping" });
    // A connection that was opened late would arrive before the one of another sender.
    await sendOnce(server.url);
    expect(server.connections()).toBe(1);
  });

  it("reports the codes of all addresses that were tried", async () => {
    const url = refusedUrl;
    resolveTo("127.0.0.1", "127.0.0.2");

    const outcome = await sendOnce(url.replace("127.0.0.1", "tables.example.test"));

    // The code of the AggregateError, which has no text, and that of each address.
    const codes = ["ECONNREFUSED", "ECONNREFUSED", "ECONNREFUSED"];
    expect(outcome).toEqual({ kind: "unsent", cause: "connection", codes, text: "" });
  });
});

describe("A request that was sent", () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n";

  it("ends with the timeout when the body is missing, even after the headers", async () => {
    await using server = await startRawServer((socket) => socket.write(head));

    const outcome = await senderWith(1)(post(server.url));

    expect(outcome).toEqual({ kind: "noResponse", cause: "timeout" });
    expect(server.requests).toHaveLength(1);
  });

  it("is awaited for more than 300 s if timeoutSeconds is longer", async () => {
    const arrived = Promise.withResolvers<Socket>();
    await using server = await startRawServer(arrived.resolve);

    const attempt = senderWith(600)(post(server.url));
    const socket = await arrived.promise;
    for (const part of [head, "0123456789"]) {
      // The first tick starts the timeouts of undici, for the headers and for the body.
      clockOfUndici.tick();
      clockOfUndici.tick(301_000);
      await new Promise(setImmediate);
      socket.write(part);
      await new Promise(setImmediate);
    }

    expect(await attempt).toMatchObject({ kind: "response", body: "0123456789" });
  });

  it.each<[string, (socket: Socket) => unknown]>([
    ["a reset", (socket) => socket.resetAndDestroy()],
    ["an end within the body", (socket) => socket.end(`${head}123`)],
  ])("is not retried after %s, even on a connection that was used before", async (_end, end) => {
    const usedBefore = new Set<Socket>();
    await using server = await startRawServer((socket) => {
      if (usedBefore.has(socket)) {
        end(socket);
      } else {
        socket.write(`${head}0123456789`);
      }
      usedBefore.add(socket);
    });
    const send = senderWith(10);
    await send(post(server.url));
    // undici frees the connection only after the response.
    await new Promise(setImmediate);

    const outcome = await send(post(server.url));

    expect(outcome).toMatchObject({ kind: "noResponse", cause: "connection" });
    expect(server.requests).toHaveLength(2);
  });

  it.each(["000", "099"])(
    "ends without a text after status %s, about which undici repeats its source code",
    async (status) => {
      const response = `HTTP/1.1 ${status} Odd\r\ncontent-length: 0\r\n\r\n`;
      await using server = await startRawServer((socket) => socket.end(response));

      const outcome = await sendOnce(server.url);

      const codes = ["ERR_ASSERTION"];
      expect(outcome).toEqual({ kind: "noResponse", cause: "connection", codes, text: "" });
    },
  );

  const reset = { kind: "noResponse", cause: "connection", codes: ["ECONNRESET"] };
  it.each<[string, respond: (socket: Socket) => unknown, expected: object]>([
    ["its response", (socket) => socket.write(`${head}0123456789`), { kind: "response" }],
    ["a reset", (socket) => socket.resetAndDestroy(), reset],
  ])("still ends with %s after Pulumi stops", async (_case, respond, expected) => {
    const arrived = Promise.withResolvers<Socket>();
    await using server = await startRawServer(arrived.resolve);
    const stopping = new AbortController();

    const attempt = senderWith(30)(post(server.url), stopping.signal);
    const socket = await arrived.promise;
    stopping.abort();
    respond(socket);

    expect(await attempt).toMatchObject(expected);
  });
});
