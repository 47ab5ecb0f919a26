import { deleteWebhook } from "../../api/client.js";
import { shownValue } from "../../common/plain-text.js";
import { requestList } from "../../provider/command/webhook-lists.js";
import { nameOfWebhook } from "../../provider/messages/names.js";
import { sentences } from "../../provider/messages/sentences.js";
import { type Account, failedCallText, readAccount } from "./account.js";
import { creationsIn, holdersOf } from "./comparison.js";
import { creationText, lackingDatabasesText } from "./notes.js";
import { type GivenState, readStates, readStatesAgain, type StateOptions } from "./states.js";

/** The webhook to delete. */
export interface DeleteOptions extends StateOptions {
  readonly databaseId: string;
  readonly id: string;
}

/**
 * `pulumi-dbwebhooks delete`: deletes a webhook at the service, and says so in one line. Throws if a
 * given state has the webhook or may be about to, and unless the service confirms the deletion.
 */
export async function deleteUnmanaged(options: DeleteOptions): Promise<void> {
  const { databaseId, id } = options;
  const account = readAccount();
  const { settings, reporter } = account;
  const name = nameOfWebhook(id, databaseId);
  const before = await readStates(options, reporter);
  const after = await readStatesAgain(options, before, reporter);
  const reason = reasonToKeep(options, [...after, ...before], settings);
  if (reason !== undefined) {
    throw new Error(`Did not delete ${name}, and sent nothing. ${reason}`);
  }
  for (const state of after) {
    const lacking = lackingDatabasesText(state, [databaseId]);
    if (lacking !== undefined) {
      reporter.warn(lacking);
    }
  }

  const deletion = await deleteWebhook(account, options);
  switch (deletion.kind) {
    case "deleted":
      process.stdout.write(`Deleted ${name}.\n`);
      return;
    case "absent":
      throw new Error(await absenceText(account, options, deletion.call.attempts));
    case "failed":
      throw new Error(failedCallText(account, `${name} may still exist`, deletion.call));
    default:
      deletion satisfies never;
  }
}

/**
 * Says which resource has a webhook, or is about to. It advises no step: whether Pulumi deletes the
 * webhook with the resource depends on the options that the state holds.
 */
function reasonToKeep(
  { databaseId, id }: DeleteOptions,
  states: readonly GivenState[],
  settings: Account["settings"],
): string | undefined {
  const [holder] = holdersOf(states, settings).filter(
    ({ address }) => address.databaseId === databaseId && address.id === id,
  );
  if (holder !== undefined) {
    const { state, urn, address, isPendingDeletion, isElsewhere } = holder;
    return sentences(
      `By the state of ${state.name}, it belongs to ${urn}${isPendingDeletion ? ", whose deletion is pending" : ""}`,
      isElsewhere &&
        `at ${shownValue(address.baseUrl)}, which can be another base URL of the same service`,
    ).concat(".");
  }
  const [creation] = creationsIn([databaseId], states);
  return creation && creationText(creation);
}

/**
 * Requests the list of the database, and says what it shows: a key without access gets 404 for
 * every webhook, and so does a wrong id.
 */
async function absenceText(
  account: Account,
  { databaseId, id }: DeleteOptions,
  attempts: number,
): Promise<string> {
  const { ids, isComplete, isStored, call } = await requestList(account, databaseId);
  const isListed = ids.includes(id) && !isStored;
  if (isComplete && !isListed) {
    return sentences(
      `Database ${shownValue(databaseId)} has no webhook ${id}.`,
      attempts > 1 && "An earlier attempt of this command may have deleted it.",
    );
  }
  const result = sentences(
    `The service returned 404 for ${nameOfWebhook(id, databaseId)},`,
    isListed ? "but lists it" : "and no complete list shows whether it exists",
  );
  return call === undefined ? `${result}.` : failedCallText(account, result, call);
}
