import { shownValue } from "../common/redact.js";
import { type Account, listWebhooks, type WebhookAddress } from "../service/client.js";
import { WebhookError } from "../service/errors.js";
import { notify } from "../service/notify.js";
import type { WebhookInputs } from "./check.js";
import { idToAdopt } from "./diff.js";
import { driftOf } from "./drift.js";
import { noteKnown } from "./leftover.js";
import { memoryOf } from "./memory.js";
import type { Properties } from "./state.js";
import { isUnknown } from "./values.js";

const memory = memoryOf(() => ({
  /** Webhooks that the program names, whether they are taken over now or were before. */
  named: new Set<string>(),
  /**
   * How a resource of the program has its webhook: taken over in this run, or kept from the state, with
   * or without naming it.
   */
  owners: new Map<string, "adopting" | "naming" | "silent">(),
  /** Webhooks that were not taken over although the program names them. */
  notAdopted: new Set<string>(),
  deleted: new Set<string>(),
}));

/** Takes over a webhook that exists. Nothing is sent, but with `listing` the webhook is looked up. */
export async function adoptWebhook(
  account: Account,
  webhook: WebhookInputs,
  adopt: NonNullable<WebhookInputs["adopt"]>,
): Promise<{ id: string; secret: string }> {
  const id = String(adopt.id);
  const { databaseId } = webhook;
  const { baseUrl, listing } = account.settings;
  const name = nameOf({ baseUrl, databaseId, id });
  const { owners, deleted, notAdopted } = memory(account);
  const key = keyOf({ baseUrl, databaseId, id });
  const failure = (problem: string) => {
    notAdopted.add(key);
    return new WebhookError(`Adopt ${name} failed: ${problem} Nothing was changed.`);
  };
  if (deleted.has(key)) {
    throw failure(
      'it was deleted in this run, to be replaced. Remove adopt from the program and run "pulumi up" again: that creates a new webhook.',
    );
  }
  if (owners.has(key)) {
    throw failure(
      "this program manages it already. Remove adopt, or the other resource that manages it.",
    );
  }
  // Before the lookup, during which another resource may ask for the same webhook.
  owners.set(key, "adopting");
  noteKnown(account, { databaseId, id });
  if (listing) {
    const problem = await problemOfLookup(account, webhook, id);
    if (problem !== undefined) {
      owners.delete(key);
      throw failure(problem);
    }
  }
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

/** Notes that the program names a webhook: nothing that ends in this run may delete it. */
export function noteAdopt(account: Account, inputs: Properties): void {
  const id = idToAdopt(inputs);
  const { databaseId } = inputs;
  if (id !== undefined && typeof databaseId === "string") {
    memory(account).named.add(keyOf({ baseUrl: account.settings.baseUrl, databaseId, id }));
  }
}

/**
 * Whether a deletion is a part of the replacement of a webhook by itself, because `adopt` names it: then
 * the webhook must stay, to be adopted. Pulumi gives no other hint, and comes back to that deletion in
 * a later run when the run that replaced the webhook has failed.
 */
export function leaveToAdopt(account: Account, address: WebhookAddress): boolean {
  const { named, owners, notAdopted } = memory(account);
  const key = keyOf(address);
  owners.delete(key);
  if (named.has(key) && notAdopted.has(key)) {
    throw new WebhookError(
      `Delete ${nameOf(address)} failed: the program takes it over with adopt, and that has failed in this run. Nothing was sent, and the webhook stays in the state.`,
    );
  }
  return named.has(key);
}

/** Notes that a resource goes on managing its webhook, and fails when another one adopts it. */
export function noteUnchanged(account: Account, address: WebhookAddress, news: Properties): void {
  const { named, owners } = memory(account);
  const key = keyOf(address);
  const isNaming = idToAdopt(news) !== undefined;
  const other = owners.get(key);
  if (other === "adopting" || (isNaming ? other === "silent" : named.has(key))) {
    throw new WebhookError(
      `Compare ${nameOf(address)} failed: two resources of this program manage it, one of them with adopt, and each would delete it. Remove adopt, or one of them; where both are in the state, first take the one that goes out of it with "pulumi state delete", which deletes no webhook.`,
    );
  }
  owners.set(key, isNaming ? "naming" : "silent");
}

/** Notes that a webhook is gone, so that it is not adopted in the same run. */
export function noteDeletion(account: Account, address: WebhookAddress): void {
  memory(account).deleted.add(keyOf(address));
}

function nameOf({ databaseId, id }: WebhookAddress): string {
  return `webhook ${shownValue(id)} of database ${shownValue(databaseId)}`;
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
      ? "the service does not list it. Check adopt.id, databaseId and dbwebhooks:baseUrl; if it is gone, remove adopt to create a new one."
      : `the service does not list it, but may have listed only a part of its webhooks. ${unchecked}`;
  }
  const drift = Object.keys(driftOf(listed, webhook)).join(", ");
  return drift === ""
    ? undefined
    : `the service has it with another ${drift}. Declare it as it is there, and change it afterwards.`;
}
