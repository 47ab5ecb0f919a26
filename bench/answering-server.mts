// A process that answers every request as the service answers a creation, after a while, and counts.
import { once } from "node:events";
import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { generate } from "selfsigned";

/** What the process says when it listens. */
export interface Listening {
  readonly origin: string;
  /** The certificate to trust, where it speaks TLS. */
  readonly certificate?: string;
}

/** What the process answers to any message, counted since the last one. */
export interface Counts {
  readonly connections: number;
  readonly mostAtOnce: number;
}

const [protocol, delayMs] = process.argv.slice(2);
let nextId = 1;
let connections = 0;
let atOnce = 0;
let mostAtOnce = 0;

const certificate =
  protocol === "https" ? await generate([{ name: "commonName", value: "localhost" }]) : undefined;
const server =
  certificate === undefined
    ? createServer(answer).on("connection", noteConnection)
    : createSecureServer(
        { key: certificate.private, cert: certificate.cert, allowHTTP1: true },
        answer,
      ).on("secureConnection", noteConnection);
server.listen(0, "localhost");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
process.send?.({ origin: `${protocol}://localhost:${port}`, certificate: certificate?.cert });
process.on("message", () => {
  process.send?.({ connections, mostAtOnce } satisfies Counts);
  connections = 0;
  mostAtOnce = 0;
});
process.once("disconnect", () => process.exit());

interface Incoming {
  resume(): unknown;
  once(event: "end", listener: () => void): unknown;
}

interface Outgoing {
  writeHead(statusCode: number, headers: Record<string, string>): unknown;
  end(text: string): unknown;
}

function answer(request: Incoming, response: Outgoing): void {
  atOnce += 1;
  mostAtOnce = Math.max(mostAtOnce, atOnce);
  request.resume();
  request.once("end", () => {
    setTimeout(() => {
      atOnce -= 1;
      response.writeHead(201, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: nextId++, secret: `whsec_${"x".repeat(43)}=` }));
    }, Number(delayMs));
  });
}

function noteConnection(): void {
  connections += 1;
}
