import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Adapter, adapters, startAdapter } from "../helpers/adapters/adapters.ts";
import { apiKey, secret, someArgs } from "../helpers/builders.ts";
import { withDirectory } from "../helpers/directory.ts";
import { startProxy, startTlsServer } from "../helpers/http-server.ts";

// Hides the proxy variables of this machine.
const noProxies = { HTTPS_PROXY: "", HTTP_PROXY: "", http_proxy: "", NO_PROXY: "", no_proxy: "" };

it.each(adapters)(
  "The process of $name reaches the service through its environment's proxy and extra CA certificates",
  async (adapter) => {
    const { created, requests, proxyHeads } = await createThroughProxy(adapter);

    expect(created).toEqual({ id: "17", secret });
    expect(requests).toMatchObject([{ headers: { authorization: `Bearer ${apiKey}` } }]);
    expect(proxyHeads).toEqual([expect.stringMatching(/^CONNECT tables\.example\.test:443 /)]);
    expect(proxyHeads.join()).not.toContain(apiKey);
  },
);

/**
 * Creates webhook 17 at a service that an adapter reaches only through the proxy and with the extra
 * CA certificates of its environment. Returns the result, and what the service and the proxy have
 * received.
 */
async function createThroughProxy(adapter: Adapter) {
  await using service = await startTlsServer({ isTrusted: false }, { body: { id: 17, secret } });
  await using proxy = await startProxy(service.url);
  proxy.open();
  return await withDirectory(async (directory) => {
    const certificate = join(directory, "certificate.pem");
    await writeFile(certificate, service.certificate);
    const settings = { baseUrl: "https://tables.example.test", apiKey, retrySeconds: "0" };
    await using running = await startAdapter(adapter, settings, {
      ...noProxies,
      NODE_EXTRA_CA_CERTS: certificate,
      https_proxy: proxy.url,
      // Asks undici for a parser that the build leaves out.
      UNDICI_USE_MILO: "1",
    });

    const created = await running.create(someArgs());

    return { created, requests: service.requests, proxyHeads: proxy.heads };
  });
}
