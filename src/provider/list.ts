import type { ListedWebhook } from "../api/schemas.js";
import type { WebhookError } from "./command/errors.js";
import type { AccountOperation, Context } from "./command/operation.js";
import { requestList } from "./command/webhook-lists.js";
import { failed } from "./messages/error-message.js";
import { failures } from "./messages/failures.js";
import { incompleteListText, otherBaseUrlsText, pendingCreationText } from "./messages/notices.js";
import type { StackResource, StackState } from "./rules/exported-state.js";
import { isElsewhere } from "./rules/webhook-address.js";

export interface ListRequest {
  /** The databases to list, besides those of the states. */
  readonly databaseIds: readonly string[];
  /** The states to compare with the lists. */
  readonly states: readonly StackState[];
}

/** A resource that has a webhook of this id in this database. */
interface Holder extends StackResource {
  /** Whether its base URL is another one, which can be one of the same service. */
  readonly isElsewhere: boolean;
}

/** A webhook of a database, and the resources that have it: more than one is a mistake. */
export interface WebhookRow {
  readonly id: string;
  /** `missing`: the service has no such webhook. `unknown`: its list may show only a part. */
  readonly listed: ListedWebhook | "missing" | "unknown";
  readonly holders: readonly Holder[];
}

/** The webhooks of a database, or why its list could not be read. */
export type DatabaseList = { readonly databaseId: string } & (
  | { readonly rows: readonly WebhookRow[]; readonly isComplete: boolean; readonly error?: never }
  | { readonly rows?: never; readonly error: WebhookError }
);

/**
 * Lists the webhooks of databases, and the resources that have them. Pulumi never calls this
 * operation. A list that cannot be read does not keep the other ones back.
 *
 * A resource at another base URL counts as the holder of a webhook with the same database and id,
 * because one service can have two base URLs. But it adds no request, and is never missing.
 */
export const listOperation: AccountOperation<ListRequest, readonly DatabaseList[]> = {
  kind: "list",
  name: () => "List webhooks",
  sensitive: () => ({}),
  run: async (context, { databaseIds, states }) => {
    const { settings, reporter } = context;
    const holders = states
      .flatMap(({ resources }) => resources)
      .map((resource) => ({ ...resource, isElsewhere: isElsewhere(resource.address, settings) }));
    const elsewhere = holders.filter((holder) => holder.isElsewhere);
    if (elsewhere.length > 0) {
      reporter.warn(otherBaseUrlsText(elsewhere.map(({ address }) => address.baseUrl)));
    }
    const pending = states.flatMap(({ pendingCreations }) => pendingCreations);
    for (const { urn, databaseId } of pending) {
      reporter.warn(pendingCreationText(urn, databaseId));
    }
    const here = holders.filter((holder) => !holder.isElsewhere).map(({ address }) => address);
    const named = [...here, ...pending].flatMap(({ databaseId }) => databaseId ?? []);
    const lists: DatabaseList[] = [];
    for (const databaseId of new Set([...databaseIds, ...named])) {
      const inDatabase = holders.filter(({ address }) => address.databaseId === databaseId);
      lists.push(await listDatabase(context, databaseId, inDatabase));
    }
    return lists;
  },
};

/** @param holders The resources whose webhooks are in this database. */
async function listDatabase(
  context: Context,
  databaseId: string,
  holders: readonly Holder[],
): Promise<DatabaseList> {
  const { reporter } = context;
  const { webhooks, isComplete, call } = await requestList(context, databaseId);
  if (call !== undefined) {
    return { databaseId, error: failed(reporter, failures.notListed(context, call)) };
  }
  if (!isComplete) {
    reporter.warn(incompleteListText(databaseId));
  }
  const holdersById = Map.groupBy(holders, ({ address }) => address.id);
  const rowOf = (id: string, listed: WebhookRow["listed"]): WebhookRow => {
    return { id, listed, holders: holdersById.get(id) ?? [] };
  };
  const listed = webhooks.map((webhook) => rowOf(webhook.id, webhook));
  const shownIds = new Set(webhooks.map(({ id }) => id));
  const expectedIds = holders
    .filter((holder) => !holder.isElsewhere)
    .map(({ address }) => address.id);
  const others = [...new Set(expectedIds)].filter((id) => !shownIds.has(id));
  const absence = isComplete ? "missing" : "unknown";
  return { databaseId, isComplete, rows: [...listed, ...others.map((id) => rowOf(id, absence))] };
}
