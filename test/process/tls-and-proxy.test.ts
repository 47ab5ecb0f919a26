import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { adapters, startAdapter } from "../helpers/adapters/adapters.ts";
import { apiKey, secret, someArgs } from "../helpers/builders.ts";
import { withDirectory } from "../helpers/directory.ts";
import { startProxy, startTlsServer } from "../helpers/http-server.ts";

// Hides the proxy variables of this machine.
const noProxies = { HTTPS_PROXY: "", HTTP_PROXY: "", http_proxy: "", NO_PROXY: "", no_proxy: "" };

it.each(adapters)(
  "The process of $name reaches the service through the proxy and with the extra CA certificates of its environment",
  async (adapter) => {
    const id = adapter.idOf({ databaseId: "base_abc123", id: 17 });
    await using service = await startTlsServer({ isTrusted: false }, { body: { id: 17, secret } });
    await using proxy = await startProxy(service.url);
    proxy.open();
    await withDirectory(async (directory) => {
      const certificate = join(directory, "certificate.pem");
      await writeFile(certificate, service.certificate);
      const settings = { baseUrl: "https://tables.example.test", apiKey, retrySeconds: "0" };
      await using running = await startAdapter(adapter, settings, {
        ...noProxies,
        NODE_EXTRA_CA_CERTS: certificate,
        https_proxy: proxy.url,
      });

      const created = await running.create(someArgs());

      expect(created).toEqual({ id, secret });
      expect(service.requests).toMatchObject([{ headers: { authorization: `Bearer ${apiKey}` } }]);
      expect(proxy.heads).toEqual([expect.stringMatching(/^CONNECT tables\.example\.test:443 /)]);
      expect(proxy.heads.join()).not.toContain(apiKey);
    });
  },
);
