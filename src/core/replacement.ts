import { nameOfWebhook } from "../service/advice.js";
import { WebhookError } from "../service/errors.js";
import type { Difference } from "./diff.js";
import type { Properties } from "./state.js";

// Replacements that this process has announced and not yet finished: database by id of the old webhook.
const announced = new Map<string, unknown>();

/** Says, before it happens, what replaces a webhook and what that means. */
export function announceReplacement(
  id: string,
  olds: Properties,
  news: Properties,
  differences: readonly Difference[],
): string {
  announced.set(id, news.databaseId);
  const what = nameOfWebhook(id, olds.databaseId);
  return `${what} has to be replaced: ${reasonsOf(differences)}. Its secret will change; the old webhook and its secret keep working until the end of the update (not with deleteBeforeReplace).`;
}

/** Whether a webhook of this database is being replaced and still exists. */
export function isReplacing(databaseId: string): boolean {
  return [...announced.values()].includes(databaseId);
}

/** Notes that a webhook that was to be replaced is gone. */
export function endReplacement(id: string): void {
  announced.delete(id);
}

/**
 * The replacement of a webhook would take over the very same one, and delete it afterwards.
 *
 * @param id The id that `adopt` names, and that of the webhook in the state.
 */
export function adoptionConflict(
  id: string,
  olds: Properties,
  differences: readonly Difference[],
): WebhookError {
  return new WebhookError(
    `${nameOfWebhook(id, olds.databaseId)} cannot be replaced while its argument adopt names it: ${reasonsOf(differences)}. Nothing was changed. Remove adopt from the program; the next "pulumi up" then replaces the webhook, with a new secret.`,
  );
}

function reasonsOf(differences: readonly Difference[]): string {
  return differences.map(({ reason }) => reason).join(", ");
}
