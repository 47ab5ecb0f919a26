import { adviceForList } from "./messages/advice.js";
import { failure } from "./messages/failure.js";
import { nameOfWebhook } from "./messages/names.js";
import {
  absentFromListText,
  driftText,
  inactiveText,
  noAddressText,
  notLookedUpText,
  notReadText,
} from "./messages/notices.js";
import { callText } from "./messages/requests.js";
import { withoutNullish } from "./rules/arguments.js";
import type { StateEntry, WebhookAddress, WebhookState } from "./rules/state.js";
import { type Properties, withWrappedSecret } from "./rules/values.js";
import { differencesFrom, type ListedProperties, lookUpForRefresh } from "./run/lookup.js";
import type { Context, LocalContext, OperationDefinition } from "./run/operation.js";

/**
 * The state, as Pulumi's dynamic providers return it. An empty id says that the webhook no longer
 * exists.
 */
interface ReadResult {
  readonly id: string;
  readonly props: Properties;
}

/** The properties that differ from the state, with the values that the service has. */
type Drift = Partial<ListedProperties>;

/** Returns the state with what a refresh finds at the service, except the secret. */
export const readOperation: OperationDefinition<StateEntry, ReadResult> = {
  name: ({ id, state }) => `Read ${nameOfWebhook(id, state.databaseId)}`,
  sensitive: ({ props }) => props,
  onInvalidSettings: (context, webhook) => {
    const { id, props } = webhook;
    locate(context, webhook);
    context.operation.warnOnce(notReadText(context.config.problems));
    return { id, props: withWrappedSecret(props) };
  },
  run: async (context, webhook) => {
    const { id, props, state } = webhook;
    const address = locate(context, webhook);
    const stored = withWrappedSecret(props);
    if (address === undefined) {
      return { id, props: stored };
    }
    const drift = await findDrift(context, address, state);
    return drift === "absent"
      ? { id: "", props: {} }
      : { id, props: withoutNullish({ ...stored, ...drift }) };
  },
};

/**
 * Returns where a webhook is. Warns if its state does not say so. Throws if the provider has
 * another base URL than the webhook.
 */
function locate(
  { config: { location: provider }, knownWebhooks, operation }: LocalContext,
  webhook: StateEntry,
): WebhookAddress | undefined {
  const address = knownWebhooks.locate(webhook);
  if (address === undefined) {
    operation.warn(noAddressText(nameOfWebhook(webhook.id, webhook.state.databaseId)));
    return undefined;
  }
  if (provider !== undefined && provider.baseUrl !== address.baseUrl) {
    // With --run-program, Pulumi would store this provider for the webhook, and never delete it.
    const { baseUrl } = address;
    throw failure("otherBaseUrlOfRefresh", operation, { provider, baseUrl });
  }
  return address;
}

/**
 * Looks a webhook up. The API does not describe how to read one
 * (docs/api/README.md#other-operations), so nothing is sent unless the setting `listing` is on.
 * Warns of differences from the state and of a switched-off webhook. A failed lookup finds no
 * drift.
 *
 * @returns `"absent"` if the service no longer has the webhook.
 */
async function findDrift(
  context: Context,
  address: WebhookAddress,
  state: WebhookState,
): Promise<Drift | "absent"> {
  const { settings, operation } = context;
  const { databaseId, id } = address;
  if (!settings.listing) {
    return {};
  }
  const name = nameOfWebhook(id, databaseId);
  const lookup = await lookUpForRefresh(context, address);
  const { webhook } = lookup;
  if (webhook === undefined) {
    if (lookup.isComplete) {
      operation.warn(absentFromListText(name));
      return "absent";
    }
    const { call } = lookup;
    // A refresh that could look up nothing must not look like one that found no drift.
    operation.warnOnce(`list of ${databaseId}`, () =>
      call === undefined
        ? notLookedUpText(databaseId, undefined)
        : notLookedUpText(databaseId, callText(context, call), adviceForList(context, call)),
    );
    return {};
  }
  const drift = differencesFrom(webhook, state);
  const properties = Object.keys(drift);
  if (properties.length > 0) {
    operation.warn(driftText(name, properties));
  }
  if (!webhook.active) {
    operation.warn(inactiveText(name));
  }
  return drift;
}
