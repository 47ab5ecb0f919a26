import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters, startAdapter } from "../helpers/adapters/adapters.js";
import { apiKey, secret, someArgs } from "../helpers/builders.js";
import { withDirectory } from "../helpers/directory.js";
import { startProxy, startTlsServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";

// Hides the proxy variables of this machine; a test overrides those that it needs.
const noProxies = {
  HTTPS_PROXY: "",
  HTTP_PROXY: "",
  http_proxy: "",
  NO_PROXY: "",
  no_proxy: "",
};

describe.each(adapters)("$name", (adapter) => {
  const id = adapter.idOf({ databaseId: "base_abc123", id: 17 });

  it("uses the proxy and the extra CA certificates of its environment", async () => {
    await using service = await startTlsServer({ isTrusted: false }, { body: { id: 17, secret } });
    await using proxy = await startProxy(service.url);
    proxy.open();
    await withDirectory(async (directory) => {
      const certificate = join(directory, "certificate.pem");
      await writeFile(certificate, service.certificate);
      const environment = {
        ...noProxies,
        NODE_EXTRA_CA_CERTS: certificate,
        https_proxy: proxy.url,
      };
      const settings = { baseUrl: "https://tables.example.test", apiKey, retrySeconds: "0" };
      await using running = await startAdapter(adapter, settings, environment);

      const created = await running.create(someArgs());

      expect(created).toMatchObject({ id, secret });
      expect(service.requests).toMatchObject([{ headers: { authorization: `Bearer ${apiKey}` } }]);
      expect(proxy.heads).toEqual([expect.stringMatching(/^CONNECT tables\.example\.test:443 /)]);
      expect(proxy.heads.join()).not.toContain(apiKey);
    });
  });

  it("connects to the engine without the proxy", async () => {
    // The proxy stays closed, because the test only checks that no client connects to it.
    await using service = await startTlsServer({ isTrusted: false });
    await using proxy = await startProxy(service.url);
    const baseUrl = "https://tables.example.test";
    const environment = { ...noProxies, https_proxy: proxy.url, http_proxy: proxy.url };
    await using running = await startAdapter(adapter, { baseUrl, apiKey }, environment);

    // A replacement is logged through the engine.
    await running.diff(id, someArgs({ secret, baseUrl }), someArgs({ tableId: "tbl_1" }));

    await expect.poll(() => running.lines().join("\n")).toContain("Replacing webhook 17");
    expect(proxy.heads).toEqual([]);
  });

  it("refuses a service with an untrusted certificate, even with NODE_TLS_REJECT_UNAUTHORIZED=0", async () => {
    await using untrustedService = await startTlsServer({ isTrusted: false });
    const baseUrl = untrustedService.url;
    await using running = await startAdapter(
      adapter,
      { baseUrl, apiKey, retrySeconds: "0" },
      { ...noProxies, NODE_TLS_REJECT_UNAUTHORIZED: "0" },
    );

    const error = await running.delete(id, someArgs({ secret, baseUrl }));

    expect(kindOf({ message: error })).toBe("notDeleted");
    expect(untrustedService.requests).toEqual([]);
  });
});
