import { join } from "node:path";
import { request } from "undici";
import { describe, expect, it } from "vitest";
import { start, succeed } from "../helpers/commands.js";
import { withDirectory } from "../helpers/directory.js";
import { yamlProgram } from "../helpers/programs.js";
import { holdCreation, noPromptFlags, withStack } from "../helpers/stack.js";

/** A bucket of an S3 server on this machine. */
interface Bucket extends AsyncDisposable {
  /** The variables that make Pulumi keep its states there. */
  readonly environment: Readonly<Record<string, string>>;
}

describe("A stack in a bucket", () => {
  it("creates nothing in an update that begins while another one runs", async () => {
    await withDirectory(async (root) => {
      await using bucket = await startBucket(root);
      await withStack(
        async ({ service, declare, pulumi }) => {
          const run = (...args: string[]) => pulumi(args, bucket.environment);
          const up = () => run("up", ...noPromptFlags);
          await declare({ orders: {} });
          expect((await run("stack", "init")).exitCode).toBe(0);

          const { committed, release } = holdCreation(service);
          const first = up();
          await committed;
          const second = await up();
          const postsDuringFirst = service.counts.posts;
          release();
          const { exitCode, output } = await first;

          expect(second.exitCode, second.output).not.toBe(0);
          expect(second.output).toContain("locked");
          expect(postsDuringFirst).toBe(1);
          expect(exitCode, output).toBe(0);
          const { stdout } = await run("stack", "output", "--show-secrets", "--json");
          const { ordersSecret } = JSON.parse(stdout);
          expect(service.webhooks.map(({ secret }) => secret)).toEqual([ordersSecret]);
          expect((await run("destroy", ...noPromptFlags)).exitCode).toBe(0);
        },
        { program: yamlProgram },
      );
    });
  });
});

/** Installs an S3 server from PyPI below a directory, and starts it with a bucket. */
async function startBucket(root: string): Promise<Bucket> {
  const bin = join(root, "venv/bin");
  const options = { directory: root, environment: { PIP_NO_COMPILE: "1" } };
  await succeed("python3", ["-m", "venv", join(root, "venv")], options);
  const packages = ["moto[s3]==5.2.5", "flask==3.1.3", "flask-cors==6.0.5"];
  await succeed(join(bin, "python"), ["-m", "pip", "install", "--quiet", ...packages], options);

  const server = start(join(bin, "moto_server"), ["--host", "127.0.0.1", "--port", "0"], options);
  const address = /Running on (http:\/\/127\.0\.0\.1:\d+)/;
  await expect.poll(server.output).toMatch(address);
  const { origin, host } = new URL(address.exec(server.output())?.[1] ?? "");
  const { statusCode } = await request(`${origin}/states`, { method: "PUT" });
  expect(statusCode).toBe(200);
  return {
    environment: {
      PULUMI_BACKEND_URL: `s3://states?endpoint=${host}&disableSSL=true&s3ForcePathStyle=true&region=us-east-1`,
      AWS_ACCESS_KEY_ID: "any",
      AWS_SECRET_ACCESS_KEY: "any",
    },
    [Symbol.asyncDispose]: async () => {
      server.child.kill();
      await server.result;
    },
  };
}
