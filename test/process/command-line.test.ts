import { execFile } from "node:child_process";
import { join } from "node:path";
import { request } from "undici";
import { describe, expect, it } from "vitest";
import { serve } from "../helpers/cli.js";
import { startRawServer } from "../helpers/http-server.js";

describe("pulumi-dbwebhooks serve", () => {
  it("stops when it is told to, even while nobody reads what it writes", async () => {
    const service = await serve();
    service.child.stdout?.pause();
    // Together far more than a pipe and its reader take in.
    const url = `${service.baseUrl}/${"x".repeat(300)}`;
    for (let count = 0; count < 100; count++) {
      await Promise.all(Array.from({ length: 50 }, async () => (await fetch(url)).text()));
    }

    expect(await service.end("SIGINT")).toEqual({ code: 0, signal: null });
  });

  it.each(["0.0.0.0", "::", "::0"])(
    "names no wildcard address in what to paste with --host %s",
    async (host) => {
      const { output, port } = await serve("--host", host, "--allow-remote");

      expect(output()).toContain(`
  pulumi config set dbwebhooks:baseUrl http://ADDRESS_OF_THIS_MACHINE:${port}
  pulumi config set dbwebhooks:allowInsecureBaseUrl true
  pulumi config set --secret dbwebhooks:apiKey local-api-key
`);
    },
  );
});

describe("pulumi-dbwebhooks serve --host", () => {
  it.each(["LOCALHOST", "[::1]", "::1", "0:0:0:0:0:0:0:1", "127.0.0.2"])(
    "takes %s for this machine alone",
    async (host) => {
      const { output, baseUrl } = await serve("--host", host);

      expect(output()).not.toContain("for everybody");
      expect((await fetch(`${baseUrl}/nothing/here`)).status).toBe(404);
    },
  );
});

describe("pulumi-dbwebhooks serve without --allow-remote", () => {
  it("refuses a request under another name, and answers it with --allow-remote", async () => {
    const services = [await serve(), await serve("--allow-remote")];
    const answers = services.map(({ port }) =>
      request(`http://127.0.0.1:${port}/nothing/here`, { headers: { host: "evil.example" } }),
    );

    const statusCodes = (await Promise.all(answers)).map(({ statusCode }) => statusCode);

    expect(statusCodes).toEqual([421, 404]);
    expect(services[0]?.output()).toMatch(/^GET \/nothing\/here 421: /m);
  });
});

describe("pulumi-dbwebhooks serve at SIGTERM", () => {
  it("does not count as lost what it logs as delivered", async () => {
    await using receiver = await startRawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
      const drip = setInterval(() => socket.write("."), 10);
      socket.on("close", () => clearInterval(drip));
    });
    const service = await serve("--deliver-to", receiver.url);
    const send = (path: string, body: object) =>
      fetch(`${service.baseUrl}${path}`, {
        method: "POST",
        headers: { authorization: "Bearer local-api-key", "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const events = ["record.created"];
    await send("/api/v1/bases/base_1/webhooks", { url: "https://hooks.invalid/", events });
    await send("/_local/bases/base_1/events", { type: "record.created" });
    await expect.poll(() => receiver.requests).toHaveLength(1);

    await service.end("SIGTERM");

    expect(service.output()).toMatch(/attempt 1: 200, delivered\nStopped\.\n$/);
  });
});

describe("pulumi-dbwebhooks", () => {
  it.each([["--help"], ["serve", "--help"], ["--version"]])(
    "loads neither the local service nor undici for %s",
    async (...args) => {
      const stderr = await stderrOf(args, listModules);

      expect(stderr).toMatch(/dist\/cli\/main\.js$/m);
      expect(stderr).not.toMatch(/undici|hono|zod|local-service\.js/);
    },
  );

  it.each([["serve"], ["--help"]])("says that Node.js is too old for %s", async (...args) => {
    const stderr = await stderrOf(
      args,
      'Object.defineProperty(process.versions, "node", { value: "22.18.0" }); process.on("exit", (code) => console.error(code));',
    );

    expect(stderr).toBe(
      "pulumi-dbwebhooks needs Node.js 22.19 or newer, and this is 22.18.0.\n1\n",
    );
  });
});

/** Writes the files that a command has loaded when it ends, one a line. */
const listModules = `process.on("exit", () =>
  process.stderr.write(Object.keys(require.cache).join("\\n")));`;

/** What a command writes to standard error when a script runs before it in its process. */
async function stderrOf(args: readonly string[], scriptBefore: string): Promise<string> {
  const main = join(__dirname, "../../dist/cli/main.js");
  const script = `${scriptBefore}
    process.argv = ${JSON.stringify(["node", main, ...args])};
    require(${JSON.stringify(main)});`;
  return new Promise((resolve) => {
    execFile(process.execPath, ["-e", script], (_error, _stdout, stderr) => resolve(stderr));
  });
}
