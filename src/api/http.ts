// Not from "undici": all of it takes twice as long to load, and more than all else of this package.
import connect from "undici/lib/api/api-connect.js";
import request from "undici/lib/api/api-request.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import EnvHttpProxyAgent from "undici/lib/dispatcher/env-http-proxy-agent.js";
import Pool from "undici/lib/dispatcher/pool.js";
import { isLoopback } from "../common/url.js";
import { version } from "../common/version.js";
import type { Exchange, FailureCause, HttpOutcome, HttpRequest } from "./exchange.js";

const maxBodyBytes = 1024 * 1024;

// undici does so itself when all of it is loaded. Agents of proxies call `connect`.
Object.assign(Dispatcher.prototype, { connect, request });

/**
 * Opens the agent that keeps connections alive and respects proxy variables.
 *
 * @param timeoutSeconds Limit of one attempt, from its first moment on.
 * @param maxConnections Limit for each host. Default: none.
 */
export async function openExchange(
  timeoutSeconds: number,
  maxConnections: number | null = null,
): Promise<Exchange> {
  const timeoutMs = Math.ceil(timeoutSeconds * 1000);
  // Whatever NODE_TLS_REJECT_UNAUTHORIZED says: the API key goes to a host that has proved its name.
  const tls = { rejectUnauthorized: true };
  const options = {
    connect: { timeout: timeoutMs, ...tls },
    // A connection is free only a moment after its answer; without a limit a new one is opened then.
    connections: maxConnections,
    // One limit holds for the whole attempt, so undici's own limits for its parts are off.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxBodyBytes,
    // Over HTTP/2 undici sends a refused request again by itself.
    allowH2: false,
    // The environment can switch this experimental parser on, and the plugin does not contain it.
    useMilo: false,
  };
  const direct = new Agent(options);
  const proxied = openProxyAgent({
    ...options,
    // `connect` does not reach the connections to a proxy and through it.
    connectTimeout: timeoutMs,
    proxyTls: tls,
    requestTls: tls,
    clientFactory: (origin, proxyOptions) =>
      // The limit of an attempt ends the attempt; this one ends what a silent proxy holds open.
      new Pool(origin, { ...proxyOptions, headersTimeout: timeoutMs }),
  } as EnvHttpProxyAgent.Options);
  return async (request, limit, stopping) => {
    // A proxy's loopback is not ours: the key must not travel there.
    const agent = isLoopback(request.url.hostname) ? direct : proxied;
    if (agent === undefined) {
      return { kind: "unsent", cause: { kind: "badProxy" } };
    }
    const leftMs = limit?.remainingMs ?? Number.POSITIVE_INFINITY;
    const ms = Math.min(timeoutMs, leftMs);
    const of = leftMs < timeoutMs ? "operation" : "attempt";
    return exchangeOnce(agent, request, { kind: "limit", limit: of, ms }, stopping);
  };
}

/** What undici says of a proxy's address may hold its password. */
function openProxyAgent(options: EnvHttpProxyAgent.Options): Dispatcher | undefined {
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    return undefined;
  }
}

async function exchangeOnce(
  agent: Dispatcher,
  request: HttpRequest,
  limit: Extract<FailureCause, { kind: "limit" }>,
  stopping: AbortSignal | undefined,
): Promise<HttpOutcome | undefined> {
  let isSent = false;
  const noteStart = noteRequestStart(() => {
    isSent = true;
  });
  const end = new AbortController();
  // Before a connection is established, undici only remembers that its signal has aborted. It looks at
  // it before it sends anything. So what was given up is not sent, and nothing here waits for it.
  const ended = Promise.withResolvers<never>();
  const giveUp = () => {
    end.abort();
    ended.reject(end.signal.reason);
  };
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    giveUp();
  }, limit.ms);
  const stopUnlessSent = () => {
    if (!isSent) {
      giveUp();
    }
  };
  stopping?.addEventListener("abort", stopUnlessSent);
  try {
    return await Promise.race([send(agent.compose(noteStart), request, end.signal), ended.promise]);
  } catch (error) {
    const kind = isSent ? "unanswered" : "unsent";
    if (isTimedOut) {
      return { kind, cause: limit };
    }
    if (end.signal.aborted) {
      return undefined;
    }
    const codes = codesOf(error);
    if (!isSent && codes.length === 0) {
      // Not of a connection: the call itself is wrong.
      throw error;
    }
    const text = error instanceof Error ? error.message : "";
    return { kind, cause: { kind: "connection", codes, text } };
  } finally {
    clearTimeout(timer);
    stopping?.removeEventListener("abort", stopUnlessSent);
  }
}

async function send(
  agent: Dispatcher,
  { method, url, apiKey, body: json }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpOutcome> {
  const { statusCode, headers, body } = await agent.request({
    origin: url.origin,
    path: url.pathname,
    method,
    headers: {
      accept: "application/json",
      // Without it any coding is allowed (RFC 9110, section 12.5.3), and none is undone here.
      "accept-encoding": "identity",
      authorization: `Bearer ${apiKey}`,
      "user-agent": `pulumi-dbwebhooks/${version}`,
      ...(json === undefined ? {} : { "content-type": "application/json" }),
    },
    body: json === undefined ? null : JSON.stringify(json),
    signal,
  });
  const text = await body.text().catch((error: unknown) => {
    if (codesOf(error).includes("UND_ERR_RES_EXCEEDED_MAX_SIZE")) {
      return undefined;
    }
    throw error;
  });
  if (text === undefined) {
    return { kind: "unreadable", cause: { kind: "tooLong", statusCode } };
  }
  return {
    kind: "response",
    statusCode,
    body: text,
    retryAfterMs: parseRetryAfter(String(headers["retry-after"] ?? ""), Date.now()),
    redirectOrigin: headers.location && URL.parse(String(headers.location), url.href)?.origin,
    isPart: statusCode === 206 || headers.link !== undefined,
  };
}

/** Calls back just before the first byte of a request goes to an established connection. */
function noteRequestStart(onStart: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        handler.onRequestStart?.(controller, context);
        onStart();
      },
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}

/** The codes of an error, and of those of each address that was tried for a name. */
function codesOf(error: unknown): string[] {
  const { errors = [] } = (error ?? {}) as { readonly errors?: readonly unknown[] };
  return [error, ...errors]
    .map((one) => (one as { readonly code?: unknown } | null | undefined)?.code)
    .filter((code) => typeof code === "string");
}

/** Milliseconds to wait by a `Retry-After` header, or nothing where it is absent or malformed. */
export function parseRetryAfter(value: string, now: number): number | undefined {
  if (/^\d+$/.test(value.trim())) {
    return Number(value) * 1000;
  }
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} /.test(value);
  const date = isDate ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
