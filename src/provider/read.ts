import type { AccountOperation, Context } from "./command/operation.js";
import { failed } from "./messages/error-message.js";
import { failures } from "./messages/failures.js";
import { nameOfWebhook } from "./messages/names.js";
import {
  absentFromListText,
  driftText,
  inactiveText,
  noAddressText,
  notLookedUpText,
} from "./messages/notices.js";
import { type Drift, driftOf } from "./rules/differences.js";
import type { StateEntry, WebhookState } from "./rules/state.js";
import { type Properties, withoutNullish, withWrappedSecret } from "./rules/values.js";
import { addressOf, isElsewhere, type WebhookAddress } from "./rules/webhook-address.js";

/**
 * The state, as Pulumi's dynamic providers return it. An empty id says that the webhook no longer
 * exists.
 */
export interface ReadResult {
  readonly id: string;
  readonly props: Properties;
}

/** Returns the state with what a refresh finds at the service, except the secret. */
export const readOperation: AccountOperation<StateEntry, ReadResult> = {
  // It fails with invalid settings: with --run-program, Pulumi runs no check, and stores the
  // provider with which a refresh succeeds.
  kind: "read",
  name: ({ id, state }) => `Read ${nameOfWebhook(id, state.databaseId)}`,
  sensitive: ({ props }) => ({ properties: props }),
  run: async (context, webhook) => {
    const { knownWebhooks, reporter, settings } = context;
    const { id, props, state } = webhook;
    const stored = withWrappedSecret(props);
    const address = addressOf(webhook);
    if (address === undefined) {
      reporter.warn(noAddressText(nameOfWebhook(id, state.databaseId)));
      return { id, props: stored };
    }
    knownWebhooks.noteId(address);
    if (isElsewhere(address, settings)) {
      // With --run-program, Pulumi would store this provider for the webhook, and never delete it.
      throw failed(reporter, failures.otherBaseUrlOfRefresh(settings, address.baseUrl));
    }
    const drift = settings.listing ? await findDrift(context, address, state) : {};
    return drift === "absent"
      ? { id: "", props: {} }
      : { id, props: withoutNullish({ ...stored, ...drift }) };
  },
};

/**
 * Looks a webhook up in the list of its database, because the API does not describe how to read one
 * (docs/api/README.md#other-operations). Warns of differences from the state and of a switched-off
 * webhook. A failed lookup finds no drift.
 *
 * @returns `"absent"` if the service no longer has the webhook.
 */
async function findDrift(
  context: Context,
  { databaseId, id }: WebhookAddress,
  state: WebhookState,
): Promise<Drift | "absent"> {
  const { refreshLists, reporter } = context;
  const name = nameOfWebhook(id, databaseId);
  const list = await refreshLists.request(context, databaseId);
  const { webhooks, isComplete, isStored } = list;
  const webhook = isStored ? undefined : webhooks.find((one) => one.id === id);
  if (webhook === undefined) {
    if (isComplete) {
      reporter.warn(absentFromListText(name));
      return "absent";
    }
    // A refresh that could look up nothing must not look like one that found no drift.
    if (reporter.noteShown(`list of ${databaseId}`)) {
      reporter.warn(notLookedUpText(context, databaseId, list));
    }
    return {};
  }
  const drift = driftOf(webhook, state);
  const properties = Object.keys(drift);
  if (properties.length > 0) {
    reporter.warn(driftText(name, properties));
  }
  if (!webhook.active) {
    reporter.warn(inactiveText(name));
  }
  return drift;
}
