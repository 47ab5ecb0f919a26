import { nameOfWebhook } from "../service/advice.js";
import type { Account } from "../service/client.js";
import { WebhookError } from "../service/errors.js";
import type { Operation } from "../service/operation.js";
import type { WebhookInputs } from "./arguments.js";
import { type Difference, reasonsOf } from "./diff.js";
import { driftOf } from "./drift.js";
import type { Ledger } from "./ledger.js";
import { type Lookup, lookUp, whyUnknown } from "./lookup.js";
import { idToAdopt } from "./state.js";
import { isUnknown, type Properties } from "./values.js";

/** Takes over a webhook that exists. Nothing is sent, but with `listing` the webhook is looked up. */
export async function adoptWebhook(
  account: Account,
  ledger: Ledger,
  operation: Operation,
  webhook: WebhookInputs,
  adopt: NonNullable<WebhookInputs["adopt"]>,
): Promise<{ id: string; secret: string }> {
  const id = String(adopt.id);
  const { databaseId } = webhook;
  const { baseUrl, listing } = account.settings;
  const name = nameOfWebhook(id, databaseId);
  const entry = ledger.entryOf({ baseUrl, databaseId, id });
  const problem = problemOfTaking(entry);
  if (problem !== undefined) {
    entry.hasFailedToAdopt = true;
    throw adoptionError(name, problem);
  }
  // Before the lookup, during which another resource may ask for the same webhook.
  entry.owner = "adopting";
  const lookupProblem = listing
    ? problemOfFound(await lookUp(account, operation, databaseId, id), webhook)
    : undefined;
  if (lookupProblem !== undefined) {
    entry.owner = undefined;
    entry.hasFailedToAdopt = true;
    throw adoptionError(name, lookupProblem);
  }
  const unchecked = listing ? "" : " and was not looked up (dbwebhooks:listing is off)";
  operation.notify(`This stack manages ${name} from now on. It was not changed${unchecked}.`);
  return { id, secret: adopt.secret };
}

/** Says, before it happens, which webhook an argument takes over. */
export function adoptionHint(inputs: Properties): string | undefined {
  const id = idToAdopt(inputs);
  return id === undefined || isUnknown(id) || isUnknown(inputs.databaseId)
    ? undefined
    : `Adopting ${nameOfWebhook(id, inputs.databaseId)}: no webhook is created, and the service changes nothing.`;
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
    : `The argument adopt.secret of ${nameOfWebhook(id, state.databaseId)} is not the secret that the state holds, which stays in force. Remove adopt. To use the other secret, remove the webhook with "pulumi state delete" and run "pulumi up" again.`;
}

/** The error for a replacement that would take over the very same webhook, and delete it afterwards. */
export function adoptionConflict(
  id: string,
  olds: Properties,
  differences: readonly Difference[],
): WebhookError {
  return new WebhookError(
    `Replace ${nameOfWebhook(id, olds.databaseId)} failed: its argument adopt names the same webhook (${reasonsOf(differences)}). Nothing was changed. Remove adopt from the program; the next "pulumi up" then replaces the webhook, with a new secret.`,
  );
}

function adoptionError(name: string, problem: string): WebhookError {
  return new WebhookError(`Adopt ${name} failed: ${problem} Nothing was changed.`);
}

function problemOfTaking({ isDeleted, owner }: ReturnType<Ledger["entryOf"]>): string | undefined {
  if (isDeleted) {
    return 'it was deleted in this run, to be replaced. Remove adopt from the program and run "pulumi up" again: that creates a new webhook.';
  }
  return owner === undefined
    ? undefined
    : "this program manages it already. Remove adopt, or the other resource that manages it.";
}

function problemOfFound(found: Lookup, webhook: WebhookInputs): string | undefined {
  if (found.kind === "unknown") {
    return `${whyUnknown(found)} To adopt it without a lookup, set dbwebhooks:listing to false.`;
  }
  if (found.kind === "absent") {
    return "the service does not list it. Check adopt.id, databaseId and dbwebhooks:baseUrl; if it is gone, remove adopt to create a new one.";
  }
  const drift = Object.keys(driftOf(found.webhook, webhook)).join(", ");
  return drift === ""
    ? undefined
    : `the service has it with another ${drift}. Declare it as it is there, and change it afterwards.`;
}
