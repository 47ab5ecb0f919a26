import type { WebhookInputs } from "./arguments.js";
import { WebhookError } from "./errors.js";
import { driftOf, type Lookup, lookUp } from "./lookup.js";
import { lines, nameOfWebhook, unknownText } from "./messages.js";
import type { Context } from "./operation.js";

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
  const found = listing && (await lookUp(context, databaseId, id));
  const problem = found && problemOfFound(context, found, webhook);
  if (problem) {
    entry.isAdopted = false;
    throw fail(problem);
  }
  operation.notify(lines.adopted(name, listing));
  return { id, secret: adopt.secret };
}

function problemOfFound(context: Context, found: Lookup, inputs: WebhookInputs): string {
  if (found.webhook === undefined && !found.isComplete) {
    return `${unknownText(context, found.failure)} To adopt it without a lookup, set dbwebhooks:listing to false.`;
  }
  if (found.webhook === undefined) {
    return "the service does not list it. Check adopt.id, databaseId and dbwebhooks:baseUrl; if it is gone, remove adopt to create a new one.";
  }
  const drift = Object.keys(driftOf(found.webhook, inputs)).join(", ");
  return drift === ""
    ? ""
    : `the service has it with another ${drift}. Declare it as it is there, and change it afterwards.`;
}
