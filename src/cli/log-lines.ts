import { oneLine, redactorOf } from "../common/redact.js";
import type { Delivery, EmittedEvent, ReceivedRequest } from "../local-service/index.js";

const maxLength = 300;

/** The lines of the log of `serve`; none of them holds a key, a secret or the path of a receiver. */
export class LogLines {
  readonly #redact: (text: string) => string;

  constructor(apiKeys: readonly string[]) {
    this.#redact = redactorOf(apiKeys);
  }

  ofRequest({ method, path, statusCode, outcome, webhookId }: ReceivedRequest): string {
    const [pathname] = path.split("?");
    const about = method === "POST" && webhookId !== undefined ? `, webhook ${webhookId}` : "";
    return this.#line(`${method} ${pathname} ${statusCode ?? outcome}${about}`);
  }

  ofEvent({ type, id, databaseId, tableId, deliveries }: EmittedEvent): string {
    const where = tableId === undefined ? databaseId : `${databaseId}, ${tableId}`;
    const told = deliveries.map(({ webhookId }) => webhookId).join(", ");
    const whom = told === "" ? "no webhook selects it" : `for webhook ${told}`;
    return this.#line(`event ${type} ${id} in ${where}: ${whom}`);
  }

  ofDelivery({ event, webhookId, url, attempts, statusCode, problem, outcome }: Delivery): string {
    const end = outcome === "pending" ? "will be tried again" : outcome;
    const to = url === undefined ? "" : ` at ${new URL(url).host}`;
    const attempt = attempts === 0 ? "" : `, attempt ${attempts}: ${statusCode ?? problem}`;
    return this.#line(`delivery of ${event.id} to webhook ${webhookId}${to}${attempt}, ${end}`);
  }

  #line(text: string): string {
    return oneLine(this.#redact(text), maxLength);
  }
}
