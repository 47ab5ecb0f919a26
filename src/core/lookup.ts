import { once } from "node:events";
import { shownValue } from "../common/redact.js";
import type { ListedWebhook } from "../service/bodies.js";
import {
  type FailedCall,
  listWebhooks,
  type NewWebhook,
  type WebhookAddress,
  type WebhookList,
} from "../service/client.js";
import { callText, lines, nameOfWebhook } from "./messages.js";
import type { Context } from "./operation.js";
import { normalizeEvents, type Properties } from "./values.js";

// Looking a webhook up in the list of its database, which the service shows with `listing` alone.

/** What a list says of one webhook. */
export type Lookup =
  | { readonly kind: "listed"; readonly webhook: ListedWebhook }
  | { readonly kind: "absent" }
  /** There is no list, or one that may be a part of all webhooks. */
  | { readonly kind: "unknown"; readonly failure: FailedCall | undefined };

/** Asks the service for one webhook. */
export async function lookUp(
  { account, operation }: Context,
  databaseId: string,
  id: string,
): Promise<Lookup> {
  const context = operation.context(account.settings);
  return findIn(await listWebhooks(account, context, databaseId), id);
}

/**
 * Looks a webhook up for a refresh, and says in one line what the state does not show. A refresh asks
 * for each webhook alone, before anything changes: one list of each database serves them all.
 *
 * @returns The properties in which it differs, as far as is known; nothing for a webhook that is gone.
 */
export async function refreshWebhook(
  context: Context,
  { baseUrl, databaseId, id }: WebhookAddress,
  state: Properties,
): Promise<Properties | undefined> {
  const { account, ledger, operation } = context;
  const { settings } = account;
  const name = nameOfWebhook(id, databaseId);
  const leaveAsIs = (why: string) => {
    if (!ledger.notLookedUp.has(databaseId)) {
      ledger.notLookedUp.add(databaseId);
      operation.notify(lines.notLookedUp(databaseId, why));
    }
    return {};
  };
  if (baseUrl !== settings.baseUrl) {
    const place = shownValue(baseUrl);
    return leaveAsIs(`they were created at ${place}, and dbwebhooks:baseUrl is another`);
  }
  const list =
    ledger.lists.get(databaseId) ?? listWebhooks(account, operation.context(settings), databaseId);
  ledger.lists.set(databaseId, list);
  const found = findIn(await list, id);
  if (found.kind === "absent") {
    operation.warn(lines.gone(name));
    return undefined;
  }
  if (found.kind === "unknown") {
    return leaveAsIs(
      found.failure === undefined
        ? "the service may have listed only a part of them"
        : callText(context, found.failure),
    );
  }
  const drift = driftOf(found.webhook, state);
  const properties = Object.keys(drift);
  operation.warn(properties.length === 0 ? undefined : lines.drift(name, properties));
  operation.warn(found.webhook.active ? undefined : lines.inactive(name));
  return drift;
}

/** What a creation in doubt may have left at the service. */
export interface Leftovers {
  /** Webhooks like the declared one that this run does not know. */
  readonly ids: readonly string[];
  /** Whether the service listed all its webhooks. */
  readonly isWhole: boolean;
}

/**
 * Looks for what a creation in doubt may have left: with `listing`, once, until Pulumi stops. The
 * webhooks that it finds may belong to somebody else, or to another creation in flight, so they are
 * never deleted.
 */
export async function lookForLeftovers(
  { account, ledger, engine, operation }: Context,
  webhook: NewWebhook,
): Promise<Leftovers> {
  const { databaseId } = webhook;
  if (!account.settings.listing) {
    return { ids: [], isWhole: false };
  }
  // The time of the creation may be over.
  const context = operation.withoutTimeLimit().context(account.settings);
  const settled = new AbortController();
  const noList = () => ({ webhooks: [], isWhole: false });
  const { webhooks, isWhole } = await Promise.race([
    listWebhooks(account, context, databaseId),
    once(engine.stopping, "abort", settled).then(noList, noList),
  ]);
  settled.abort();
  const ids = webhooks
    .filter((listed) => Object.keys(driftOf(listed, { ...webhook })).length === 0)
    .map(({ id }) => id)
    .filter((id) => !ledger.knows({ databaseId, id }));
  return { ids, isWhole };
}

/** The properties in which a listed webhook differs, with the values that it has. */
export function driftOf(listed: ListedWebhook, state: Properties): Record<string, unknown> {
  const events = normalizeEvents(listed.events);
  const drift: Record<string, unknown> = {};
  if (!isSameUrl(listed.url, state.url)) {
    drift.url = listed.url;
  }
  if (JSON.stringify(events) !== JSON.stringify(normalizeEvents(state.events))) {
    drift.events = events;
  }
  // Several tables are nothing that a program can declare: the text only shows them. An empty list
  // names no table; taken for a change, every update would replace the webhook.
  const tableId = listed.tableIds?.join(", ") || undefined;
  if (tableId !== (state.tableId ?? undefined)) {
    drift.tableId = tableId;
  }
  return drift;
}

/** A webhook is absent only from a list of all webhooks. */
function findIn({ webhooks, isWhole, failure }: WebhookList, id: string): Lookup {
  const webhook = webhooks.find((one) => one.id === id);
  if (webhook !== undefined) {
    return { kind: "listed", webhook };
  }
  return isWhole ? { kind: "absent" } : { kind: "unknown", failure };
}

/** Whether two texts are the same URL; services also store `https://a.example` with a `/` behind it. */
function isSameUrl(listed: string, stored: unknown): boolean {
  const areUrls = typeof stored === "string" && URL.canParse(stored) && URL.canParse(listed);
  return areUrls ? new URL(stored).href === new URL(listed).href : listed === stored;
}
