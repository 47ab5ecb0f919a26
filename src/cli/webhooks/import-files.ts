// The files of an import: the descriptions of webhooks, and their list for "pulumi import".
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { jsonFileText } from "../../common/json.js";
import { oneLine } from "../../common/plain-text.js";
import { pluginWebhookType } from "../../common/type-tokens.js";
import { nameOfWebhook } from "../../provider/messages/names.js";
import { inactiveText } from "../../provider/messages/notices.js";
import {
  describeWebhook,
  importVariable,
  type WebhookDescription,
} from "../../provider/rules/import-variable.js";
import type { Properties } from "../../provider/rules/values.js";
import type { DatabaseList, WebhookRow } from "./comparison.js";
import { systemErrorText } from "./system-error.js";

// An import refuses it: no table has an empty id.
const unknownTable = "";

// Linux refuses an environment variable of 128 KiB, its name included. The secrets come on top.
const maxDescriptionBytes = 127 * 1024;
const bytesOfSecret = 128;

/** The descriptions of webhooks, and what to say about them. */
interface Descriptions {
  /** By id, with an empty secret. */
  readonly byId: Readonly<Record<string, Properties>>;
  /** Lines about described webhooks. */
  readonly remarks: readonly string[];
  /** Lines about the webhooks that are left out. */
  readonly leftOut: readonly string[];
}

/** Describes the webhooks that no resource has. */
export function describeUnmanaged(lists: readonly DatabaseList<WebhookRow>[]): Descriptions {
  const byId: Record<string, Properties> = {};
  const remarks: string[] = [];
  const leftOut: string[] = [];
  let excess = 0;
  let bytes = 0;
  const webhooks = lists.flatMap(({ databaseId, webhooks: rows = [] }) =>
    rows
      .filter(({ holders }) => holders.length === 0)
      .map((row) => ({ ...row, databaseId, described: describe(databaseId, row) })),
  );
  for (const { id, databaseId, listed, described } of webhooks) {
    const name = nameOfWebhook(id, databaseId);
    if ("problems" in described) {
      leftOut.push(`Left out ${name}: ${described.problems.join("; ")}.`);
      continue;
    }
    const { description, allowed } = described;
    const size = Buffer.byteLength(jsonFileText({ [id]: description })) + bytesOfSecret;
    if (size > maxDescriptionBytes) {
      leftOut.push(`Left out ${name}: an environment variable has no room for its description.`);
      continue;
    }
    // Of two databases, an id can be described once.
    if (Object.hasOwn(byId, id) || bytes + size > maxDescriptionBytes) {
      excess += 1;
      continue;
    }
    bytes += size;
    byId[id] = description;
    if (allowed.length > 0) {
      remarks.push(`The program must declare ${name} with ${allowed.join(" and ")} set to true.`);
    }
    if (typeof listed !== "string" && !listed.active) {
      remarks.push(inactiveText(name));
    }
  }
  if (excess > 0) {
    leftOut.push(
      `Left out ${excess} more, because one variable holds 128 KiB, and an id once: import these first, then run this command again.`,
    );
  }
  return { byId, remarks, leftOut };
}

function describe(databaseId: string, { listed, isUnmanaged }: WebhookRow): WebhookDescription {
  // Only what a resource has can be absent from the list.
  if (typeof listed === "string" || !isUnmanaged) {
    return { problems: ["a resource may be about to have it"] };
  }
  const { url, events, tables } = listed;
  const [tableId, secondTable] = tables ?? [];
  if (secondTable !== undefined) {
    return { problems: ["a resource cannot declare several tables"] };
  }
  const described = describeWebhook({ databaseId, url, events, tableId });
  return tables === undefined && "description" in described
    ? { ...described, description: { ...described.description, tableId: unknownTable } }
    : described;
}

/**
 * Writes the files, which only this user can read, and returns lines about them. Throws, and
 * leaves no file behind, if one of them exists or cannot be written. `isComplete`: whether no
 * webhook was left out.
 */
export async function writeImportFiles(
  lists: readonly DatabaseList<WebhookRow>[],
  directory: string,
): Promise<{ readonly text: string; readonly isComplete: boolean }> {
  const { byId, remarks, leftOut } = describeUnmanaged(lists);
  const isComplete = leftOut.length === 0;
  const described = Object.entries(byId);
  if (described.length === 0) {
    const text = linesOf([...leftOut, "There is no webhook to import, so no file was written."]);
    return { text, isComplete };
  }
  const webhooksFile = join(directory, "webhooks.json");
  const importFile = join(directory, "import.json");
  // For Pulumi, two imports of one name and one id are one, whatever their databases.
  const resources = described.map(([id, { databaseId }]) => {
    return { type: pluginWebhookType, name: `webhook-${databaseId}-${id}`, id };
  });
  await writeNewFiles(directory, [
    [webhooksFile, byId],
    [importFile, { resources }],
  ]);
  const lacksTable = described.some(([, { tableId }]) => tableId === unknownTable);
  const count = described.length === 1 ? "1 webhook" : `${described.length} webhooks`;
  const text = linesOf([
    ...remarks,
    ...leftOut,
    `Described ${count} in ${webhooksFile}. Next:`,
    `1. Write the secrets of the receivers into ${webhooksFile}${lacksTable ? ', and the tables, which the service does not list: remove "tableId" for all tables' : ""}.`,
    `2. Write the names that your program gives the webhooks into ${importFile}.`,
    `3. With the stack that is to have them as STACK, run ${importVariable}="$(cat ${quoted(webhooksFile)})" pulumi import --stack STACK --file ${quoted(importFile)} --generate-code=false`,
  ]);
  return { text, isComplete };
}

/** Writes files that only this user can read: all of them, or none. */
async function writeNewFiles(
  directory: string,
  files: readonly (readonly [file: string, content: object])[],
): Promise<void> {
  const created: string[] = [];
  try {
    await makeDirectory(directory);
    for (const [file, content] of files) {
      await using handle = await open(file, "wx", 0o600);
      created.push(file);
      await handle.writeFile(jsonFileText(content));
    }
  } catch (error) {
    await Promise.all(created.map((file) => rm(file)));
    const { path = directory } = error as NodeJS.ErrnoException;
    throw new Error(
      `Cannot write ${oneLine(path, 300)}: ${systemErrorText(error)}. No file was written.`,
    );
  }
}

/** Node.js does not end if it makes a directory and its parents below /proc. */
async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw error;
    }
  }
}

/** Returns a path as a shell reads it. */
function quoted(path: string): string {
  const operand = path.startsWith("-") ? `./${path}` : path;
  return /^[\w./-]+$/.test(operand) ? operand : `'${operand.replaceAll("'", "'\\''")}'`;
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
