// Connections to the service, directly or through a proxy.
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { isLoopbackHostname } from "../common/url-rules.js";
import { maxBodyMebibytes, maxHeaderKibibytes } from "./response-limits.js";

// If a load balancer closes an idle connection while a creation is sent, the creation is in doubt.
const maxIdleMs = 500;

/** The connection pools of an account. */
interface ConnectionPools {
  /** Returns the dispatcher for a URL; `undefined` if the URL of the proxy is not usable. */
  readonly dispatcherFor: (url: URL) => Dispatcher | undefined;
  /** Returns the variable that names the proxy which was asked for a connection to the host. */
  readonly proxyVariableFor: (url: URL) => string | undefined;
}

/**
 * Opens the connection pools, which respect the proxy variables of the environment.
 *
 * @param timeoutMs Timeout of a connection.
 */
export function openPools(timeoutMs: number): ConnectionPools {
  const connection = {
    // NODE_TLS_REJECT_UNAUTHORIZED must not send the key to a host that has not proved its name.
    rejectUnauthorized: true,
    // Node.js gives up an address of a host after 250 ms, which a far host can need. As a part of
    // the timeout, it leaves time for the next addresses.
    autoSelectFamilyAttemptTimeout: Math.ceil(Math.min(Math.max(timeoutMs / 12, 250), 2_500)),
  };
  const options = {
    connect: { timeout: timeoutMs, ...connection },
    keepAliveTimeout: maxIdleMs,
    // The service can announce another idle time: this is the longest that undici accepts.
    keepAliveMaxTimeout: maxIdleMs,
    // Signals end an attempt as a whole, so undici needs no timeouts for its parts.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxBodyMebibytes * 1024 * 1024,
    maxHeaderSize: maxHeaderKibibytes * 1024,
    // Over HTTP/2 undici repeats a refused request by itself.
    allowH2: false,
    // The environment can switch on this experimental parser, which the build leaves out.
    useMilo: false,
  };
  const direct = new Agent(options);
  const proxyVariable = nameProxyVariable();
  // Which hosts are an exception of NO_PROXY, undici alone decides.
  const proxiedHosts = new Set<string>();
  const proxied = openProxyAgent(proxyVariable, {
    ...options,
    // undici does not pass the options on to the connections to a proxy.
    clientFactory: (origin, given) => {
      const { maxHeaderSize, useMilo } = options;
      const pool = new Pool(origin, { ...given, maxHeaderSize, useMilo });
      return pool.compose((dispatch) => (request, handler) => {
        // The path of CONNECT is the host and the port of the service.
        proxiedHosts.add(request.path);
        return dispatch(request, handler);
      });
    },
    // undici does not use `connect` for the connections to a proxy and through it.
    connectTimeout: timeoutMs,
    proxyTls: { ...connection, allowH2: false },
    requestTls: connection,
  });

  // A proxy would connect to its own loopback interface, on a machine that must not receive the
  // key.
  const dispatcherFor = ({ hostname }: URL) => (isLoopbackHostname(hostname) ? direct : proxied);
  const proxyVariableFor = ({ hostname, port }: URL) =>
    proxiedHosts.has(`${hostname}:${port || 443}`) ? proxyVariable : undefined;
  return { dispatcherFor, proxyVariableFor };
}

/**
 * Names the variable whose proxy undici uses for https: it takes one in lower case first, even an
 * empty one, and then that for http.
 */
function nameProxyVariable(): string | undefined {
  const { http_proxy, https_proxy } = process.env;
  const names = [
    https_proxy === undefined ? "HTTPS_PROXY" : "https_proxy",
    http_proxy === undefined ? "HTTP_PROXY" : "http_proxy",
  ];
  return names.find((name) => process.env[name]);
}

/**
 * Returns `undefined` if the variable holds something else than the URL of an HTTP proxy. Swallows
 * the error about an invalid URL: its property `input` contains the proxy password.
 */
function openProxyAgent(
  proxyVariable: string | undefined,
  options: EnvHttpProxyAgent.Options,
): Dispatcher | undefined {
  // The support of SOCKS in undici is experimental: Node.js warns of it.
  const proxyUrl = process.env[proxyVariable ?? ""] ?? "";
  if (URL.parse(proxyUrl)?.protocol.startsWith("socks")) {
    return undefined;
  }
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    return undefined;
  }
}
