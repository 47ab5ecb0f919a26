import { once } from "node:events";
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingHttpHeaders,
} from "node:http";
import { createServer as createHttpsServer, Server as HttpsServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { text } from "node:stream/consumers";
import { setDefaultCACertificates } from "node:tls";
import { generate } from "selfsigned";

/** What the service answers; status 200 and no body unless told otherwise. */
export interface Answer {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is when it is a string. */
  readonly body?: unknown;
}

/** Starts a service that gives these answers in this order, the last one again and again. */
export function startServer(...answers: readonly Answer[]) {
  return serve(createHttpServer(), answers);
}

/** The same with TLS, for `tables.example.test` and 127.0.0.1, which this process may be told to trust. */
export async function startTlsServer(
  { isTrusted }: { readonly isTrusted: boolean },
  ...answers: readonly Answer[]
) {
  const altNames = [{ type: 2 as const, value: "tables.example.test" }];
  const { private: key, cert } = await generate([{ name: "commonName", value: "test" }], {
    keyType: "ec",
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [...altNames, { type: 7, ip: "127.0.0.1" }] },
    ],
  });
  if (isTrusted) {
    setDefaultCACertificates([cert]);
  }
  // Prefers HTTP/2, which it does not speak: a client that accepts it gets no answer.
  const server = createHttpsServer({ key, cert, ALPNProtocols: ["h2", "http/1.1"] });
  // What a client that does not trust it does to a handshake.
  server.on("tlsClientError", () => undefined);
  return { ...(await serve(server, answers)), certificate: cert };
}

async function serve(server: HttpServer | HttpsServer, answers: readonly Answer[]) {
  // The path is as it stood in the request line.
  const requests: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[] =
    [];
  let connections = 0;
  server.on("connection", () => {
    connections++;
  });
  server.on("request", async (request, response) => {
    const { method = "", url: path = "", headers } = request;
    requests.push({ method, path, headers, body: await text(request) });
    const answer = answers[Math.min(requests.length, answers.length) - 1] ?? {};
    const { body = "" } = answer;
    response.writeHead(answer.statusCode ?? 200, answer.headers);
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  const url = await listen(server);
  return {
    url: server instanceof HttpsServer ? url.replace("http:", "https:") : url,
    requests,
    connections: () => connections,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return server[Symbol.asyncDispose]();
    },
  };
}

/**
 * Starts what accepts connections and is silent until it is opened: then it leads to a server, also as
 * a proxy that is asked to CONNECT. `heads` has what each connection sent first.
 */
export async function startGate(target: string) {
  const heads: string[] = [];
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const server = await startSocketServer((socket) =>
    socket.once("data", async (first) => {
      const head = first.toString("latin1");
      heads.push(head);
      socket.pause();
      await opened;
      const upstream = connect(Number(new URL(target).port), "127.0.0.1");
      if (head.startsWith("CONNECT ")) {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      } else {
        upstream.write(first);
      }
      pipeline(socket, upstream, socket, () => undefined);
    }),
  );
  return { ...server, heads, open };
}

/**
 * Starts a server whose answer to each whole request is written, or broken, by hand. `requests` has the
 * heads of those.
 */
export async function startRawServer(answer: (socket: Socket) => void) {
  const requests: string[] = [];
  const server = await startSocketServer((socket) => {
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      const [head = "", body] = received.split("\r\n\r\n", 2);
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (body !== undefined && body.length >= length) {
        requests.push(head);
        received = "";
        answer(socket);
      }
    });
  });
  return { ...server, requests };
}

async function startSocketServer(serveSocket: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => undefined));
    serveSocket(socket);
  });
  return {
    url: await listen(server),
    [Symbol.asyncDispose]: () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      return server[Symbol.asyncDispose]();
    },
  };
}

/** A base URL on which nothing listens. */
export async function refusedUrl(): Promise<string> {
  const server = createServer();
  const url = await listen(server);
  await server[Symbol.asyncDispose]();
  return url;
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
