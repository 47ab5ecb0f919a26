import type { Properties } from "../../../src/provider/rules/values.ts";
import { someState } from "../builders.ts";
import type { OperationKind } from "./plays.ts";
import type { ServiceWebhook, SimulatedService } from "./service.ts";

export const baseUrl = "https://tables.example.com";
export const retrySeconds = 20;
const databaseId = "base_abc123";

/** A resource of the program or of the state. */
export interface Resource {
  readonly number: number;
  readonly kind: OperationKind;
  readonly args: Properties;
  /** The webhook in the state, unless the resource is new. */
  readonly old?: { readonly webhook: ServiceWebhook; readonly state: Properties };
}

/** Declares the resource of an operation, and adds its old webhook to the service. */
export function declareResource(
  kind: OperationKind,
  number: number,
  service: SimulatedService,
): Resource {
  const url = `https://example.com/${tokenOf(`u${number}`)}`;
  const args = { databaseId, url, events: ["record.created"] };
  if (kind === "create") {
    return { number, kind, args };
  }
  const webhook = service.add({ url });
  if (kind === "recreate") {
    service.webhooks.delete(webhook.id);
  }
  const state = someState({ ...args, baseUrl, secret: webhook.secret });
  return { number, kind, args, old: { webhook, state } };
}

/** Returns the number of the resource that declares this URL. */
export const resourceNumberOf = (url: string) => Number(/u(\d+)/.exec(url)?.[1]);

/** Returns a text that has no eight letters in a row in common with the token of another name. */
export const tokenOf = (name: string) => [..."qzxvkmtw"].join(name);
