// `npm run bench:service`: what the local service carries, as a library and as the built command, so
// that it is known when it, and not what is tested against it, is the bottleneck. The command, the
// client and the receiver are processes of their own, as in use.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { Pool } from "undici";
import { runAtOnce } from "./at-once.mts";
import { startServiceProcess } from "./service-process.mts";
import { summarize } from "./statistics.mts";

const rounds = 5;
const operations = 5_000;
const connections = 16;
/** Events come to the command over HTTP; with many webhooks for each, that costs next to nothing. */
const webhooksPerEvent = 50;
const path = "/api/v1/bases/base_abc123/webhooks";
const headers = { authorization: "Bearer local-api-key", "content-type": "application/json" };

if (process.argv[2] === "client") {
  await createWebhooks(String(process.argv[3]));
} else if (process.argv[2] === "receiver") {
  await receive();
} else {
  await runBenchmark();
}

async function runBenchmark(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "dbwebhooks-bench-"));
  const file = (name: string, round: number) => join(directory, `${name}-${round}.db`);
  const measurements: readonly [string, number, (round: number) => Promise<number>][] = [
    ["library, creates in memory", 2_000, () => libraryCreates()],
    ["library, creates with data", 500, (round) => libraryCreates(file("library", round))],
    ["library, deliveries", 2_000, libraryDeliveries],
    ["serve, creates in memory", 2_000, () => withServe([], creates)],
    ["serve, creates with --data", 500, (n) => withServe(["--data", file("serve", n)], creates)],
    ["serve, deliveries", 2_000, () => withServe([], serveDeliveries)],
  ];
  const rates = measurements.map((): number[] => []);
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [index, [, , measure]] of measurements.entries()) {
        rates[index]?.push(await measure(round));
      }
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  print(`${operations} operations a round, ${rounds} rounds, ${availableParallelism()} cores:`);
  for (const [index, [name, target]] of measurements.entries()) {
    const { median, min, max } = summarize((rates[index] ?? []).map(Math.round));
    print(`  ${name}: median ${median}/s (${min} to ${max}), target ${target}/s`);
    process.exitCode = median < target ? 1 : process.exitCode;
  }
}

async function libraryCreates(data?: string): Promise<number> {
  await using service = await startLocalService(data === undefined ? {} : { data });
  return await creates(service.baseUrl);
}

/** Runs the built command, its log ignored. */
async function withServe(
  args: readonly string[],
  measure: (baseUrl: string) => Promise<number>,
): Promise<number> {
  await using service = await startServiceProcess(args);
  return await measure(service.baseUrl);
}

async function creates(baseUrl: string): Promise<number> {
  const client = fork(import.meta.filename, ["client", baseUrl]);
  return operations / ((await messageOf(client)) as number);
}

/** The next message of a process that must not end without one. */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`A process of the benchmark ended without its message (${code}).`);
  });
  const [message] = await Promise.race([once(child, "message"), ended]);
  return message;
}

async function createWebhooks(baseUrl: string): Promise<void> {
  const pool = new Pool(baseUrl, { connections });
  const body = JSON.stringify({ url: "https://example.com/hooks", events: ["record.created"] });
  const startedAt = performance.now();
  await runAtOnce(operations, connections, async () => {
    const answer = await pool.request({ method: "POST", path, headers, body });
    await answer.body.dump();
    if (answer.statusCode !== 201) {
      throw new Error(`The service answered ${answer.statusCode}.`);
    }
  });
  process.send?.((performance.now() - startedAt) / 1000);
  await pool.close();
  process.disconnect?.();
}

async function libraryDeliveries(): Promise<number> {
  await using service = await startLocalService();
  return await withReceiver(async (url) => {
    await createWebhook(service.baseUrl, url);
    return await rateOf(async () => {
      const events = Array.from({ length: operations }, () =>
        service.emit({ type: "record.created", databaseId: "base_abc123", tableId: "tbl_1" }),
      );
      return (await Promise.all(events.map(({ finished }) => finished))).flat();
    });
  });
}

async function serveDeliveries(baseUrl: string): Promise<number> {
  return await withReceiver(async (url) => {
    for (let count = 0; count < webhooksPerEvent; count++) {
      await createWebhook(baseUrl, url);
    }
    const emit = async () => {
      const events = `${baseUrl}/_local/bases/base_abc123/events?wait=600`;
      const body = JSON.stringify({ type: "record.created", tableId: "tbl_1" });
      const answer = await fetch(events, { method: "POST", headers, body });
      const { deliveries } = (await answer.json()) as { deliveries: { outcome: string }[] };
      return deliveries;
    };
    return await rateOf(async () =>
      (await Promise.all(Array.from({ length: operations / webhooksPerEvent }, emit))).flat(),
    );
  });
}

async function rateOf(deliver: () => Promise<readonly { outcome: string }[]>): Promise<number> {
  const startedAt = performance.now();
  const done = await deliver();
  const seconds = (performance.now() - startedAt) / 1000;
  if (done.length !== operations || !done.every(({ outcome }) => outcome === "delivered")) {
    throw new Error("Not every event was delivered.");
  }
  return operations / seconds;
}

async function createWebhook(baseUrl: string, url: string): Promise<void> {
  const body = JSON.stringify({ url, events: ["record.created"] });
  await fetch(baseUrl + path, { method: "POST", headers, body });
}

async function withReceiver(measure: (url: string) => Promise<number>): Promise<number> {
  const receiver = fork(import.meta.filename, ["receiver"]);
  try {
    return await measure((await messageOf(receiver)) as string);
  } finally {
    receiver.disconnect();
  }
}

async function receive(): Promise<void> {
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(204).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`);
  process.once("disconnect", () => process.exit());
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
