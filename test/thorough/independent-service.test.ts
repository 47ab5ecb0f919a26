import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { start, succeed } from "../helpers/commands.ts";
import { repository, temporaryDirectory } from "../helpers/directory.ts";
import { javascriptPluginProgram, javascriptProgram } from "../helpers/programs.ts";
import { withStack } from "../helpers/stack.ts";

// https://github.com/stoplightio/prism. Its 90 MB are not worth a development dependency.
const prism = "@stoplight/prism-cli@5.16.0";
const installation = temporaryDirectory();

beforeAll(async () => {
  // One of its dependencies has an install script, which only sends statistics.
  const options = ["--prefix", installation.path, "--ignore-scripts", "--no-audit", "--no-fund"];
  await succeed("npm", ["install", ...options, prism], { directory: installation.path });
  return () => installation.remove();
});

it.each([javascriptProgram, javascriptPluginProgram])(
  "A service that Prism makes from the description of the API accepts all requests of $name",
  async (program) => {
    const service = await startPrism();
    await withStack(
      async ({ configure, declare, up, destroy, outputs, storedWebhooks }) => {
        await configure({ "dbwebhooks:baseUrl": service.url });
        await declare({ orders: { args: { databaseId: "base_1", tableId: "tbl_orders" } } });

        await up();
        const stored = await storedWebhooks();
        const { ordersSecret } = await outputs();
        await up();
        await destroy();

        // The examples of the description.
        const id = "17";
        expect(stored).toMatchObject({ orders: { id } });
        expect(ordersSecret).toBe("a-secret-for-signatures");
        const path = "/api/v1/bases/base_1/webhooks";
        expect(service.requests(), service.output()).toEqual([`post ${path}`, `delete ${path}/17`]);
        expect(service.output()).not.toContain("Violation");
      },
      { program },
    );
  },
);

/**
 * Starts Prism on a free port of the loopback interface. It refuses requests that the description
 * does not allow.
 */
async function startPrism() {
  const script = join(installation.path, "node_modules/@stoplight/prism-cli/dist/index.js");
  const address = ["--host", "127.0.0.1", "--port", "0"];
  const { child, output, waitFor, result } = start(
    process.execPath,
    [script, "mock", "--errors", ...address, "docs/api/openapi.yaml"],
    { directory: repository },
  );
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await result;
  });
  return {
    url: await waitFor(/listening on (http:\S+)/),
    output,
    /** The method and path of each request so far. */
    requests: () => [...output().matchAll(/\[HTTP SERVER\] (\w+ \S+)/g)].map(([, name]) => name),
  };
}
