import { cp, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, it } from "vitest";
import { someArgs, someState } from "../helpers/builders.js";
import { withDirectory } from "../helpers/directory.js";
import { run } from "../helpers/pulumi.js";
import { pluginFile, startPlugin } from "../helpers/shells/native-shell.js";
import { struct } from "../helpers/shells/provider-calls.mjs";

const config = { "dbwebhooks:baseUrl": "https://tables.example.com", "dbwebhooks:apiKey": "key" };
const id = "base_abc123/17";

describe("The native plugin", () => {
  it("reaches the engine past a proxy that lower-case variables name", async () => {
    await using proxy = await startSilentServer();
    const environment = { http_proxy: proxy.url, https_proxy: proxy.url, grpc_proxy: proxy.url };
    await using plugin = await startPlugin(config, environment);

    await plugin.diff(id, someState(), someArgs({ url: "https://example.com/other" }));

    expect(plugin.engine.lines).toHaveLength(1);
    expect(proxy.count()).toBe(0);
  });

  it("compares nothing that the program ignores, and says nothing of it", async () => {
    await using plugin = await startPlugin(config);
    const request = new messages.DiffRequest()
      .setUrn("urn:pulumi:test::webhooks::dbwebhooks:index:Webhook::orders")
      .setId(id)
      .setOlds(struct(someState({ url: "https://drifted.example" })))
      .setNews(struct(someArgs()))
      .setIgnorechangesList(["url"]);

    const response = await plugin.call<messages.DiffResponse>("diff", request);

    expect(response.getChanges()).toBe(messages.DiffResponse.DiffChanges.DIFF_NONE);
    expect(plugin.engine.lines).toEqual([]);
  });

  it("reads a webhook from the service when a program gives only a part of it", async () => {
    await using plugin = await startPlugin(config);

    const read = plugin.read(id, { databaseId: "base_abc123" });

    await expect(read).rejects.toThrow("DBWEBHOOKS_IMPORT_SECRET");
  });

  it("runs below a package.json that says module", async () => {
    await withDirectory(async (directory) => {
      await writeFile(join(directory, "package.json"), '{ "type": "module" }');
      await cp(dirname(pluginFile), join(directory, "plugin"), { recursive: true });

      const file = join(directory, "plugin/pulumi-resource-dbwebhooks");
      const { exitCode, stdout } = await run(file, ["127.0.0.1:1"], { directory });

      expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^\d+\n$/)]);
    });
  });
});

/** A server that accepts connections and never answers. */
async function startSilentServer() {
  let count = 0;
  const server: Server = createServer(() => {
    count += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    count: () => count,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
