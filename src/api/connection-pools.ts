// Connections to the service, directly or through a proxy.
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { isLoopbackHostname } from "../common/url-rules.js";
import { maxBodyMebibytes, maxHeaderKibibytes } from "./response-limits.js";

// If a load balancer closes an idle connection while a creation is sent, the creation is in doubt.
const maxIdleMs = 500;

/**
 * Opens the connection pools, which respect the proxy variables of the environment.
 *
 * @param timeoutMs Timeout of a connection.
 * @returns A function that returns the dispatcher for a URL; `undefined` if the URL of the proxy is
 * not usable.
 */
export function openPools(timeoutMs: number): (url: URL) => Dispatcher | undefined {
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
  const proxied = openProxyAgent({
    ...options,
    // undici does not pass the options on to the connections to a proxy.
    clientFactory: (origin, given) => {
      const { maxHeaderSize, useMilo } = options;
      return new Pool(origin, { ...given, maxHeaderSize, useMilo });
    },
    // undici does not use `connect` for the connections to a proxy and through it.
    connectTimeout: timeoutMs,
    proxyTls: { ...connection, allowH2: false },
    requestTls: connection,
  });

  // A proxy would connect to its own loopback interface, on a machine that must not receive the
  // key.
  return ({ hostname }) => (isLoopbackHostname(hostname) ? direct : proxied);
}

/**
 * Returns `undefined` if the environment names something else as an HTTP proxy. Swallows the error
 * about an invalid URL: its property `input` contains the proxy password.
 */
function openProxyAgent(options: EnvHttpProxyAgent.Options): Dispatcher | undefined {
  // undici uses this URL for https. Its support of SOCKS is experimental: Node.js warns of it.
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY } = process.env;
  const proxyUrl = (https_proxy ?? HTTPS_PROXY) || (http_proxy ?? HTTP_PROXY);
  if (URL.parse(proxyUrl ?? "")?.protocol.startsWith("socks")) {
    return undefined;
  }
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    return undefined;
  }
}
