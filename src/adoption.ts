import { type Account, listWebhooks, type WebhookAddress } from "./client.js";
import { WebhookError } from "./errors.js";
import { driftOf } from "./listing.js";
import { memoryOf } from "./memory.js";
import { notify } from "./notify.js";
import type { Properties } from "./properties.js";
import { shownValue } from "./redact.js";
import type { WebhookInputs } from "./schema.js";
import { isUnknown } from "./unknown.js";

// Pulumi gives no other hint that a webhook which `adopt` names is being replaced by itself.
const memory = memoryOf(() => ({ adopted: new Set<string>(), deleted: new Set<string>() }));

/** Takes over a webhook that exists. Nothing is sent, but with `listing` the webhook is looked up. */
export async function adoptWebhook(
  account: Account,
  webhook: WebhookInputs,
  adopt: NonNullable<WebhookInputs["adopt"]>,
): Promise<{ id: string; secret: string }> {
  const id = String(adopt.id);
  const { databaseId } = webhook;
  const { baseUrl, listing } = account.settings;
  const name = `webhook ${id} of database ${shownValue(databaseId)}`;
  const failure = (problem: string) =>
    new WebhookError(`Adopt ${name} failed: ${problem} Nothing was changed.`);
  const { adopted, deleted } = memory(account);
  const key = keyOf({ baseUrl, databaseId, id });
  if (deleted.has(key)) {
    throw failure(
      'it was deleted in this run, to be replaced. Remove adopt from the program and run "pulumi up" again: that creates a new webhook.',
    );
  }
  if (adopted.has(key)) {
    throw failure("another resource of this program has adopted it. Leave one of them.");
  }
  if (listing) {
    const problem = await problemOfLookup(account, webhook, id);
    if (problem !== undefined) {
      throw failure(problem);
    }
  }
  adopted.add(key);
  const unchecked = listing ? "" : " and not looked up (dbwebhooks:listing is off)";
  notify(`This stack manages ${name} from now on; it was not changed${unchecked}.`);
  return { id, secret: adopt.secret };
}

/** Says that a program names another secret than the state holds, which stays in force. */
export function adoptedSecretHint(
  id: string,
  state: Properties,
  { adopt }: Properties,
): string | undefined {
  const { secret } = (adopt ?? {}) as { secret?: unknown };
  return secret === undefined || isUnknown(secret) || secret === state.secret
    ? undefined
    : `Webhook ${shownValue(id)}: adopt.secret is not the secret that the state holds, which stays in force. Remove adopt, or, to take the other secret over, remove the webhook with "pulumi state delete" and run "pulumi up" again.`;
}

/**
 * Whether a deletion is the end of a replacement of a webhook by itself, which `adopt` took over again
 * in this run: then it must stay.
 */
export function isAdoptedAgain(account: Account, address: WebhookAddress): boolean {
  return memory(account).adopted.has(keyOf(address));
}

/** Notes that a webhook is gone, so that it is not adopted in the same run. */
export function noteDeletion(account: Account, address: WebhookAddress): void {
  memory(account).deleted.add(keyOf(address));
}

function keyOf({ baseUrl, databaseId, id }: WebhookAddress): string {
  return JSON.stringify([baseUrl, databaseId, id]);
}

async function problemOfLookup(
  account: Account,
  webhook: WebhookInputs,
  id: string,
): Promise<string | undefined> {
  const unchecked = "To adopt it without looking it up, set dbwebhooks:listing to false.";
  const { webhooks, isWhole, problem } = await listWebhooks(account, webhook.databaseId);
  if (webhooks === undefined) {
    return `it could not be looked up: ${problem}. ${unchecked}`;
  }
  const listed = webhooks.find((one) => one.id === id);
  if (listed === undefined) {
    return isWhole
      ? "the service does not list it. Check adopt.id, databaseId and dbwebhooks:baseUrl."
      : `the service does not list it, but may have listed only a part of its webhooks. ${unchecked}`;
  }
  const drift = Object.keys(driftOf(listed, webhook)).join(", ");
  return drift === ""
    ? undefined
    : `the service has it with another ${drift}. Declare it as it is there, and change it afterwards.`;
}
