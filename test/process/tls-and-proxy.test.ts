import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { apiKey, secret, someArgs } from "../helpers/builders.js";
import { withDirectory } from "../helpers/directory.js";
import { startGate, startTlsServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { shells } from "../helpers/shells/shells.js";

// The tests ignore the proxy of the machine.
const none = { HTTPS_PROXY: "", HTTP_PROXY: "", http_proxy: "", NO_PROXY: "", no_proxy: "" };

describe.each(shells)("$name", (shell) => {
  it("uses the proxy and the CA of its environment", async () => {
    await using service = await startTlsServer({ isTrusted: false }, { body: { id: 17, secret } });
    await using gate = await startGate(service.url);
    gate.open();
    const baseUrl = "https://tables.example.test";
    const config = {
      "dbwebhooks:baseUrl": baseUrl,
      "dbwebhooks:apiKey": apiKey,
      "dbwebhooks:retrySeconds": "0",
    };
    const id = shell.idOf({ databaseId: "base_abc123", id: 17 });
    const state = someArgs({ secret, baseUrl });

    await withDirectory(async (directory) => {
      const NODE_EXTRA_CA_CERTS = join(directory, "certificate.pem");
      await writeFile(NODE_EXTRA_CA_CERTS, service.certificate);
      const environment = { ...none, NODE_EXTRA_CA_CERTS, https_proxy: gate.url };
      await using running = await shell.start(config, environment);

      expect(await running.create(someArgs())).toMatchObject({ id, secret });
      expect(service.requests).toMatchObject([{ headers: { authorization: `Bearer ${apiKey}` } }]);

      // The proxy sees neither the key nor the calls to the engine.
      await running.diff(id, state, someArgs({ tableId: "tbl_1" }));
      expect(gate.heads).toEqual([expect.stringMatching(/^CONNECT tables\.example\.test:443 /)]);
      expect(gate.heads.join()).not.toContain(apiKey);
    });
  });

  it("trusts no other certificate, even with NODE_TLS_REJECT_UNAUTHORIZED=0", async () => {
    await using stranger = await startTlsServer({ isTrusted: false });
    const config = {
      "dbwebhooks:baseUrl": stranger.url,
      "dbwebhooks:apiKey": apiKey,
      "dbwebhooks:retrySeconds": "0",
    };
    const id = shell.idOf({ databaseId: "base_abc123", id: 17 });
    await using running = await shell.start(config, { ...none, NODE_TLS_REJECT_UNAUTHORIZED: "0" });

    const { error = "" } = await running.delete(id, someArgs({ secret, baseUrl: stranger.url }));

    expect([kindOf({ message: error }), stranger.requests]).toEqual(["notDeleted", []]);
    expect(error).toContain("NODE_EXTRA_CA_CERTS");
  });
});
