import type { WebhookInputs } from "./arguments.js";
import { type Difference, reasonsOf } from "./diff.js";
import { WebhookError } from "./errors.js";
import { driftOf, type Lookup, lookUp } from "./lookup.js";
import { lines, nameOfWebhook, unknownText } from "./messages.js";
import type { Context } from "./operation.js";
import { idToAdopt } from "./state.js";
import { isUnknown, type Properties } from "./values.js";

/** Takes over a webhook that exists. Nothing is sent, but with `listing` the webhook is looked up. */
export async function adoptWebhook(
  context: Context,
  webhook: WebhookInputs,
  adopt: NonNullable<WebhookInputs["adopt"]>,
): Promise<{ id: string; secret: string }> {
  const { account, ledger, operation } = context;
  const { baseUrl, listing } = account.settings;
  const id = String(adopt.id);
  const { databaseId } = webhook;
  const name = nameOfWebhook(id, databaseId);
  const entry = ledger.entryOf({ baseUrl, databaseId, id });
  const fail = (problem: string) => {
    entry.hasFailedToAdopt = true;
    return new WebhookError("notAdopted", `Adopt ${name} failed: ${problem} Nothing was changed.`);
  };
  if (entry.isDeleted) {
    throw fail(
      'it was deleted in this run, to be replaced. Remove adopt from the program and run "pulumi up" again: that creates a new webhook.',
    );
  }
  if (entry.isAdopted || entry.keepers.size > 0) {
    throw fail(
      "this program manages it already. Remove adopt, or the other resource that manages it.",
    );
  }
  // Before the lookup, during which another resource may ask for the same webhook.
  entry.isAdopted = true;
  const found = listing ? await lookUp(context, databaseId, id) : undefined;
  const problem = found && problemOfFound(context, found, webhook);
  if (problem !== undefined) {
    entry.isAdopted = false;
    throw fail(problem);
  }
  operation.notify(lines.adopted(name, listing));
  return { id, secret: adopt.secret };
}

/** Says, before it happens, which webhook an argument takes over. */
export function adoptionHint(inputs: Properties): string | undefined {
  const id = idToAdopt(inputs);
  return id === undefined || isUnknown(id) || isUnknown(inputs.databaseId)
    ? undefined
    : lines.adopting(nameOfWebhook(id, inputs.databaseId));
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
    : lines.otherAdoptedSecret(nameOfWebhook(id, state.databaseId));
}

/** The error for a replacement that would take over the very same webhook, and delete it afterwards. */
export function adoptionConflict(name: string, differences: readonly Difference[]): WebhookError {
  return new WebhookError(
    "conflict",
    `Replace ${name} failed: its argument adopt names the same webhook (${reasonsOf(differences)}). Nothing was changed. Remove adopt from the program; the next "pulumi up" then replaces the webhook, with a new secret.`,
  );
}

/** The error for a webhook that one resource keeps and another one adopts. */
export function sharedWithAdoption(name: string): WebhookError {
  return new WebhookError(
    "conflict",
    `Compare ${name} failed: two resources of this program manage it, one of them with adopt, and each would delete it. Remove adopt, or one of them. If both are in the state, first remove one from it with "pulumi state delete", which deletes no webhook.`,
  );
}

function problemOfFound(
  { account, operation }: Context,
  found: Lookup,
  webhook: WebhookInputs,
): string | undefined {
  if (found.kind === "unknown") {
    return `${unknownText(operation, account.settings, found.failure)} To adopt it without a lookup, set dbwebhooks:listing to false.`;
  }
  if (found.kind === "absent") {
    return "the service does not list it. Check adopt.id, databaseId and dbwebhooks:baseUrl; if it is gone, remove adopt to create a new one.";
  }
  const drift = Object.keys(driftOf(found.webhook, webhook)).join(", ");
  return drift === ""
    ? undefined
    : `the service has it with another ${drift}. Declare it as it is there, and change it afterwards.`;
}
