import { once } from "node:events";
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** A request as the service saw it. */
interface SeenRequest {
  readonly method: string;
  /** As it stood in the request line. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Number of the connection that it came on, from 0. */
  readonly connection: number;
}

/** What the service answers; status 200 and no body unless told otherwise. */
export interface Answer {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is when it is a string. */
  readonly body?: unknown;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: SeenRequest[];
}

/** Starts a service that gives these answers in this order, the last one again and again. */
export async function startServer(...answers: readonly Answer[]): Promise<TestServer> {
  const requests: SeenRequest[] = [];
  const connections = new Map<Socket, number>();
  const server = createHttpServer(async (request, response) => {
    const body = await textOf(request);
    const { method = "", url = "", headers } = request;
    const connection = connections.get(request.socket) ?? -1;
    requests.push({ method, path: url, headers, body, connection });
    const answer = answers[Math.min(requests.length, answers.length) - 1] ?? {};
    response.writeHead(answer.statusCode ?? 200, answer.headers);
    response.end(textOfBody(answer.body));
  });
  server.on("connection", (socket: Socket) => connections.set(socket, connections.size));
  const url = await listen(server);
  return {
    url,
    requests,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return close(server);
    },
  };
}

export interface RawServer extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  /** Heads of the requests that arrived whole. */
  readonly requests: string[];
}

/** Starts a server whose answer to each whole request is written, or broken, by hand. */
export async function startRawServer(answer: (socket: Socket) => void): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const [head = "", body] = text.split("\r\n\r\n", 2);
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (body !== undefined && body.length >= length) {
        requests.push(head);
        text = "";
        answer(socket);
      }
    });
  });
  const url = await listen(server);
  return {
    url,
    host: new URL(url).host,
    requests,
    [Symbol.asyncDispose]: () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      return close(server);
    },
  };
}

/** A base URL on which nothing listens. */
export async function refusedUrl(): Promise<string> {
  const server = createServer();
  const url = await listen(server);
  await close(server);
  return url;
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function textOfBody(body: unknown): string {
  return typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
}
