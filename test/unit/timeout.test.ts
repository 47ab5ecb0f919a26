import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { createHttpSender } from "../../src/api/send-once.ts";
import { startTimeout } from "../../src/common/timeout.ts";
import { apiKey } from "../helpers/builders.ts";

/** Blocks this thread, as a dynamic resource with a synchronous call does, and a laptop that sleeps. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it("A timeout that expires while the process stands still comes after what has arrived meanwhile", async () => {
  const hasResponded = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
    parentPort.once("message", () => {
      parentPort.postMessage("response");
      Atomics.store(workerData, 0, 1);
      Atomics.notify(workerData, 0);
    });`,
    { eval: true, workerData: hasResponded },
  );
  const events: string[] = [];
  const response = once(worker, "message").then(() => events.push("response"));
  const timeout = new Promise<void>((resolve) => {
    startTimeout(50, () => {
      events.push("timeout");
      resolve();
    });
  });

  worker.postMessage("request");
  Atomics.wait(hasResponded, 0, 0);
  block(100);
  await Promise.all([response, timeout]);
  await worker.terminate();

  expect(events).toEqual(["response", "timeout"]);
});

it("A timeout that is cancelled does not come", async () => {
  let hasCome = false;
  const cancel = startTimeout(1, () => {
    hasCome = true;
  });

  cancel();
  await new Promise((resolve) => startTimeout(10, () => resolve(undefined)));

  expect(hasCome).toBe(false);
});

it("A response that arrives while the process stands still is not lost to the timeout", async () => {
  const timeoutSeconds = 3;
  const worker = new Worker(
    `const { createServer } = require("node:http");
    const { parentPort } = require("node:worker_threads");
    const server = createServer((_request, response) => {
      parentPort.once("message", () => response.end("{}"));
      parentPort.postMessage("request");
    });
    server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  const [port] = await once(worker, "message");
  const url = new URL(`http://127.0.0.1:${port}/`);

  const received = once(worker, "message");
  const sending = createHttpSender(timeoutSeconds)({ method: "POST", url, apiKey, body: {} });
  await received;
  worker.postMessage("respond");
  block(timeoutSeconds * 1_000);
  const outcome = await sending;
  await worker.terminate();

  expect(outcome).toMatchObject({ kind: "response", statusCode: 200, body: "{}" });
});
