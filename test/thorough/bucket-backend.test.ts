import { join } from "node:path";
import { request } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { start, succeed } from "../helpers/commands.ts";
import { withDirectory } from "../helpers/directory.ts";
import { countsOf } from "../helpers/faults/faults.mts";
import { yamlProgram } from "../helpers/programs.ts";
import { holdCreation, noPromptFlags, withStack } from "../helpers/stack.ts";

// Pulumi locks the stack, so that no pipeline creates a webhook a second time. This shows it with this provider.
it("A stack in a bucket creates nothing in an update that begins while another one runs", async () => {
  await withDirectory(async (root) => {
    const bucket = await startBucket(root);
    const options = { program: yamlProgram };
    await withStack(async ({ service, declare, pulumi }) => {
      const run = (...args: string[]) => pulumi(args, bucket);
      await declare({ orders: {} });
      expect((await run("stack", "init")).exitCode).toBe(0);

      const { committed, release } = holdCreation(service);
      const first = run("up", ...noPromptFlags);
      await committed;
      const second = await run("up", ...noPromptFlags);
      const postsDuringFirst = countsOf(service).posts;
      release();
      const { exitCode, output } = await first;

      expect(second.exitCode, second.output).not.toBe(0);
      expect(second.output).toContain("locked");
      expect(postsDuringFirst).toBe(1);
      expect(exitCode, output).toBe(0);
      const { stdout } = await run("stack", "output", "ordersSecret", "--show-secrets");
      expect(service.webhooks).toMatchObject([{ secret: stdout.trim() }]);
      // The helper destroys only stacks of its own backend.
      expect((await run("destroy", ...noPromptFlags)).exitCode).toBe(0);
    }, options);
  });
});

/** Starts an S3 server from PyPI with a bucket, and returns the variables that make Pulumi use it. */
async function startBucket(root: string): Promise<Record<string, string>> {
  const bin = join(root, "venv/bin");
  const options = { directory: root };
  // moto's extra "server" would install much more than its server needs for S3.
  const packages = ["moto[s3]==5.2.5", "flask==3.1.3", "flask-cors==6.0.5"];
  await succeed("python3", ["-m", "venv", "venv"], options);
  await succeed(join(bin, "python"), ["-m", "pip", "install", "--quiet", ...packages], options);

  const server = start(join(bin, "moto_server"), ["--host", "127.0.0.1", "--port", "0"], options);
  onTestFinished(() => void server.child.kill());
  const address = /Running on (http:\/\/127\.0\.0\.1:\d+)/;
  await expect.poll(server.output).toMatch(address);
  const { origin, host } = new URL(address.exec(server.output())?.[1] ?? "");
  expect((await request(`${origin}/states`, { method: "PUT" })).statusCode).toBe(200);
  return {
    PULUMI_BACKEND_URL: `s3://states?endpoint=${host}&disableSSL=true&s3ForcePathStyle=true&region=us-east-1`,
    AWS_ACCESS_KEY_ID: "any",
    AWS_SECRET_ACCESS_KEY: "any",
  };
}
