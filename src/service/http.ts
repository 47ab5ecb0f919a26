// Not from "undici": all of it takes twice as long to load, and more than all else of this package.
import connect from "undici/lib/api/api-connect.js";
import request from "undici/lib/api/api-request.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import EnvHttpProxyAgent from "undici/lib/dispatcher/env-http-proxy-agent.js";
import { isLoopback } from "../common/url.js";
import { version } from "../common/version.js";
import { causeText, isConnectionError, whenItPasses } from "./connection-errors.js";
import { WebhookError } from "./errors.js";
import { hasNextPage, originOfRedirect, parseRetryAfter } from "./response-headers.js";
import type { TimeLimit } from "./time-limit.js";

const maxBodyBytes = 1024 * 1024;

// undici does so itself when all of it is loaded. Agents of proxies call `connect`.
Object.assign(Dispatcher.prototype, { connect, request });

/** One request, as the API's client makes it. */
export interface HttpRequest {
  readonly method: "POST" | "DELETE" | "GET";
  readonly url: URL;
  readonly apiKey: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** A complete answer. */
export interface HttpResponse {
  readonly kind: "response";
  readonly statusCode: number;
  readonly body: string;
  /** Milliseconds that the service asked to wait (RFC 9110, section 10.2.3). */
  readonly retryAfterMs?: number;
  /** Origin that a redirect points to. */
  readonly redirectOrigin?: string;
  /** Whether it says that it is only a part (RFC 8288, section 3.3; RFC 9110, section 15.3.7). */
  readonly isPart?: boolean;
}

/** No complete answer. */
export interface HttpFailure {
  /**
   * `unsent`: it is certain that the service has not seen the request. `unanswered`: the service may
   * have acted on it. `unreadable`: it answered, with more than 1 MiB.
   */
  readonly kind: "unsent" | "unanswered" | "unreadable";
  /**
   * Whether another attempt can help, where that is known: not at all (`never`: the host does not
   * exist, its certificate is not trusted), or soon (`soon`: nothing listens there).
   */
  readonly passes?: "never" | "soon";
  /** What happened, such as `could not connect (ECONNREFUSED)`. */
  readonly reason: string;
}

/** How an attempt to exchange one request for an answer ended. */
export type HttpOutcome = HttpResponse | HttpFailure;

/**
 * Exchanges one request for an answer, without ever trying again.
 *
 * @returns `undefined` when `stopping` aborts before the request is sent: then it is not sent.
 */
export type Exchange = (
  request: HttpRequest,
  limit?: TimeLimit,
  stopping?: AbortSignal,
) => Promise<HttpOutcome | undefined>;

/**
 * Opens the agent that keeps connections alive and respects proxy variables.
 *
 * @param maxConnections Limit for each host. Default: none.
 * @param timeoutName What messages call the time limit.
 */
export async function openExchange(
  timeoutSeconds: number,
  maxConnections: number | null = null,
  timeoutName = "dbwebhooks:timeoutSeconds",
): Promise<Exchange> {
  const timeoutMs = Math.ceil(timeoutSeconds * 1000);
  const options = {
    connect: { timeout: timeoutMs },
    // A connection is free only a moment after its answer; without a limit a new one is opened then.
    connections: maxConnections,
    // One limit holds for the whole attempt, so undici's own limits for its parts are off.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Over HTTP/2 undici sends a refused request again by itself.
    allowH2: false,
    // The environment can switch this experimental parser on, and the plugin does not contain it.
    useMilo: false,
  };
  const direct = new Agent(options);
  const proxied = openProxyAgent(options);
  return (request, limit, stopping) => {
    // A proxy's loopback is not ours: the key must not travel there.
    const agent = isLoopback(request.url.hostname) ? direct : proxied;
    return limit === undefined || limit.remainingMs > timeoutMs
      ? exchangeOnce(agent, request, timeoutMs, timeoutName, stopping)
      : exchangeOnce(agent, request, limit.remainingMs, limit.name, stopping);
  };
}

function openProxyAgent(options: EnvHttpProxyAgent.Options): Dispatcher {
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    // What undici says of a proxy's address may hold its password.
    throw new WebhookError(
      'No request can be sent: HTTPS_PROXY or HTTP_PROXY holds no usable URL, such as "http://proxy.example.com:3128". Nothing was sent.',
    );
  }
}

async function exchangeOnce(
  agent: Dispatcher,
  request: HttpRequest,
  timeoutMs: number,
  limitName: string,
  stopping: AbortSignal | undefined,
): Promise<HttpOutcome | undefined> {
  const timeout = AbortSignal.timeout(timeoutMs);
  let isSent = false;
  const noteStart = noteRequestStart(() => {
    isSent = true;
  });
  // Undici looks at the signal when the connection stands, before it sends anything.
  const stop = new AbortController();
  const stopped = Promise.withResolvers<never>();
  const stopUnlessSent = () => {
    if (!isSent) {
      stop.abort();
      stopped.reject(stop.signal.reason);
    }
  };
  stopping?.addEventListener("abort", stopUnlessSent);
  try {
    const answered = agent.compose(noteStart).request({
      origin: request.url.origin,
      path: request.url.pathname,
      method: request.method,
      headers: {
        accept: "application/json",
        // Without it any coding is allowed (RFC 9110, section 12.5.3), and none is undone here.
        "accept-encoding": "identity",
        authorization: `Bearer ${request.apiKey}`,
        "user-agent": `pulumi-dbwebhooks/${version}`,
        ...(request.body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal: AbortSignal.any([timeout, stop.signal]),
    });
    const { statusCode, headers, body } = await Promise.race([answered, stopped.promise]);
    const text = await readText(body);
    if (text === undefined) {
      return { kind: "unreadable", reason: `answered ${statusCode} with more than 1 MiB` };
    }
    const retryAfterMs = parseRetryAfter(String(headers["retry-after"] ?? ""), Date.now());
    const redirectOrigin = originOfRedirect(headers.location, request.url);
    return {
      kind: "response",
      statusCode,
      body: text,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(redirectOrigin === undefined ? {} : { redirectOrigin }),
      ...(statusCode === 206 || hasNextPage(headers.link) ? { isPart: true } : {}),
    };
  } catch (error) {
    if (stop.signal.aborted) {
      return undefined;
    }
    if (timeout.aborted) {
      const limit = `${timeoutMs / 1000} s (${limitName})`;
      return isSent
        ? { kind: "unanswered", reason: `gave no complete answer within ${limit}` }
        : { kind: "unsent", reason: `could not be reached within ${limit}` };
    }
    if (!isSent && !isConnectionError(error)) {
      throw error;
    }
    return isSent
      ? {
          kind: "unanswered",
          reason: `broke the connection before its answer was complete (${causeText(error, request.apiKey)})`,
        }
      : {
          kind: "unsent",
          reason: `could not be reached (${causeText(error, request.apiKey)})`,
          ...whenItPasses(error),
        };
  } finally {
    stopping?.removeEventListener("abort", stopUnlessSent);
  }
}

/** Calls back just before the first byte of a request goes to a connection that stands. */
function noteRequestStart(onStart: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        handler.onRequestStart?.(controller, context);
        // An aborted request gets this far, and is not sent.
        if (!controller.aborted) {
          onStart();
        }
      },
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}

async function readText(body: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBodyBytes) {
      return undefined;
    }
    chunks.push(chunk);
  }
  // Drops a byte order mark, which is not JSON.
  return new TextDecoder().decode(Buffer.concat(chunks));
}
