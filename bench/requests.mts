// `npm run bench:requests`: how the provider process sends many requests: under a limit of the
// service, under a limit of its own, to a slow service, and whether HTTP/2 would be better.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { Agent } from "undici";
import type { Counts, Listening } from "./answering-server.mts";
import { runAtOnce } from "./at-once.mts";
import type { Memory } from "./memory.mts";
import { originOf } from "./origin.mts";
import { type ProviderProcess, providerText, startProvider } from "./provider-process.mts";
import { writeFigures } from "./report.mts";
import { summarize } from "./statistics.mts";
import { markdownTable } from "./tables.mts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    write: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const webhooks = 1_000;
const serviceLimit = 50;
const maxConcurrent = 16;
// As `pulumi up --parallel 64`; Pulumi's default is 4 for each core.
const callsAtOnce = 64;

const limits = [
  ["1,000 creations, service limited to 50 a second", "time", "answers 429", "errors", "memory"],
  await createUnderLimit("no pace of its own", {}),
  await createUnderLimit("`requestsPerSecond: 45`", { "dbwebhooks:requestsPerSecond": "45" }),
  await createNothing(),
];
const latency = [
  ["200 creations, 100 ms an answer", "time", "most at once", "connections"],
  await createSlowly("16", 1.25),
  await createSlowly("64", 0.4),
];
const protocols = [
  ["undici over TLS, 16 at once", "HTTP/1.1", "HTTP/2", "connections"],
  await compareProtocols(2_000, 0),
  await compareProtocols(200, 100),
];
for (const [name, rows] of Object.entries({ limits, latency, protocols })) {
  process.stdout.write(`${markdownTable(rows)}\n\n`);
  if (values.write) {
    await writeFigures(name, { ...originOf("bench:requests"), rows });
  }
}

async function createUnderLimit(name: string, config: Readonly<Record<string, string>>) {
  await using service = await startLocalService({ rateLimit: { requestsPerSecond: serviceLimit } });
  await using provider = await startProvider({
    "dbwebhooks:baseUrl": service.baseUrl,
    "dbwebhooks:apiKey": service.apiKey,
    ...config,
  });
  // The first request loads what the others use.
  await provider.create(webhook(0));
  const idle = provider.memory();
  const startedAt = performance.now();
  const results = await createAll(provider, webhooks);
  const seconds = (performance.now() - startedAt) / 1000;
  const refused = service.requests.filter(({ statusCode }) => statusCode === 429).length;
  const errors = results.filter(({ status }) => status === "rejected").length;
  return [
    name,
    `${seconds.toFixed(1)} s`,
    String(refused),
    String(errors),
    memoryText(idle, provider.memory()),
  ];
}

/** What Pulumi's provider process itself needs for as many calls. */
async function createNothing(): Promise<string[]> {
  const text = `exports.handler = () => ({
    create: async () => ({ id: "1", outs: { secret: "${"x".repeat(50)}" } }),
  })`;
  await using provider = await startProvider();
  await provider.create(webhook(0, text));
  const idle = provider.memory();
  const startedAt = performance.now();
  await createAll(provider, webhooks, text);
  const seconds = (performance.now() - startedAt) / 1000;
  const name = "an empty provider, no HTTP";
  return [name, `${seconds.toFixed(1)} s`, "", "", memoryText(idle, provider.memory())];
}

function memoryText(idle: Memory | undefined, end: Memory | undefined): string {
  return idle === undefined || end === undefined
    ? "not read"
    : `${idle.now.toFixed(0)} MB idle, ${(end.peak - idle.now).toFixed(0)} MB more at the peak`;
}

async function createSlowly(maxConcurrentRequests: string, idealSeconds: number) {
  await using server = await startServer("http", 100);
  await using provider = await startProvider({
    "dbwebhooks:baseUrl": server.origin,
    "dbwebhooks:apiKey": "key",
    "dbwebhooks:maxConcurrentRequests": maxConcurrentRequests,
  });
  await provider.check(webhook(0));
  const startedAt = performance.now();
  await createAll(provider, 200);
  const seconds = (performance.now() - startedAt) / 1000;
  const { mostAtOnce, connections } = await server.counts();
  return [
    `\`maxConcurrentRequests: ${maxConcurrentRequests}\``,
    `${seconds.toFixed(2)} s (at best ${idealSeconds} s)`,
    String(mostAtOnce),
    String(connections),
  ];
}

async function createAll(provider: ProviderProcess, count: number, text?: string) {
  const results: PromiseSettledResult<unknown>[] = [];
  await runAtOnce(count, callsAtOnce, async (index) => {
    results.push(...(await Promise.allSettled([provider.create(webhook(index, text))])));
  });
  return results;
}

function webhook(index: number, text = providerText) {
  return {
    __provider: text,
    databaseId: "base_abc123",
    url: `https://example.com/hooks/${index}`,
    events: ["record.created", "record.updated"],
  };
}

/** The same requests over both protocols, in turn, without what this package does around them. */
async function compareProtocols(requests: number, delayMs: number): Promise<string[]> {
  await using server = await startServer("https", delayMs);
  const seconds = { http1: [] as number[], http2: [] as number[] };
  const connections = { http1: 0, http2: 0 };
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0
      ? (["http1", "http2"] as const)
      : (["http2", "http1"] as const)) {
      const connect = { ca: server.certificate ?? "" };
      const agent = new Agent({
        connect,
        allowH2: name === "http2",
        connections: name === "http2" ? 1 : maxConcurrent,
      });
      const startedAt = performance.now();
      await sendAll(agent, server.origin, requests);
      seconds[name].push((performance.now() - startedAt) / 1000);
      connections[name] = (await server.counts()).connections;
      await agent.close();
    }
  }
  const text = (of: readonly number[]) => {
    const { median, min, max } = summarize(of);
    return `${median.toFixed(2)} s (${min.toFixed(2)} to ${max.toFixed(2)})`;
  };
  return [
    `${requests.toLocaleString("en")} requests, ${delayMs} ms an answer`,
    text(seconds.http1),
    text(seconds.http2),
    `${connections.http1} and ${connections.http2}`,
  ];
}

async function sendAll(agent: Agent, origin: string, requests: number): Promise<void> {
  const body = JSON.stringify({ url: "https://example.com/hooks", events: ["record.created"] });
  const headers = { authorization: "Bearer key", "content-type": "application/json" };
  const path = "/api/v1/bases/base_abc123/webhooks";
  await runAtOnce(requests, maxConcurrent, async () => {
    const answer = await agent.request({ origin, path, method: "POST", headers, body });
    await answer.body.text();
  });
}

async function startServer(protocol: "http" | "https", delayMs: number) {
  const server = fork(join(import.meta.dirname, "answering-server.mts"), [
    protocol,
    String(delayMs),
  ]);
  const [listening] = (await once(server, "message")) as [Listening];
  return {
    ...listening,
    counts: async () => {
      server.send("counts");
      const [counts] = (await once(server, "message")) as [Counts];
      return counts;
    },
    [Symbol.asyncDispose]: async () => {
      server.disconnect();
      await once(server, "exit");
    },
  };
}
