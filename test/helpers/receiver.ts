import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A notification as the receiver got it. */
export interface ReceivedNotification {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came: what is signed. */
  readonly rawBody: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they expect.
  readonly body: any;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly notifications: readonly ReceivedNotification[];
}

type Answer = (notification: ReceivedNotification, count: number) => number | Promise<number>;

/** Starts a receiver on loopback. It answers 204 unless told otherwise. */
export async function startReceiver(answer: Answer = () => 204, port = 0): Promise<Receiver> {
  const notifications: ReceivedNotification[] = [];
  const server = createServer(async (request, response) => {
    const [rawBody, { url: path = "", headers }] = [await text(request), request];
    const notification = { path, headers, rawBody, body: JSON.parse(rawBody) };
    notifications.push(notification);
    response.writeHead(await answer(notification, notifications.length)).end();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    notifications,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
