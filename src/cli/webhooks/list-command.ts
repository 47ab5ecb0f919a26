import type { ListedWebhook } from "../../api/schemas.js";
import { shownValue } from "../../common/plain-text.js";
import { requestList } from "../../provider/command/webhook-lists.js";
import { nameOfWebhook } from "../../provider/messages/names.js";
import { sentences } from "../../provider/messages/sentences.js";
import { type Account, failedCallText, readAccount } from "./account.js";
import {
  compare,
  creationsIn,
  type DatabaseList,
  databasesIn,
  type Holder,
  holdersElsewhere,
  holdersOf,
  type StateReadings,
  type WebhookRow,
} from "./comparison.js";
import { writeImportFiles } from "./import-files.js";
import { jsonOf } from "./list-json.js";
import { tableOf } from "./list-table.js";
import {
  creationText,
  formerHolderText,
  lackingDatabasesText,
  otherBaseUrlsText,
} from "./notes.js";
import { type GivenState, readStates, readStatesAgain, type StateOptions } from "./states.js";

/** The databases to list, and the form of the result. */
export interface ListOptions extends StateOptions {
  /** Without one, those of the states. */
  readonly databaseIds: readonly string[];
  readonly isJson: boolean;
  /** The directory for the files of an import, in place of a table. */
  readonly importDirectory: string | undefined;
}

/**
 * `pulumi-dbwebhooks list`: shows the webhooks of databases, and the resources that have them. A
 * list that cannot be read sets the exit code to 1, and then no files of an import are written.
 */
export async function list(options: ListOptions): Promise<void> {
  const { isJson, importDirectory } = options;
  const account = readAccount();
  const { settings, reporter } = account;
  const before = await readStates(options, reporter);
  const databaseIds = databasesOf(options, before, account);
  if (databaseIds.length === 0) {
    throw new Error(
      sentences(
        "The given states name no database at this base URL: name one with --database.",
        otherBaseUrlsText(holdersElsewhere(before, settings)),
      ),
    );
  }
  const requested: DatabaseList<ListedWebhook>[] = [];
  for (const databaseId of databaseIds) {
    requested.push(await requestDatabase(account, databaseId));
  }
  const after = await readStatesAgain(options, before, reporter);
  const readings = { before, after };
  const unlisted = databasesOf(options, after, account).filter((one) => !databaseIds.includes(one));
  if (unlisted.length > 0) {
    const names = unlisted.map(shownValue).join(", ");
    reporter.notify(
      `While the lists were requested, a stack got database ${names}: run the command again.`,
    );
    process.exitCode = 1;
  }
  const lists = compare(requested, readings, settings);
  reportStates(lists, readings, options, account);

  if (importDirectory === undefined) {
    process.stdout.write(
      isJson ? jsonOf(lists, readings, settings) : tableOf(lists, after.length > 0),
    );
  } else if (lists.every(({ error }) => error === undefined)) {
    const { text, isComplete } = await writeImportFiles(lists, importDirectory);
    process.stdout.write(text);
    process.exitCode = isComplete && unlisted.length === 0 ? 0 : 1;
  }
}

/** Returns the databases to list: those that the user names, or else those of the states. */
function databasesOf(
  { databaseIds }: ListOptions,
  states: readonly GivenState[],
  { settings }: Account,
): readonly string[] {
  if (databaseIds.length > 0) {
    return [...new Set(databaseIds)];
  }
  const addresses = (holders: readonly Holder[]) => holders.map(({ address }) => address);
  const here = holdersOf(states, settings).filter(({ isElsewhere }) => !isElsewhere);
  const elsewhere = addresses(holdersElsewhere(states, settings));
  // A state does not say at which base URL a creation is in flight.
  const pending = states
    .flatMap(({ pendingCreations }) => pendingCreations)
    .filter((creation) => !elsewhere.some((one) => one.databaseId === creation.databaseId));
  const named = [...addresses(here), ...pending];
  return [...new Set(named.flatMap(({ databaseId }) => databaseId ?? []))];
}

/** Requests a list. A failure is reported at once, and keeps no other list back. */
async function requestDatabase(
  account: Account,
  databaseId: string,
): Promise<DatabaseList<ListedWebhook>> {
  const { reporter } = account;
  const name = `database ${shownValue(databaseId)}`;
  const { webhooks, isComplete, call } = await requestList(account, databaseId);
  if (call !== undefined) {
    const error = failedCallText(account, `Cannot list ${name}`, call);
    reporter.notify(error);
    process.exitCode = 1;
    return { databaseId, error };
  }
  if (!isComplete) {
    reporter.warn(
      `The list of ${name} may be a part, or come from a cache: a webhook that is not shown can exist.`,
    );
  }
  return { databaseId, webhooks, isComplete };
}

/** Says which states may be those of wrong stacks, and why a resource is not known for certain. */
function reportStates(
  lists: readonly DatabaseList<WebhookRow>[],
  { before, after }: StateReadings,
  { databaseIds }: ListOptions,
  { settings, reporter }: Account,
): void {
  const elsewhere = otherBaseUrlsText(holdersElsewhere(after, settings));
  const listed = lists.map(({ databaseId }) => databaseId);
  const used = new Set(after.flatMap(databasesIn));
  const expected = databaseIds.length > 0 ? listed : listed.filter((one) => !used.has(one));
  const lacking = after.map((state) => lackingDatabasesText(state, expected));
  for (const text of [elsewhere, ...lacking]) {
    if (text !== undefined) {
      reporter.warn(text);
    }
  }
  for (const creation of creationsIn(listed, [...after, ...before])) {
    reporter.warn(creationText(creation));
  }
  for (const { databaseId, webhooks = [] } of lists) {
    for (const { id, holders, formerHolders } of webhooks) {
      const [former] = formerHolders;
      if (holders.length === 0 && former !== undefined) {
        reporter.warn(formerHolderText(nameOfWebhook(id, databaseId), former));
      }
    }
  }
}
