import { once } from "node:events";
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer, Server as HttpsServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setDefaultCACertificates } from "node:tls";
import { generate } from "selfsigned";

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
export function startServer(...answers: readonly Answer[]): Promise<TestServer> {
  return serve(createHttpServer(), answers);
}

/** The same with TLS, for `tables.example.test` and 127.0.0.1, which this process may be told to trust. */
export async function startTlsServer(
  { isTrusted }: { readonly isTrusted: boolean },
  ...answers: readonly Answer[]
): Promise<TestServer> {
  const { private: key, cert } = await generate([{ name: "commonName", value: "test" }], {
    keyType: "ec",
    extensions: [
      { name: "basicConstraints", cA: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "tables.example.test" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  if (isTrusted) {
    setDefaultCACertificates([cert]);
  }
  // Prefers HTTP/2, which it does not speak: a client that accepts it gets no answer.
  const server = createHttpsServer({ key, cert, ALPNProtocols: ["h2", "http/1.1"] });
  // What a client that does not trust it does to a handshake.
  server.on("tlsClientError", () => undefined);
  return serve(server, answers);
}

async function serve(
  server: HttpServer | HttpsServer,
  answers: readonly Answer[],
): Promise<TestServer> {
  const requests: SeenRequest[] = [];
  const connections = new Map<Socket, number>();
  server.on("request", async (request: IncomingMessage, response: ServerResponse) => {
    const body = await textOf(request);
    const { method = "", url = "", headers, socket } = request;
    const connection = connections.get(socket) ?? connections.size;
    connections.set(socket, connection);
    requests.push({ method, path: url, headers, body, connection });
    const answer = answers[Math.min(requests.length, answers.length) - 1] ?? {};
    response.writeHead(answer.statusCode ?? 200, answer.headers);
    response.end(textOfBody(answer.body));
  });
  const url = await listen(server);
  return {
    url: server instanceof HttpsServer ? url.replace("http:", "https:") : url,
    requests,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return close(server);
    },
  };
}

export interface Gate extends AsyncDisposable {
  readonly url: string;
  /** How many connections have come, and have sent something. */
  readonly count: () => number;
  /** Lets through what has come, and what will. */
  readonly open: () => void;
}

/**
 * Starts what accepts connections and is silent until it is opened: then it leads to a server, also as
 * a proxy that is asked to CONNECT.
 */
export async function startGate(target: string): Promise<Gate> {
  const waiting: (() => void)[] = [];
  const sockets = new Set<Socket>();
  let isOpen = false;
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("data", (first) => {
      socket.pause();
      const pass = () => {
        const upstream = connect(Number(new URL(target).port), "127.0.0.1");
        sockets.add(upstream.on("error", () => undefined));
        if (first.toString("latin1").startsWith("CONNECT ")) {
          socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        } else {
          upstream.write(first);
        }
        socket.pipe(upstream).pipe(socket);
      };
      waiting.push(pass);
      if (isOpen) {
        pass();
      }
    });
  });
  const url = await listen(server);
  return {
    url,
    count: () => waiting.length,
    open: () => {
      isOpen = true;
      for (const pass of waiting) {
        pass();
      }
    },
    [Symbol.asyncDispose]: () => destroyAll(server, sockets),
  };
}

export interface RawServer extends AsyncDisposable {
  readonly url: string;
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
    requests,
    [Symbol.asyncDispose]: () => destroyAll(server, sockets),
  };
}

function destroyAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) {
    socket.destroy();
  }
  return close(server);
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
