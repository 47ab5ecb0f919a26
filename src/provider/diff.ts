import type { LocalOperation } from "./command/operation.js";
import { failed } from "./messages/error-message.js";
import { failures } from "./messages/failures.js";
import { nameOfWebhook } from "./messages/names.js";
import { differenceText } from "./messages/notices.js";
import { baseUrlDifference, compareWebhook } from "./rules/differences.js";
import type { StateEntry } from "./rules/state.js";
import type { Properties } from "./rules/values.js";
import { addressOf, isElsewhere } from "./rules/webhook-address.js";

export interface DiffRequest extends StateEntry {
  readonly news: Properties;
  /** The paths of `ignoreChanges`, where Pulumi has not applied them. */
  readonly ignored?: readonly string[];
}

/** The differences, as Pulumi's dynamic providers return them. Each of them replaces. */
export interface DiffResult {
  readonly changes: boolean;
  readonly replaces?: string[];
}

/**
 * Compares a webhook with the arguments and the base URL, and warns of differences. Throws if the
 * update must not happen.
 */
export const diffOperation: LocalOperation<DiffRequest, DiffResult> = {
  kind: "local",
  name: ({ id, state }) => `Compare ${nameOfWebhook(id, state.databaseId)}`,
  sensitive: ({ props }) => ({ properties: props }),
  run: ({ settingsResult, knownWebhooks, reporter, urn }, { news, ignored, ...webhook }) => {
    const address = addressOf(webhook);
    if (address === undefined) {
      throw failed(reporter, failures.noAddress("unchanged"));
    }
    knownWebhooks.noteId(address);
    const { id } = address;
    if (knownWebhooks.isCreated(address)) {
      throw failed(reporter, failures.twoResources("unchanged", id));
    }
    const { settings } = settingsResult;
    const isMoving = settings !== undefined && isElsewhere(address, settings);
    if (isMoving && !settings.isExplicit) {
      throw failed(reporter, failures.otherBaseUrl(settings, address.baseUrl));
    }
    const differences = [
      ...compareWebhook(webhook.state, news, ignored),
      ...(isMoving ? [baseUrlDifference(address.baseUrl, settings.baseUrl)] : []),
    ];
    if (differences.length === 0) {
      if (urn !== undefined) {
        knownWebhooks.noteHolder(address, urn);
      }
      return { changes: false };
    }
    const labels = differences.map(({ label }) => label);
    const line = differenceText(nameOfWebhook(id, address.databaseId), labels);
    if (reporter.noteShown(line)) {
      reporter.warn(line);
    }
    return { changes: true, replaces: differences.map(({ property }) => property) };
  },
};
