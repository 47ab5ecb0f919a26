import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { request } from "undici";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../helpers/directory.js";
import { succeed } from "../helpers/package.js";
import { javascriptProgram } from "../helpers/programs.js";
import { run, stackEnvironment, start } from "../helpers/pulumi.js";
import { webhookArgs } from "../helpers/stack.js";

/** A bucket of an S3 server on this machine. */
interface Bucket extends AsyncDisposable {
  /** What Pulumi needs in its environment to keep its states there. */
  readonly environment: Readonly<Record<string, string>>;
}

describe("A stack in a bucket", () => {
  it("creates nothing in an update that begins while another one runs", async () => {
    await withDirectory(async (root) => {
      await using bucket = await startBucket(root);
      await using service = await startLocalService();
      const directory = join(root, "webhooks");
      const environment = {
        ...(await stackEnvironment(root)),
        ...bucket.environment,
        DBWEBHOOKS_BASE_URL: service.baseUrl,
        DBWEBHOOKS_API_KEY: service.apiKey,
      };
      const command = (...args: string[]): Parameters<typeof run> => [
        "pulumi",
        [...args, "--stack", "test", "--non-interactive"],
        { directory, environment },
      ];
      const up = command("up", "--yes", "--skip-preview");
      await mkdir(directory);
      await javascriptProgram.write(directory, "webhooks");
      await javascriptProgram.declare(directory, { orders: { args: webhookArgs() } });
      await succeed(...command("stack", "init"));

      const held = service.inject({ on: "POST", fault: { kind: "hold", commit: true }, times: 1 });
      const committed = service.nextRequest({ on: "POST", stage: "committed" });
      const first = start(...up);
      await committed;
      const second = await run(...up);
      const postsMeanwhile = service.counts.posts;
      held.release();
      const { exitCode, output } = await first.result;

      expect(second.exitCode, second.output).not.toBe(0);
      expect(second.output).toContain("locked");
      expect(postsMeanwhile).toBe(1);
      expect(exitCode, output).toBe(0);
      expect(service.webhooks).toHaveLength(1);
      const { stdout } = await succeed(...command("stack", "output", "--show-secrets", "--json"));
      expect(JSON.parse(stdout)).toEqual({ ordersSecret: service.webhooks[0]?.secret });
      await succeed(...command("destroy", "--yes", "--skip-preview"));
      expect(service.webhooks).toEqual([]);
    });
  });
});

/** Installs an S3 server from PyPI below a directory, and starts it with a bucket. */
async function startBucket(root: string): Promise<Bucket> {
  const bin = join(root, "venv/bin");
  const here = { directory: root, environment: { PIP_NO_COMPILE: "1" } };
  await succeed("python3", ["-m", "venv", join(root, "venv")], here);
  const packages = ["moto[s3]==5.2.5", "flask==3.1.3", "flask-cors==6.0.5"];
  await succeed(join(bin, "python"), ["-m", "pip", "install", "--quiet", ...packages], here);

  const server = start(join(bin, "moto_server"), ["--host", "127.0.0.1", "--port", "0"], here);
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
