import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { listenForHttp } from "./http-server.ts";

interface ReceivedNotification {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The signed bytes, as they arrived. */
  readonly rawBody: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they expect.
  readonly body: any;
}

type Respond = (notification: ReceivedNotification, count: number) => number | Promise<number>;

/** Starts a receiver on loopback. It responds with 204 unless `respond` says otherwise. */
export async function startReceiver(respond: Respond = () => 204) {
  const notifications: ReceivedNotification[] = [];
  const server = createServer(async (request, response) => {
    const rawBody = await text(request);
    const { url: path = "", headers } = request;
    const notification = { path, headers, rawBody, body: JSON.parse(rawBody) };
    notifications.push(notification);
    response.writeHead(await respond(notification, notifications.length)).end();
  });
  return { ...(await listenForHttp(server)), notifications };
}

/** Signs a body as the named service documents it. */
export function signatureOf(body: string, secret: string | Buffer): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}
