import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const main = join(import.meta.dirname, "../dist/cli/main.js");
const pollIntervalMs = 20;

/** The local service in a process of its own. */
export interface ServiceProcess extends AsyncDisposable {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Starts `pulumi-dbwebhooks serve` and ignores its log: a pipe would slow down the measurements. */
export async function startServiceProcess(args: readonly string[] = []): Promise<ServiceProcess> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [main, "serve", "--port", String(port), ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = once(child, "exit");
  // Its output is ignored, so only a response shows that it listens.
  while (!(await fetch(baseUrl).catch(() => undefined))) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`serve ended before it listened (${child.exitCode ?? child.signalCode}).`);
    }
    await setTimeout(pollIntervalMs);
  }
  return {
    baseUrl,
    apiKey: "local-api-key",
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Returns a TCP port on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
