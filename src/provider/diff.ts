import { type LocalContext, localOperation } from "./command/operation.js";
import { failed } from "./messages/failed.js";
import { failures } from "./messages/failures.js";
import { nameOfWebhook } from "./messages/names.js";
import { differenceText } from "./messages/notices.js";
import { compareWebhook } from "./rules/differences.js";
import { addressOf, type StateEntry, type WebhookAddress } from "./rules/state.js";
import type { Properties } from "./rules/values.js";

interface DiffRequest extends StateEntry {
  readonly news: Properties;
  /** The paths of `ignoreChanges`, where Pulumi has not applied them. */
  readonly ignored?: readonly string[];
}

/** What differs, as Pulumi's dynamic providers return it. Every difference replaces. */
interface DiffResult {
  readonly changes: boolean;
  readonly replaces?: string[];
}

/**
 * Compares a webhook with the arguments and the base URL, and warns of differences. Throws if the
 * update must not happen.
 */
export const diffOperation = localOperation<DiffRequest, DiffResult>({
  name: ({ id, state }) => `Compare ${nameOfWebhook(id, state.databaseId)}`,
  sensitive: ({ props }) => ({ properties: props }),
  run: (context, { news, ignored, ...webhook }) => {
    const { settingsResult, knownWebhooks, reporter, urn } = context;
    const { state } = webhook;
    const address = addressOf(webhook);
    if (address === undefined) {
      throw failed(reporter, failures.noAddress("unchanged"));
    }
    knownWebhooks.noteNumber(address);
    const { id } = address;
    if (knownWebhooks.isCreated(address)) {
      throw failed(reporter, failures.twoResources(id));
    }
    assertReachable(context, address);
    const differences = compareWebhook({ state, news, settings: settingsResult.settings, ignored });
    if (differences.length === 0) {
      if (urn !== undefined) {
        knownWebhooks.noteHolder(address, urn);
      }
      return { changes: false };
    }
    const labels = differences.map(({ label }) => label);
    const line = differenceText(nameOfWebhook(id, address.databaseId), labels);
    reporter.warnOnce(line, () => line);
    return { changes: true, replaces: differences.map(({ property }) => property) };
  },
});

/**
 * Throws if the default provider is at another address than the webhook: it has one address and one
 * key, so it could create a new webhook, but not delete the old one. An explicit provider may get a
 * webhook from another provider, which deletes it.
 */
function assertReachable(
  { settingsResult: { settings }, reporter }: LocalContext,
  { baseUrl }: WebhookAddress,
): void {
  if (settings !== undefined && !settings.isExplicit && settings.baseUrl !== baseUrl) {
    throw failed(reporter, failures.otherBaseUrl(settings, baseUrl));
  }
}
