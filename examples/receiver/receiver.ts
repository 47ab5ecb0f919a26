import { createServer, type IncomingMessage, type Server } from "node:http";
import { Webhook } from "standardwebhooks";

/** What a notification tells. */
interface DatabaseEvent {
  /** The same in every repetition. */
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface ReceiverOptions {
  /** The secrets that count at this moment: one, and two during a rotation. */
  readonly secrets: () => readonly string[];
  /** Called once for each event. When it throws, the service is asked to send the event again. */
  readonly onEvent: (event: DatabaseEvent) => void | Promise<void>;
}

const maxBodyBytes = 1024 * 1024;
const maxKnownIds = 10_000;

/** Makes an HTTP server that receives notifications. */
export function createReceiver({ secrets, onEvent }: ReceiverOptions): Server {
  // In memory, to keep the example small. Where a repetition does harm, keep the ids in the database
  // that the event changes, in the same transaction.
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
    const event = verify(rawBody, request, secrets());
    if (event === undefined) {
      return 401;
    }
    await handleOnce(event);
    return 204;
  };

  return createServer(async (request, response) => {
    const statusCode = await receive(request).catch(() => 500);
    response.writeHead(statusCode).end();
  });
}

/** The event, when one of the secrets signed this body; its bytes must be those that came. */
function verify(
  rawBody: Buffer,
  { headers }: IncomingMessage,
  secrets: readonly string[],
): DatabaseEvent | undefined {
  for (const secret of secrets) {
    try {
      return new Webhook(secret).verify(
        rawBody,
        headers as Record<string, string>,
      ) as DatabaseEvent;
    } catch {
      // Perhaps the next secret.
    }
  }
  return undefined;
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
