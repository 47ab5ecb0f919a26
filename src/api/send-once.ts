// One attempt of an HTTP request, with undici.
import type { Dispatcher } from "undici";
import { startTimeout } from "../common/stall-safe-timer.js";
import { version } from "../common/version.js";
import { openPools } from "./connection-pools.js";
import type { HttpFailure, HttpOutcome, HttpRequest, HttpResponse } from "./http-exchange.js";
import { extentOf } from "./list-completeness.js";
import { parseRetryAfter } from "./retry-after.js";

interface AuthorizedRequest extends HttpRequest {
  readonly apiKey: string;
}

/**
 * Sends one request once, and returns what happened. `stopping` ends the attempt only before the
 * request is sent.
 */
export type SendOnce = (request: HttpRequest, stopping?: AbortSignal) => Promise<HttpOutcome>;

/** The options of an account for one attempt. */
export interface AttemptOptions {
  readonly apiKey: string;
  /** The timeout of one attempt, including the connection. */
  readonly timeoutSeconds: number;
}

/** Opens the connections for attempts. */
export function createSendOnce({ apiKey, timeoutSeconds }: AttemptOptions): SendOnce {
  const timeoutMs = Math.ceil(timeoutSeconds * 1000);
  const { dispatcherFor, proxyVariableFor } = openPools(timeoutMs);

  return async (request, stopping) => {
    const dispatcher = dispatcherFor(request.url);
    if (dispatcher === undefined) {
      return { kind: "unsent", cause: "proxyUrl" };
    }
    const timeout = new AbortController();
    const cancelTimeout = startTimeout(timeoutMs, () => timeout.abort());
    try {
      const authorized = { ...request, apiKey };
      const outcome = await attempt(timeout.signal, dispatcher, authorized, stopping);
      const proxyVariable = proxyVariableFor(request.url);
      return outcome.kind === "response" || proxyVariable === undefined
        ? outcome
        : { ...outcome, proxyVariable };
    } finally {
      cancelTimeout();
    }
  };
}

/** Sends a request, unless a signal aborts before the connection is established. */
async function attempt(
  timeout: AbortSignal,
  agent: Dispatcher,
  request: AuthorizedRequest,
  stopping: AbortSignal | undefined,
): Promise<HttpOutcome> {
  const stop = new AbortController();
  let mayHaveBeenSent = false;
  const watched = agent.compose(
    onConnected(() => {
      mayHaveBeenSent = true;
    }),
  );
  const stopUnlessSent = () => {
    if (!mayHaveBeenSent) {
      stop.abort();
    }
  };
  stopping?.addEventListener("abort", stopUnlessSent);
  try {
    stopping?.throwIfAborted();
    return await dispatch(watched, request, AbortSignal.any([timeout, stop.signal]));
  } catch (error) {
    const kind = mayHaveBeenSent ? "noResponse" : "unsent";
    if (timeout.aborted) {
      return { kind, cause: "timeout" };
    }
    return kind === "unsent" && stopping?.aborted
      ? { kind, cause: "stopping" }
      : failedConnection(kind, error);
  } finally {
    stopping?.removeEventListener("abort", stopUnlessSent);
  }
}

/** Describes a failed connection. Throws an error that is a bug. */
function failedConnection(kind: HttpFailure["kind"], error: unknown): HttpFailure {
  // Before a request is sent, only a proxy can send something else than HTTP. undici gives this
  // error no code.
  const isParserError = error instanceof Error && error.name === "HTTPParserError";
  const codes = [...(kind === "unsent" && isParserError ? [error.name] : []), ...codesOf(error)];
  if (kind === "unsent" && codes.length === 0) {
    throw error;
  }
  // The text of an assertion is source code of undici.
  const hasText = error instanceof Error && !codes.includes("ERR_ASSERTION");
  const text = hasText ? error.message : "";
  // undici has no field for the status of a proxy.
  const [, proxyStatus] = /^Proxy response \((\d{3})\)/.exec(text) ?? [];
  return proxyStatus === undefined
    ? { kind, cause: "connection", codes, text }
    : { kind: "unsent", cause: "proxy", statusCode: Number(proxyStatus), codes, text };
}

/**
 * Calls `listener` when a connection is established, just before undici sends the first byte. It
 * replaces one method of undici's handler, because a handler of its own would have to pass on all of
 * them.
 */
function onConnected(listener: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (next) => (options, handler) => {
    const { onRequestStart } = handler;
    handler.onRequestStart = (controller, context) => {
      onRequestStart?.call(handler, controller, context);
      listener();
    };
    return next(options, handler);
  };
}

async function dispatch(
  agent: Dispatcher,
  { method, url, apiKey, body: json }: AuthorizedRequest,
  signal: AbortSignal,
): Promise<HttpOutcome> {
  const { statusCode, headers, body } = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: {
      accept: "application/json",
      // Without this header a server may choose any coding (RFC 9110, section 12.5.3).
      "accept-encoding": "identity",
      authorization: `Bearer ${apiKey}`,
      "user-agent": `pulumi-dbwebhooks/${version}`,
      // A cache may otherwise respond with a list that it has stored (RFC 9111, section 5.2.1.4;
      // docs/api/README.md#stored-lists).
      ...(method === "GET" ? { "cache-control": "no-cache" } : {}),
      ...(json === undefined ? {} : { "content-type": "application/json" }),
    },
    body: json === undefined ? null : JSON.stringify(json),
    signal,
  });
  return {
    kind: "response",
    statusCode,
    request: { method, url },
    body: await readBody(body),
    retryAfterMs: parseRetryAfter(
      String(headers["retry-after"] ?? ""),
      Date.parse(String(headers.date)) || Date.now(),
    ),
    redirectOrigin: originOf(String(headers.location ?? ""), url),
    extent: extentOf(headers),
  };
}

async function readBody(body: Dispatcher.ResponseData["body"]): Promise<HttpResponse["body"]> {
  try {
    return await body.text();
  } catch (error) {
    if (codesOf(error).includes("UND_ERR_RES_EXCEEDED_MAX_SIZE")) {
      return undefined;
    }
    throw error;
  }
}

/** The origin of a redirect's target; `undefined` if it has none, such as `mailto:`. */
function originOf(location: string, base: URL): string | undefined {
  const target = location === "" ? null : URL.parse(location, base.href);
  return target === null || target.origin === "null" ? undefined : target.origin;
}

/**
 * Returns the code of an error, and one code for each IP address of the host that was tried. If a
 * proxy has a certificate of another name, the code of the error in TLS comes first.
 */
function codesOf(error: unknown): string[] {
  const isOfProxy = error instanceof Error && error.name === "SecureProxyConnectionError";
  const causes = error instanceof AggregateError ? error.errors : [];
  return [...(isOfProxy ? [error.cause] : []), error, ...causes]
    .map((one) => (one as { readonly code?: unknown } | null | undefined)?.code)
    .filter((code) => typeof code === "string");
}
