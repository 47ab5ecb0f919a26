import type { HttpOutcome, HttpRequest } from "../../../src/api/http-exchange.ts";
import { errorBody, listed } from "../builders.ts";
import { connectionLost, connectionRefused, response, throttled } from "../transport.ts";
import type { Fault } from "./plays.ts";
import { resourceNumberOf, tokenOf } from "./resources.ts";

/** A webhook at the service. */
export interface ServiceWebhook {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  /** The number of the resource, unless the webhook existed before the play. */
  readonly createdFor?: number;
}

/** How a request ends, and the webhook that the response to a creation names. */
interface Reply {
  readonly outcome: HttpOutcome;
  readonly named?: ServiceWebhook;
}

/** The service. It carries a request out when the request arrives. */
export class SimulatedService {
  /** The webhooks that exist now, by id. */
  readonly webhooks = new Map<string, ServiceWebhook>();
  /** Every webhook that existed at some time. */
  readonly all: ServiceWebhook[] = [];
  readonly unmanaged = this.add({ url: `https://example.com/${tokenOf("unmanaged")}` });
  canList = true;
  readonly #mayName: (webhook: ServiceWebhook) => boolean;

  /** @param mayName Whether the fault `existing` may name this webhook. */
  constructor(mayName: (webhook: ServiceWebhook) => boolean) {
    this.#mayName = mayName;
  }

  add(given: { url: string; id?: string; createdFor?: number }): ServiceWebhook {
    const serial = this.all.length;
    const webhook = { id: String(7_000_001 + serial), secret: tokenOf(`k${serial}`), ...given };
    this.webhooks.set(webhook.id, webhook);
    this.all.push(webhook);
    return webhook;
  }

  receive({ method, url, body }: HttpRequest, fault: Fault): Reply {
    const id = url.pathname.split("/").at(-1) ?? "";
    const receiver = (body as { url?: string } | undefined)?.url ?? "";
    if (fault === "unreachable") {
      return { outcome: connectionRefused };
    }
    if (fault === "throttled") {
      return { outcome: throttled(6_000) };
    }
    if (fault === "failed") {
      return { outcome: response(500) };
    }
    if (fault === "intercepted") {
      return { outcome: { kind: "response", statusCode: 202, body: "" } };
    }
    if (fault === "denied") {
      return { outcome: response(404, undefined, errorBody("NOT_FOUND")) };
    }
    if (fault === "refused") {
      return { outcome: this.#refuse(receiver, id) };
    }
    if (method === "GET") {
      return { outcome: fault === "lost" ? connectionLost : this.#list(fault) };
    }
    const reply = method === "POST" ? this.#create(receiver, fault) : { outcome: this.#delete(id) };
    return fault === "lost" ? { outcome: connectionLost } : reply;
  }

  /** Repeats a value that only the operation of this request knows to be sensitive. */
  #refuse(receiver: string, id: string): HttpOutcome {
    const isReused = this.all.filter((webhook) => webhook.id === id).length > 1;
    const secret = isReused ? "" : this.webhooks.get(id)?.secret;
    return response(403, undefined, errorBody("NO", `No: ${receiver || secret}`));
  }

  #create(url: string, fault: Fault): Reply {
    const named = this.#webhookToName(url, fault);
    const { id } = named;
    const secret = fault === "unusableSecret" ? `${named.secret}\n` : named.secret;
    if (fault === "noId") {
      return { outcome: response(201, undefined, { secret }) };
    }
    const hasSecret = fault !== "noSecret" && fault !== "unmanaged";
    return { outcome: response(201, undefined, hasSecret ? { id, secret } : { id }), named };
  }

  #webhookToName(url: string, fault: Fault): ServiceWebhook {
    if (fault === "unmanaged") {
      return this.unmanaged;
    }
    const existing = [...this.webhooks.values()].findLast(this.#mayName);
    if (fault === "existing" && existing) {
      return existing;
    }
    const deleted = this.all.find(({ id }) => !this.webhooks.has(id));
    const reused = fault === "reusedId" && deleted ? { id: deleted.id } : {};
    return this.add({ url, createdFor: resourceNumberOf(url), ...reused });
  }

  #delete(id: string): HttpOutcome {
    return this.webhooks.delete(id)
      ? response(200, undefined, { success: true })
      : response(404, undefined, errorBody("NOT_FOUND"));
  }

  #list(fault: Fault): HttpOutcome {
    if (!this.canList) {
      return response(404);
    }
    if (fault === "cached") {
      const extent = { isStored: true, mayBePartial: false, totalCounts: [] };
      return Object.assign(response(200, undefined, { webhooks: [] }), { extent });
    }
    const webhooks = [...this.webhooks.values()].map(({ id, url }) =>
      listed({ id: Number(id), url, events: ["record.created"] }),
    );
    return response(200, undefined, { webhooks });
  }
}
