import { request } from "undici";
import * as z from "zod/mini";
import { isApiKey } from "../common/identifier.js";
import { parseJson } from "../common/json.js";
import { oneLine, redact, redactorOf } from "../common/redact.js";
import { isAbsoluteHttpUrl, isLoopback } from "../common/url.js";
import { defaultApiKey, defaultPort } from "./defaults.js";
import { UsageError } from "./usage-error.js";

const maxLength = 500;

/** The options of `emit`, as the command line gives them. */
export interface EmitWords {
  readonly database?: string;
  readonly table?: string;
  readonly data?: string;
  readonly id?: string;
  readonly wait: string;
  readonly url?: string;
  readonly apiKey?: string;
}

/** `pulumi-dbwebhooks emit`: makes an event happen in a local service. */
export async function emit(type: string, words: EmitWords): Promise<void> {
  const order = readOrder(type, words, process.env);
  const { id, deliveries } = await send(order);
  const redacted = redactorOf([order.apiKey]);
  const nobody = deliveries.length === 0 ? ["No active webhook of this database selects it."] : [];
  for (const line of [id, ...nobody, ...deliveries.map(deliveryLine)]) {
    process.stdout.write(`${oneLine(redacted(line), maxLength)}\n`);
  }
  const isLate = deliveries.some(({ outcome }) => outcome !== "delivered");
  process.exitCode = isLate && order.waitSeconds > 0 ? 1 : 0;
}

/** The line that shows one delivery. */
export function deliveryLine(delivery: ShownDelivery): string {
  const { webhookId, outcome, attempts, statusCode, problem } = delivery;
  const answer = statusCode ?? problem;
  const start = `webhook ${webhookId}: ${outcome}`;
  if (attempts === 0) {
    return start;
  }
  if (answer === undefined) {
    return `${start}, attempt ${attempts} under way`;
  }
  // The next attempt may be in flight, so the answer can belong to the one before.
  return outcome === "pending"
    ? `${start}, attempts: ${attempts}, last answer: ${answer}`
    : `${start}, attempt ${attempts}: ${answer}`;
}

interface EmitOrder {
  readonly url: URL;
  readonly apiKey: string;
  readonly waitSeconds: number;
  readonly event: Readonly<Record<string, unknown>>;
}

const shownDelivery = z.object({
  webhookId: z.number(),
  outcome: z.string(),
  attempts: z.number(),
  statusCode: z.optional(z.number()),
  problem: z.optional(z.string()),
});

type ShownDelivery = z.infer<typeof shownDelivery>;

const emitAnswer = z.object({ id: z.string(), deliveries: z.array(shownDelivery) });

/** Interface section 7. */
const errorBody = z.object({ error: z.object({ message: z.string() }) });

type EmitAnswer = z.infer<typeof emitAnswer>;

function readOrder(type: string, words: EmitWords, environment: NodeJS.ProcessEnv): EmitOrder {
  const { database, table: tableId, data, id, wait } = words;
  if (!database) {
    throw new UsageError("emit needs --database ID. See --help.");
  }
  if (!/^\d+(\.\d+)?$/.test(wait) || Number(wait) > 600) {
    throw new UsageError("--wait: must be a number of seconds, 0 to 600.");
  }
  const baseUrl =
    words.url ?? (environment.DBWEBHOOKS_BASE_URL || `http://127.0.0.1:${defaultPort}`);
  if (!isAbsoluteHttpUrl(baseUrl)) {
    throw new UsageError("--url (or DBWEBHOOKS_BASE_URL): must be an absolute http or https URL.");
  }
  const { hostname, protocol } = new URL(baseUrl);
  const isKnown = baseUrl === environment.DBWEBHOOKS_BASE_URL;
  const isTrusted = isLoopback(hostname) || (isKnown && protocol === "https:");
  if (!isTrusted && words.apiKey === undefined) {
    throw new UsageError(
      "--api-key: is needed for this URL. DBWEBHOOKS_API_KEY is sent only to a loopback host, and to DBWEBHOOKS_BASE_URL over https.",
    );
  }
  const apiKey = words.apiKey ?? (environment.DBWEBHOOKS_API_KEY || defaultApiKey);
  if (!isApiKey(apiKey)) {
    throw new UsageError(
      "--api-key (or DBWEBHOOKS_API_KEY): must be visible ASCII characters, without spaces and line breaks.",
    );
  }
  const path = `/_local/bases/${encodeURIComponent(database)}/events?wait=${wait}`;
  return {
    url: new URL(baseUrl.replace(/\/+$/, "") + path),
    apiKey,
    waitSeconds: Number(wait),
    event: { type, tableId, id, data: data === undefined ? undefined : readData(data) },
  };
}

function readData(text: string): unknown {
  const data = parseJson(text);
  if (data === undefined) {
    throw new UsageError(`--data: must be a JSON object, such as '{"recordIds":["rec_1"]}'.`);
  }
  return data;
}

async function send({ url, apiKey, waitSeconds, event }: EmitOrder): Promise<EmitAnswer> {
  const answer = await request(url, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(event),
    // The signal is the limit; undici's own of 300 s is below what --wait may ask for.
    signal: AbortSignal.timeout((waitSeconds + 30) * 1000),
    headersTimeout: 0,
    bodyTimeout: 0,
  }).catch((error: { code?: string; name: string }) => {
    throw new Error(
      `No answer from ${url.origin} (${error.code ?? error.name}). Is the local service running there? See pulumi-dbwebhooks serve.`,
    );
  });
  const text = await answer.body.text();
  const isDone = answer.statusCode === 200 || answer.statusCode === 202;
  const { data: done } = emitAnswer.safeParse(isDone ? parseJson(text) : undefined);
  if (done !== undefined) {
    return done;
  }
  throw new Error(explainRefusal(answer.statusCode, text, url, apiKey));
}

function explainRefusal(statusCode: number, text: string, url: URL, apiKey: string): string {
  const message = errorBody.safeParse(parseJson(text)).data?.error.message;
  if (message === undefined) {
    return `${url.origin} answered ${statusCode}: it is no local service. Check --url.`;
  }
  if (statusCode === 401) {
    return "The service does not know this API key. Set --api-key, or DBWEBHOOKS_API_KEY.";
  }
  if (statusCode === 404) {
    return "This API key may not use this database. Check --database and --api-key.";
  }
  return oneLine(`The service answered ${statusCode}. ${redact(message, [apiKey])}`, maxLength);
}
