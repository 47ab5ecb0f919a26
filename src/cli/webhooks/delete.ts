import { shownValue } from "../../common/plain-text.js";
import { settingsTable } from "../../common/settings-table.js";
import { parseBaseUrl } from "../../common/url-rules.js";
import { nameOfWebhook } from "../../provider/messages/names.js";
import { pendingCreationText } from "../../provider/messages/notices.js";
import type { StackResource } from "../../provider/rules/exported-state.js";
import { parseStateEntry } from "../../provider/rules/state.js";
import { environmentProvider, notify } from "./environment-provider.js";
import { readStates } from "./state-files.js";

/** The webhook to delete, and the states that must not have it. */
export interface DeleteOptions {
  readonly databaseId: string;
  readonly id: string;
  /** Files with the output of `pulumi stack export`; `-` is standard input. */
  readonly stateFiles: readonly string[];
}

/**
 * `pulumi-dbwebhooks delete`: deletes a webhook as Pulumi does, and says so in one line. Throws if a
 * resource has the webhook. A webhook that may still exist sets the exit code to 1: a key without
 * access to the database gets the same response as a webhook that is gone.
 */
export async function deleteWebhook(options: DeleteOptions): Promise<void> {
  const { databaseId, id, stateFiles } = options;
  const name = nameOfWebhook(id, databaseId);
  const states = await readStates(stateFiles);
  for (const creation of states.flatMap(({ pendingCreations }) => pendingCreations)) {
    if ([undefined, databaseId].includes(creation.databaseId)) {
      notify(pendingCreationText(creation.urn, creation.databaseId), "warning");
    }
  }
  // The provider refuses a webhook at another base URL than its own.
  const baseUrl = process.env[settingsTable.baseUrl.variable];
  const [holder] = states
    .flatMap(({ resources }) => resources)
    .filter(({ address }) => address.databaseId === databaseId && address.id === id);
  if (holder !== undefined) {
    const text = holderText(holder, parseBaseUrl(baseUrl));
    throw new Error(`Did not delete ${name}, because a given state has it: ${text}`);
  }
  const entry = parseStateEntry(id, { databaseId, baseUrl });
  const result = await environmentProvider().delete(entry, { notify });
  if (result === "deleted") {
    process.stdout.write(`Deleted ${name}.\n`);
  } else if (result !== "gone") {
    process.exitCode = 1;
  }
}

/** Names the resource that has a webhook, and the step that deletes both, where one is certain. */
function holderText(
  { urn, address, isPendingDeletion }: StackResource,
  baseUrl: string | undefined,
): string {
  if (isPendingDeletion) {
    return `its deletion is pending at ${urn}, and "pulumi up" completes it.`;
  }
  return address.baseUrl === baseUrl
    ? `${urn}. Remove the resource from its program, and run "pulumi up".`
    : `${urn}, at ${shownValue(address.baseUrl)}, which can be another base URL of the same service.`;
}
