import type { DatabaseList } from "../../provider/list.js";
import { environmentProvider, notify } from "./environment-provider.js";
import { writeImportFiles } from "./import-files.js";
import { jsonOf } from "./list-json.js";
import { tableOf } from "./list-table.js";
import { readStates } from "./state-files.js";

/** The databases to list, and the form of the result. */
export interface ListOptions {
  readonly databaseIds: readonly string[];
  /** Files with the output of `pulumi stack export`; `-` is standard input. */
  readonly stateFiles: readonly string[];
  readonly isJson: boolean;
  /** The directory for the files of an import, in place of a table. */
  readonly importDirectory: string | undefined;
}

/**
 * `pulumi-dbwebhooks list`: shows the webhooks of databases, and the resources that have them. A
 * list that cannot be read sets the exit code to 1, and then no files of an import are written.
 */
export async function list(options: ListOptions): Promise<void> {
  const { databaseIds, stateFiles, isJson, importDirectory } = options;
  const states = await readStates(stateFiles);
  const lists = await environmentProvider().list({ databaseIds, states }, { notify });
  if (lists.length === 0) {
    throw new Error(
      "The given states name no database at this base URL: name one with --database.",
    );
  }
  const hasErrors = reportErrors(lists);
  if (importDirectory === undefined) {
    process.stdout.write(isJson ? jsonOf(lists, states) : tableOf(lists, states.length > 0));
  } else if (!hasErrors) {
    const { text, isDone } = await writeImportFiles(lists, importDirectory);
    process.stdout.write(text);
    process.exitCode = isDone ? 0 : 1;
  }
}

/** Writes the errors of lists. Returns whether there are any. */
function reportErrors(lists: readonly DatabaseList[]): boolean {
  const errors = lists.flatMap(({ error }) => error ?? []);
  for (const { message } of errors) {
    process.stderr.write(`${message}\n`);
    process.exitCode = 1;
  }
  return errors.length > 0;
}
