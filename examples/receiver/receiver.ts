import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";

/** The body of a notification. */
interface DatabaseEvent {
  /** The same in every attempt to deliver the event. */
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface ReceiverOptions {
  /** Called for each notification. Returns the valid secrets: one, or two during a rotation. */
  readonly secrets: () => readonly string[];
  /** Called once per event. If it throws, the receiver responds with 500. */
  readonly onEvent: (event: DatabaseEvent) => void | Promise<void>;
}

const maxBodyBytes = 1024 * 1024;
const maxKnownIds = 10_000;
// Node.js responds with 408 to a request that does not arrive within ten seconds.
const timeouts = { requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };

/** Creates an HTTP server that receives notifications. */
export function createReceiver({ secrets, onEvent }: ReceiverOptions): Server {
  // The ids are in memory to keep the example small, so a restart forgets them. If a repeated event
  // does harm, store them in your database, in the transaction that handles the event.
  const handled = new Map<string, Promise<void>>();

  const handleOnce = (event: DatabaseEvent): Promise<void> => {
    const earlier = handled.get(event.id);
    if (earlier !== undefined) {
      return earlier;
    }
    const handling = (async () => onEvent(event))();
    handled.set(event.id, handling);
    handling.catch(() => handled.delete(event.id));
    const [oldest] = handled.keys();
    if (handled.size > maxKnownIds && oldest !== undefined) {
      handled.delete(oldest);
    }
    return handling;
  };

  const receive = async (request: IncomingMessage): Promise<number> => {
    if (request.method !== "POST") {
      return 405;
    }
    const rawBody = await readBody(request);
    if (rawBody === undefined) {
      return 413;
    }
    const signature = request.headers["x-webhook-signature"];
    if (!secrets().some((secret) => isSigned(secret, rawBody, signature))) {
      return 401;
    }
    const event = parseEvent(rawBody);
    if (event === undefined) {
      return 400;
    }
    await handleOnce(event);
    return 204;
  };

  return createServer(timeouts, async (request, response) => {
    const statusCode = await receive(request).catch((error) => {
      process.stderr.write(`${error}\n`);
      return 500;
    });
    response.writeHead(statusCode).end();
  });
}

/** Whether a header, which may be missing, is the signature of the bytes that arrived. */
function isSigned(
  secret: string,
  rawBody: Buffer,
  signature: string | string[] | null | undefined,
): boolean {
  const given = Buffer.from(String(signature));
  const expected = Buffer.from(createHmac("sha256", secret).update(rawBody).digest("hex"));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function parseEvent(rawBody: Buffer): DatabaseEvent | undefined {
  try {
    const event = JSON.parse(rawBody.toString());
    return isText(event.id) && isText(event.type) ? event : undefined;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) {
      chunks.push(chunk);
    }
  }
  return bytes <= maxBodyBytes ? Buffer.concat(chunks) : undefined;
}
