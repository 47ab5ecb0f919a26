// What the commands say of states beside their results.
import { shownValue } from "../../common/plain-text.js";
import { sentences } from "../../provider/messages/sentences.js";
import { type CreationInFlight, databasesIn, type Holder } from "./comparison.js";
import type { GivenState } from "./states.js";

/** Says that a webhook without a resource may be that of a creation or an import in flight. */
export function creationText({ state, urn, databaseId }: CreationInFlight): string {
  const place = databaseId === undefined ? "" : ` in database ${shownValue(databaseId)}`;
  return sentences(
    `By the state of ${state.name}, the creation or import of ${urn}${place} is in flight,`,
    `and a webhook that no resource has may be its own.`,
    `If no Pulumi command runs on this stack, run "pulumi refresh --clear-pending-creates" there`,
    state.isSaved ? "and save its state again." : "first.",
  );
}

/** Says that a resource had a webhook a moment ago, which may be on its way to another stack. */
export function formerHolderText(name: string, { state, urn }: Holder): string {
  return `Before its list was requested, ${name} belonged to ${urn} by the state of ${state.name}, and now to no resource: run the command again.`;
}

/**
 * Says which databases a state does not name: its stack may be the wrong one, and then it looks as
 * if nobody had their webhooks.
 */
export function lackingDatabasesText(
  state: GivenState,
  expected: readonly string[],
): string | undefined {
  const used = databasesIn(state);
  const lacking = expected.filter((databaseId) => !used.includes(databaseId));
  return lacking.length === 0
    ? undefined
    : `The state of ${state.name} has no Webhook of database ${lacking.map(shownValue).join(", ")}.`;
}

/** Says at which other base URLs resources are, so that an empty list is not taken for all. */
export function otherBaseUrlsText(elsewhere: readonly Holder[]): string | undefined {
  const places = [...new Set(elsewhere.map(({ address }) => shownValue(address.baseUrl)))];
  const webhooks = elsewhere.length === 1 ? "1 webhook" : `${elsewhere.length} webhooks`;
  return elsewhere.length === 0
    ? undefined
    : `The states have ${webhooks} at another base URL (${places.join(", ")}), where nothing was looked up.`;
}
