// Compares the lists of databases with the states of stacks. Whoever reads that no resource has a
// webhook deletes it next, so nothing here may say so of a webhook that a resource has or may get.
import type { ListedWebhook } from "../../api/schemas.js";
import type {
  PendingCreation,
  StackResource,
  StackState,
} from "../../provider/rules/exported-state.js";
import type { Settings } from "../../provider/rules/settings.js";
import { isElsewhere } from "../../provider/rules/webhook-address.js";
import type { GivenState } from "./states.js";

/** The list of a database, or why it could not be read. */
export type DatabaseList<Webhook> = { readonly databaseId: string } & (
  | { readonly webhooks: readonly Webhook[]; readonly isComplete: boolean; readonly error?: never }
  | { readonly webhooks?: never; readonly error: string }
);

/** A resource of a given state, and the webhook that it has. */
export interface Holder extends StackResource {
  readonly state: GivenState;
  /** Whether its base URL is another one, which can be one of the same service. */
  readonly isElsewhere: boolean;
}

/** A webhook of a database, and the resources that have it: more than one is a mistake. */
export interface WebhookRow {
  readonly id: string;
  /**
   * `missing`: the service has no such webhook. `unknown`: its list may be a part, or older than the
   * resource.
   */
  readonly listed: ListedWebhook | "missing" | "unknown";
  readonly holders: readonly Holder[];
  /** The resources that had it before the list was requested. */
  readonly formerHolders: readonly Holder[];
  /** Whether certainly no given state has the webhook, or is about to. */
  readonly isUnmanaged: boolean;
}

/** The states that were read before the lists were requested, and after it. */
export interface StateReadings {
  readonly before: readonly GivenState[];
  readonly after: readonly GivenState[];
}

/** Returns all resources of states. */
export function holdersOf(
  states: readonly GivenState[],
  settings: Pick<Settings, "baseUrl">,
): readonly Holder[] {
  return states.flatMap((state) =>
    state.resources.map((one) => {
      return { ...one, state, isElsewhere: isElsewhere(one.address, settings) };
    }),
  );
}

/**
 * Returns the resources of states that are at another base URL, each once: one stack can be given
 * twice.
 */
export function holdersElsewhere(
  states: readonly GivenState[],
  settings: Pick<Settings, "baseUrl">,
): readonly Holder[] {
  const elsewhere = holdersOf(states, settings).filter((holder) => holder.isElsewhere);
  return withoutRepetition(elsewhere, ({ urn, address, isPendingDeletion }) => [
    urn,
    address.databaseId,
    address.id,
    isPendingDeletion,
  ]);
}

/** Returns the databases in which a state has webhooks, or creations in flight. */
export function databasesIn({ resources, pendingCreations }: StackState): readonly string[] {
  const all = [...resources.map(({ address }) => address), ...pendingCreations];
  return all.flatMap(({ databaseId }) => databaseId ?? []);
}

/** A creation or an import in flight, by a given state. */
export interface CreationInFlight extends PendingCreation {
  readonly state: GivenState;
}

/** Returns the creations and imports in flight whose webhooks may be in these databases. */
export function creationsIn(
  databaseIds: readonly string[],
  states: readonly GivenState[],
): readonly CreationInFlight[] {
  const creations = states.flatMap((state) =>
    state.pendingCreations
      .filter(({ databaseId }) => databaseId === undefined || databaseIds.includes(databaseId))
      .map((creation) => ({ ...creation, state })),
  );
  // Two readings of a stack can both have one.
  return withoutRepetition(creations, ({ state, urn, databaseId }) => [
    state.name,
    urn,
    databaseId,
  ]);
}

/** Returns the first of the items with equal keys. */
function withoutRepetition<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => readonly unknown[],
): readonly Item[] {
  return [...Map.groupBy(items, (item) => JSON.stringify(keyOf(item))).values()].flatMap(
    ([first]) => first ?? [],
  );
}

/**
 * Finds the resources of each webhook.
 *
 * A resource at another base URL counts as the holder of a webhook with the same database and id,
 * because one service can have two base URLs. But it is never missing.
 */
export function compare(
  lists: readonly DatabaseList<ListedWebhook>[],
  { before, after }: StateReadings,
  settings: Pick<Settings, "baseUrl">,
): readonly DatabaseList<WebhookRow>[] {
  const holders = holdersOf(after, settings);
  const formerHolders = holdersOf(before, settings);
  return lists.map((list) => {
    if (list.webhooks === undefined) {
      return list;
    }
    const { databaseId, webhooks, isComplete } = list;
    const holdersById = byId(holders, databaseId);
    const formerById = byId(formerHolders, databaseId);
    const isInFlight = creationsIn([databaseId], [...before, ...after]).length > 0;
    const rowOf = (id: string, listed: WebhookRow["listed"]): WebhookRow => ({
      id,
      listed,
      holders: withoutEqualUrns(holdersById.get(id) ?? []),
      formerHolders: formerById.get(id) ?? [],
      isUnmanaged: !holdersById.has(id) && !formerById.has(id) && !isInFlight,
    });
    const listedRows = webhooks.map((webhook) => rowOf(webhook.id, webhook));
    const shownIds = new Set(webhooks.map(({ id }) => id));
    const isExpected = (id: string) => !shownIds.has(id) && holdersById.get(id)?.some(isHere);
    // A resource that is newer than the list does not make its webhook missing.
    const absenceOf = (id: string) =>
      isComplete && formerById.get(id)?.some(isHere) ? "missing" : "unknown";
    const otherRows = [...holdersById.keys()]
      .filter(isExpected)
      .map((id) => rowOf(id, absenceOf(id)));
    return { databaseId, isComplete, webhooks: [...listedRows, ...otherRows] };
  });
}

/** Returns the holders of the webhooks of a database, at whatever base URL. */
function byId(holders: readonly Holder[], databaseId: string): ReadonlyMap<string, Holder[]> {
  const inDatabase = holders.filter(({ address }) => address.databaseId === databaseId);
  return Map.groupBy(inDatabase, ({ address }) => address.id);
}

function isHere(holder: Holder): boolean {
  return !holder.isElsewhere;
}

/** One stack can be given twice: by another name, or as a file. The first of the two counts. */
function withoutEqualUrns(holders: readonly Holder[]): readonly Holder[] {
  const firstWith = (urn: string) => holders.find((one) => one.urn === urn);
  return holders.filter(({ urn, state }) => firstWith(urn)?.state === state);
}
