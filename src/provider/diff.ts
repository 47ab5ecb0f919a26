import { failure } from "./messages/failures.js";
import { nameOfWebhook } from "./messages/names.js";
import { differenceText } from "./messages/notices.js";
import type { Settings } from "./rules/config.js";
import { type Comparison, compareWebhook, type Difference } from "./rules/differences.js";
import type { Operation } from "./run/operation.js";
import type { RunState, WebhookAddress } from "./run/run-state.js";

/**
 * Compares a webhook with the arguments, and warns of differences, which replace it. Throws if the update must not happen.
 *
 * @param address Where the webhook is, if its state says so.
 * @param urn The resource, where Pulumi names it.
 */
export function diffWebhook(
  address: WebhookAddress | undefined,
  comparison: Comparison,
  runState: RunState,
  operation: Operation,
  urn: string | undefined,
): readonly Difference[] {
  if (address === undefined) {
    throw failure("comparedWithoutAddress", operation);
  }
  if (runState.isCreated(address)) {
    throw failure("twoResources", operation, address.id);
  }
  assertReachable(address, comparison.settings, operation);
  const differences = compareWebhook(comparison);
  if (differences.length > 0) {
    const labels = differences.map(({ label }) => label);
    operation.warnOnce(differenceText(nameOfWebhook(address.id, address.databaseId), labels));
  } else if (urn !== undefined) {
    runState.noteHolder(address, urn);
  }
  return differences;
}

/**
 * Throws if the default provider is at another address than the webhook: it has one address and one key, so it could
 * create a new webhook, but not delete the old one. An explicit provider may get a webhook from another provider,
 * which deletes it.
 */
function assertReachable(
  { baseUrl }: WebhookAddress,
  settings: Settings | undefined,
  operation: Operation,
): void {
  if (settings !== undefined && !settings.isExplicit && settings.baseUrl !== baseUrl) {
    throw failure("otherBaseUrl", operation, { provider: settings, baseUrl });
  }
}
