import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { start } from "../helpers/commands.ts";
import { repository } from "../helpers/directory.ts";
import { clientOf, statusCodesOf } from "../helpers/local-service.ts";
import { startReceiver } from "../helpers/receiver.ts";
import { within } from "../helpers/within.ts";

it("serve says how to configure a stack, and when it has stopped", async () => {
  const service = await serve();
  const startText = service.output();

  const exitCode = await service.end("SIGTERM");

  expect(exitCode).toBe(0);
  expect(startText).toContain(`pulumi config set dbwebhooks:baseUrl ${service.baseUrl}\n`);
  expect(startText).toContain("pulumi config set --secret dbwebhooks:apiKey local-api-key\n");
  expect(service.output()).toMatch(/^Stopped\.$/m);
});

it("serve prints nothing after it has stopped, although a delivery was in flight", async () => {
  const arrived = Promise.withResolvers<void>();
  const receiver = await startReceiver(() => {
    arrived.resolve();
    return new Promise(() => {});
  });
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const service = await serve();
  const { subscribe, send } = clientOf(service);
  await subscribe(receiver.url);
  const emission = { method: "POST", path: "/_local/bases/base_1/events" } as const;
  const emitted = send({ ...emission, body: { type: "record.created" } }).catch(() => {});
  await arrived.promise;

  await service.end("SIGTERM");
  await emitted;

  expect(service.output()).toMatch(/Stopped\.\n$/);
});

it("serve never prints a key that the user chose, even when a request contains it", async () => {
  const keys = ["sk_live_12", "sk_test_34"];
  const service = await serve(...keys.flatMap((key) => ["--api-key", key]));
  for (const key of keys) {
    await clientOf({ ...service, apiKey: key }).create({ databaseId: key });
  }

  await service.end("SIGTERM");

  expect(service.output()).toMatch(/API keys: 2\..* 200 \{"id":\d+\}$/ms);
  expect(service.output()).not.toMatch(/sk_(live|test)/);
});

it("serve responds after the reader of its output has closed the pipe", async () => {
  const service = await serve();
  service.closeOutput();

  // The line of the first request meets the closed pipe.
  const { create } = clientOf(service);
  const responses = [await create(), await create()];

  expect(statusCodesOf(responses)).toEqual([200, 200]);
  expect(await service.end("SIGTERM")).toBe(0);
});

it.each([
  ["in one line that Node.js may not use the network", "ERR_ACCESS_DENIED", /^It broke\.\n$/],
  ["where a bug is, with the same exit code", "ERR_OTHER", /Error: It broke\.\n +at /],
])("serve says %s", async (_, code, text) => {
  // The first one stands for `--permission` of Node.js 26: no caller can catch the error.
  const broken = `import net from "node:net";
    const error = Object.assign(new Error("It broke."), { code: "${code}" });
    net.Server.prototype.listen = () => process.nextTick(() => { throw error; });`;
  const preload = `data:text/javascript,${encodeURIComponent(broken)}`;
  const program = ["--import", preload, join(repository, "dist/cli/main.js"), "serve"];

  const { result, output } = start(process.execPath, program, { directory: tmpdir() });

  expect((await within(30, result, output)).exitCode).toBe(1);
  expect(output()).toMatch(text);
});

/**
 * Starts `serve` of the built package outside of its directory, on a free port, and waits until it
 * has said where it listens. Kills it when the test is over.
 */
async function serve(...args: readonly string[]) {
  const program = [join(repository, "dist/cli/main.js"), "serve", "--port", "0", ...args];
  const options = { directory: tmpdir() };
  const { child, output, waitFor, result } = start(process.execPath, program, options);
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    baseUrl: await waitFor(/listens at (\S+)$.*^Stop it with/ms),
    /** The default key. */
    apiKey: "local-api-key",
    output,
    closeOutput: () => void child.stdout.destroy(),
    /** Ends it by a signal, waits for the rest of its output, and returns its exit code. */
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      const stillRuns = () => `serve still runs; its output: ${output()}`;
      return (await within(30, result, stillRuns)).exitCode;
    },
  };
}
