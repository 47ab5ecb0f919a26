import { shownValue } from "../common/redact.js";
import { orphanAdvice } from "../service/advice.js";
import {
  type Account,
  type CreatedWebhook,
  listWebhooks,
  type NewWebhook,
  type WebhookAddress,
} from "../service/client.js";
import type { HttpOutcome } from "../service/http.js";
import { isPassing } from "../service/outcomes.js";
import { isThrottled } from "../service/transport.js";
import { driftOf } from "./drift.js";
import { memoryOf } from "./memory.js";
import { problemOfUndoing } from "./undo.js";

/** Creates a webhook, given a function that says what to do when that ends in doubt. */
type Create = (adviseInDoubt?: () => Promise<string>) => Promise<CreatedWebhook>;

/** A webhook of the account. */
type Located = Pick<WebhookAddress, "databaseId" | "id">;

const memory = memoryOf(() => ({
  /** What this process has created or adopted, or has seen in the state: no leftovers. */
  known: new Set<string>(),
  /** Two creations of the same webhook could not tell whose a leftover is: one awaits the other. */
  turns: new Map<string, Promise<unknown>>(),
  /** Databases whose list was of no use: it is not asked for again before each further creation. */
  withoutList: new Set<string>(),
}));

/** Notes that a resource has or had a webhook, which a list that lags behind may show wrongly. */
export function noteKnown(account: Account, webhook: Located): void {
  memory(account).known.add(keyOf(webhook));
}

/**
 * Runs a creation. With `listing`, the webhook that a doubtful one left behind is looked for: it is
 * deleted when there is exactly one that was not there before, and named when there are more.
 */
export async function createWithLookup(
  account: Account,
  webhook: NewWebhook,
  sensitiveValues: readonly string[],
  stopping: AbortSignal,
  create: Create,
): Promise<CreatedWebhook> {
  if (!account.settings.listing) {
    return create();
  }
  const { turns } = memory(account);
  const { databaseId, url, events, tableId } = webhook;
  return inTurn(turns, JSON.stringify([databaseId, url, events, tableId]), async () => {
    const before = await idsBefore(account, databaseId);
    const created = await create(
      before && (() => adviceAfter(account, webhook, sensitiveValues, before, stopping)),
    );
    noteKnown(account, { databaseId, id: created.id });
    return created;
  });
}

function keyOf({ databaseId, id }: Located): string {
  return JSON.stringify([databaseId, id]);
}

function inTurn<Result>(
  turns: Map<string, Promise<unknown>>,
  key: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const turn = (turns.get(key) ?? Promise.resolve()).then(run, run);
  turns.set(key, turn);
  return turn;
}

/** The webhooks of a database before a creation; nothing when that is not certain. */
async function idsBefore(
  account: Account,
  databaseId: string,
): Promise<ReadonlySet<string> | undefined> {
  const { withoutList } = memory(account);
  if (withoutList.has(databaseId)) {
    return undefined;
  }
  const { webhooks, isWhole } = await listWebhooks(account, databaseId, isThrottled);
  if (isWhole !== true) {
    withoutList.add(databaseId);
    return undefined;
  }
  return new Set(webhooks.map(({ id }) => id));
}

async function adviceAfter(
  account: Account,
  webhook: NewWebhook,
  sensitiveValues: readonly string[],
  before: ReadonlySet<string>,
  stopping: AbortSignal,
): Promise<string> {
  const { databaseId, url } = webhook;
  const { known } = memory(account);
  // When Pulumi stops, there is no time to try again: what may exist has to be said.
  const retries = (outcome: HttpOutcome) => isPassing(outcome) && !stopping.aborted;
  const after = await listWebhooks(account, databaseId, retries);
  if (after.problem !== undefined) {
    return orphanAdvice(databaseId, url);
  }
  const ids = after.webhooks
    .filter((listed) => Object.keys(driftOf(listed, webhook)).length === 0)
    .map(({ id }) => id)
    .filter((id) => !before.has(id) && !known.has(keyOf({ databaseId, id })));
  const [id] = ids;
  if (id === undefined) {
    return `The service lists no new webhook like it, but it may still come. ${orphanAdvice(databaseId, url)}`;
  }
  // Another page may hold another one.
  if (ids.length > 1 || !after.isWhole) {
    const shown = ids.slice(0, 5).join(", ");
    return `Webhooks ${shown} of database ${shownValue(databaseId)} came up meanwhile and are like it: delete those by hand that no stack manages, then run "pulumi up" again.`;
  }
  noteKnown(account, { databaseId, id });
  const problem = await problemOfUndoing(account, { databaseId, id }, sensitiveValues);
  return problem === undefined
    ? `It had created webhook ${id} all the same, which was deleted again. Run "pulumi up" again.`
    : `It created webhook ${id} in database ${shownValue(databaseId)}, whose secret nobody knows: delete it by hand, then run "pulumi up" again. It could not be deleted at once: ${problem}`;
}
