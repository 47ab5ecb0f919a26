import { settingsTable } from "../../common/settings-table.js";
import { nameOfWebhook } from "../../provider/messages/names.js";
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
  const holders = states
    .flatMap(({ resources }) => resources)
    .filter(({ address }) => address.databaseId === databaseId && address.id === id);
  if (holders.length > 0) {
    const urns = holders.map(({ urn, isPendingDeletion }) =>
      isPendingDeletion ? `${urn} (pending deletion)` : urn,
    );
    throw new Error(
      `Did not delete ${name}, because the state has it: ${urns.join(", ")}. Remove the resource from its program, and run "pulumi up".`,
    );
  }
  // The provider refuses a webhook at another base URL than its own.
  const baseUrl = process.env[settingsTable.baseUrl.variable];
  const entry = parseStateEntry(id, { databaseId, baseUrl });
  const result = await environmentProvider().delete(entry, { notify });
  if (result === "deleted") {
    process.stdout.write(`Deleted ${name}.\n`);
  } else if (result !== "gone") {
    process.exitCode = 1;
  }
}
