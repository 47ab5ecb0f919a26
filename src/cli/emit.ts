import { Agent, request } from "undici";
import * as z from "zod/mini";
import { parseJson } from "../common/json.js";
import { oneLine, redact } from "../common/redact.js";
import { isAbsoluteHttpUrl } from "../common/url.js";
import { defaultPort, readApiKeys, UsageError } from "./options.js";
import { outcomeText } from "./serve-log.js";

// Longer than the service waits for a receiver.
const timeoutSeconds = 60;

const dispatcher = new Agent({
  // Certificates are verified whatever NODE_TLS_REJECT_UNAUTHORIZED says.
  connect: { rejectUnauthorized: true },
  maxResponseSize: 1024 * 1024,
});

const deliveryResponse = z.object({
  webhookId: z.number(),
  delivered: z.boolean(),
  statusCode: z.optional(z.number()),
  problem: z.optional(z.string()),
});
const emitResponse = z.object({ id: z.string(), deliveries: z.array(deliveryResponse) });

const eventData = z.record(z.string(), z.unknown());

/** What to check for a status code that the local service explains only in part. */
const advice: Readonly<Record<number, string>> = {
  401: " Check --api-key.",
  404: " Check --database and --api-key.",
};

/** The error body of the API (docs/api/README.md#errors). */
const errorBody = z.object({ error: z.object({ message: z.string() }) });

/** The options of `emit`, as the command line passes them. */
export interface EmitOptions {
  readonly database?: string | undefined;
  readonly table?: string | undefined;
  readonly data?: string | undefined;
  readonly id?: string | undefined;
  readonly url?: string | undefined;
  readonly "api-key"?: readonly string[] | undefined;
}

/** `pulumi-dbwebhooks emit`: emits an event in a local service and prints its deliveries. */
export async function emit(type: string, options: EmitOptions): Promise<void> {
  const { id, deliveries } = await send(type, options);
  print(id);
  if (deliveries.length === 0) {
    print("No active webhook of this database subscribes to it.");
  }
  for (const delivery of deliveries) {
    print(`webhook ${delivery.webhookId}: ${outcomeText(delivery)}`);
  }
  process.exitCode = deliveries.every(({ delivered }) => delivered) ? 0 : 1;
}

async function send(type: string, options: EmitOptions) {
  const { database, table: tableId, data, id } = options;
  if (database === undefined) {
    throw new UsageError("--database: is required.");
  }
  const event = { type, tableId, id, data: data === undefined ? undefined : readData(data) };
  const [apiKey = ""] = readApiKeys(options["api-key"]).keys();
  const path = `/_local/bases/${encodeURIComponent(database)}/events`;
  const url = new URL(readBaseUrl(options.url) + path);
  const { statusCode, text } = await post(url, apiKey, event);

  const body = parseJson(text);
  const response = emitResponse.safeParse(body);
  if (response.success) {
    return response.data;
  }
  const failed = `${url.origin} responded with ${statusCode}:`;
  const message = errorBody.safeParse(body).data?.error.message;
  if (message === undefined) {
    throw new Error(`${failed} This is not a local service. Check --url.`);
  }
  const shown = oneLine(redact(message, [apiKey]), 500);
  throw new Error(`${failed} ${shown}${advice[statusCode] ?? ""}`);
}

async function post(url: URL, apiKey: string, event: object) {
  try {
    const { statusCode, body } = await request(url, {
      dispatcher,
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(event),
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    });
    return { statusCode, text: await body.text() };
  } catch (error) {
    const { code, name } = error as { code?: unknown; name: string };
    if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
      throw new Error(`The response of ${url.origin} is larger than 1 MiB. Check --url.`);
    }
    // The code of a timeout is a number, which says nothing to a user.
    const cause = typeof code === "string" ? code : name;
    throw new Error(
      `No response from ${url.origin} (${cause}). Is the local service running there? See pulumi-dbwebhooks serve.`,
    );
  }
}

function readBaseUrl(option: string | undefined): string {
  const url = option ?? (process.env.DBWEBHOOKS_BASE_URL || `http://127.0.0.1:${defaultPort}`);
  if (!isAbsoluteHttpUrl(url)) {
    throw new UsageError("--url (or DBWEBHOOKS_BASE_URL): must be an absolute http or https URL.");
  }
  return url.replace(/\/+$/, "");
}

function readData(text: string): unknown {
  const data = parseJson(text);
  if (!eventData.safeParse(data).success) {
    throw new UsageError(`--data: must be a JSON object, such as '{"recordIds":["rec_1"]}'.`);
  }
  return data;
}

function print(line: string): void {
  process.stdout.write(`${oneLine(line, 500)}\n`);
}
