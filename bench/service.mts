// `npm run bench:service`: what the local service carries, so that it is known when it, and not what
// is tested against it, is the bottleneck. The service, its client and the receiver are processes of
// their own, as in use.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { Pool } from "undici";

const targets = { "creates in memory": 2_000, "creates with data": 500, deliveries: 2_000 };
const rounds = 5;
const operations = 5_000;
const path = "/api/v1/bases/base_abc123/webhooks";

if (process.argv[2] === "client") {
  await createWebhooks(String(process.argv[3]));
} else if (process.argv[2] === "receiver") {
  await receive();
} else {
  await runBenchmark();
}

async function runBenchmark(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "dbwebhooks-bench-"));
  const rates: Record<keyof typeof targets, number[]> = {
    "creates in memory": [],
    "creates with data": [],
    deliveries: [],
  };
  try {
    for (let round = 0; round < rounds; round++) {
      rates["creates in memory"].push(await measureCreates());
      rates["creates with data"].push(await measureCreates(join(directory, `${round}.db`)));
      rates.deliveries.push(await measureDeliveries());
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  print(`${operations} operations a round, ${rounds} rounds, ${availableParallelism()} cores:`);
  for (const [name, target] of Object.entries(targets)) {
    const sorted = rates[name as keyof typeof targets].sort((a, b) => a - b).map(Math.round);
    const median = sorted[Math.floor(rounds / 2)] ?? 0;
    print(`  ${name}: median ${median}/s (${sorted[0]} to ${sorted.at(-1)}), target ${target}/s`);
    process.exitCode = median < target ? 1 : process.exitCode;
  }
}

async function measureCreates(data?: string): Promise<number> {
  await using service = await startLocalService(data === undefined ? {} : { data });
  const client = fork(import.meta.filename, ["client", service.baseUrl]);
  const [seconds] = (await once(client, "message")) as [number];
  if (service.counts.created !== operations) {
    throw new Error(`${service.counts.created} of ${operations} subscriptions were created.`);
  }
  return operations / seconds;
}

async function createWebhooks(baseUrl: string): Promise<void> {
  const pool = new Pool(baseUrl, { connections: 16 });
  const body = JSON.stringify({ url: "https://example.com/hooks", events: ["record.created"] });
  const headers = { authorization: "Bearer local-api-key", "content-type": "application/json" };
  let left = operations;
  const startedAt = performance.now();
  const worker = async () => {
    while (left-- > 0) {
      const answer = await pool.request({ method: "POST", path, headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 201) {
        throw new Error(`The service answered ${answer.statusCode}.`);
      }
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  process.send?.((performance.now() - startedAt) / 1000);
  await pool.close();
  process.disconnect?.();
}

async function measureDeliveries(): Promise<number> {
  const receiver = fork(import.meta.filename, ["receiver"]);
  try {
    const [url] = (await once(receiver, "message")) as [string];
    await using service = await startLocalService();
    await fetch(service.baseUrl + path, {
      method: "POST",
      headers: { authorization: "Bearer local-api-key", "content-type": "application/json" },
      body: JSON.stringify({ url, events: ["record.created"] }),
    });
    const startedAt = performance.now();
    const events = Array.from({ length: operations }, () =>
      service.emit({ type: "record.created", databaseId: "base_abc123", tableId: "tbl_1" }),
    );
    const deliveries = await Promise.all(events.map(({ finished }) => finished));
    const seconds = (performance.now() - startedAt) / 1000;
    if (!deliveries.flat().every(({ outcome }) => outcome === "delivered")) {
      throw new Error("Not every event was delivered.");
    }
    return operations / seconds;
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
