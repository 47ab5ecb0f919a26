import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { createSendOnce } from "../../../src/api/send-once.ts";
import { startTimeout } from "../../../src/common/stall-safe-timer.ts";
import { apiKey } from "../../helpers/builders.ts";

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
  const sending = createSendOnce({ apiKey, timeoutSeconds })({ method: "POST", url, body: {} });
  await received;
  worker.postMessage("respond");
  // As a dynamic resource with a synchronous call does, or a laptop that sleeps.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutSeconds * 1_000);
  const outcome = await sending;
  await worker.terminate();

  expect(outcome).toMatchObject({ kind: "response", statusCode: 200, body: "{}" });
});

it("What arrives while the process stands still just before a timeout is handled before it", async () => {
  const handled: string[] = [];
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const standStill = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  const worker = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
    parentPort.once("message", () => {
      parentPort.postMessage("response");
      Atomics.store(workerData, 0, 1);
      Atomics.notify(workerData, 0);
    });`,
    { eval: true, workerData: sent },
  );
  await once(worker, "online");
  worker.once("message", (message) => handled.push(message));

  startTimeout(2, () => handled.push("timeout"));
  standStill();
  // The second round of the event loop begins the last part of the timeout.
  await setImmediate();
  await setImmediate();
  worker.postMessage("respond");
  Atomics.wait(sent, 0, 0);
  standStill();
  await setImmediate();
  await setImmediate();
  await worker.terminate();

  expect(handled).toEqual(["response", "timeout"]);
});
