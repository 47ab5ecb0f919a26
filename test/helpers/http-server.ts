import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import http, { type IncomingHttpHeaders } from "node:http";
import https from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { text } from "node:stream/consumers";
import { setDefaultCACertificates } from "node:tls";
import forge from "node-forge";

/** A response of the service. Default: status 200 without a body. */
export interface StubResponse {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent as JSON, or as it is when it is a string or bytes. */
  readonly body?: unknown;
}

/**
 * Starts a service that sends these responses in this order, and the last one to all later
 * requests.
 */
export const startServer = (...responses: readonly StubResponse[]) =>
  serve(http.createServer(), responses);

// A key takes a tenth of a second or more, and a process that trusts a certificate trusts its key.
const identities: Partial<Record<"trusted" | "untrusted", { key: string; cert: string }>> = {};

/**
 * Starts such a service with TLS, for `tables.example.test`, 127.0.0.1 and 192.0.2.1. It is
 * also a proxy to itself. `isTrusted` is for this process.
 */
export async function startTlsServer(
  { isTrusted }: { readonly isTrusted: boolean },
  ...responses: readonly StubResponse[]
) {
  const name = isTrusted ? "trusted" : "untrusted";
  identities[name] ??= selfSignedCertificate();
  const { key, cert } = identities[name];
  if (isTrusted) {
    setDefaultCACertificates([cert]);
  }
  // The server prefers HTTP/2 but does not implement it: a client that offers HTTP/2 gets no
  // response.
  const server = https.createServer({ key, cert, ALPNProtocols: ["h2", "http/1.1"] });
  // A client that does not trust the certificate ends the handshake.
  server.on("tlsClientError", () => undefined);
  server.on("connect", (_, socket) => {
    const upstream = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("HTTP/1.1 200 Connected\r\n\r\n");
    pipeline(socket, upstream, socket, () => undefined);
  });
  return { ...(await serve(server, responses)), certificate: cert };
}

function selfSignedCertificate(): { key: string; cert: string } {
  // node-forge takes seconds for a key.
  const { privateKey: key, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  certificate.validity.notAfter = new Date(Date.now() + 24 * 60 * 60 * 1000);
  const name = [{ name: "commonName", value: "test" }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  const host = { type: 2, value: "tables.example.test" };
  const addresses = ["127.0.0.1", "192.0.2.1"].map((ip) => ({ type: 7, ip }));
  certificate.setExtensions([
    { name: "basicConstraints", cA: true },
    { name: "subjectAltName", altNames: [host, ...addresses] },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(key), forge.md.sha256.create());
  return { key, cert: forge.pki.certificateToPem(certificate) };
}

async function serve(server: http.Server | https.Server, responses: readonly StubResponse[]) {
  // `path` is as in the request line: not decoded or normalized.
  const requests: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[] =
    [];
  let connections = 0;
  server.on("connection", () => void connections++);
  server.on("request", async (request, response) => {
    const { method = "", url: path = "", headers } = request;
    requests.push({ method, path, headers, body: await text(request) });
    const stub = responses[Math.min(requests.length, responses.length) - 1] ?? {};
    const { statusCode = 200, body = "" } = stub;
    response.writeHead(statusCode, stub.headers);
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    response.end(isRaw ? body : JSON.stringify(body));
  });
  return { ...(await listenForHttp(server)), requests, connections: () => connections };
}

/** Listens on a free port of loopback. Disposing of the result breaks open connections. */
export async function listenForHttp(server: http.Server | https.Server) {
  const url = await listen(server);
  return {
    url: server instanceof https.Server ? url.replace("http:", "https:") : url,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return server[Symbol.asyncDispose]();
    },
  };
}

/**
 * Starts a proxy that accepts connections and sends nothing until `open` is called. Then it
 * forwards them to the target, with or without CONNECT. `heads` holds the first bytes of each
 * connection.
 */
export async function startProxy(target: string) {
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
        socket.write("HTTP/1.1 200 Connected\r\n\r\n");
      } else {
        upstream.write(first);
      }
      pipeline(socket, upstream, socket, () => undefined);
    }),
  );
  return { ...server, heads, open };
}

/**
 * Starts a server that calls `respond` for each complete request. `requests` holds their headers.
 */
export async function startRawServer(respond: (socket: Socket) => void) {
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
        respond(socket);
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

/**
 * An address that refuses connections. Another test can listen at a free port; nothing listens at
 * this one.
 */
export const refusedAddress = "127.0.0.1:1";
export const refusedUrl = `http://${refusedAddress}`;

/** Listens on loopback, by default on a free port. */
export async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
