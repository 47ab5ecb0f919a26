import { status } from "@grpc/grpc-js";
import { isPathSegment, webhookIdOf } from "../../common/identifier.js";
import { shownValue } from "../../common/plain-text.js";
import type { StoredId } from "../../provider/rules/state.js";
import { RequestError } from "./grpc-messages.js";

/**
 * Returns Pulumi's id of a webhook. It holds the database, because two databases can use one
 * number.
 */
export function pulumiIdOf(databaseId: unknown, webhookId: string): string {
  return `${databaseId}/${webhookId}`;
}

/**
 * Splits Pulumi's id of a webhook to import at its last slash.
 *
 * @throws RequestError for any other text.
 */
export function parseImportId(pulumiId: string): Required<StoredId> {
  const key = splitId(pulumiId);
  if (key !== undefined) {
    return key;
  }
  const number = webhookIdOf(pulumiId);
  const form = `The id is DATABASE/NUMBER, such as base_abc123/${number ?? 42}`;
  const problem =
    number === undefined
      ? `${form}, not "${shownValue(pulumiId)}".`
      : `which database does webhook ${number} belong to? ${form}. A number alone is the id of a webhook of the dynamic provider.`;
  throw new RequestError(
    `Import webhook failed: ${problem} Nothing was changed.`,
    status.INVALID_ARGUMENT,
  );
}

/**
 * Splits Pulumi's id of a webhook in the state. One of another form fits no database of a state.
 */
export function parseStoredId(pulumiId: string): Required<StoredId> {
  return splitId(pulumiId) ?? { databaseId: "", id: pulumiId };
}

function splitId(pulumiId: string): Required<StoredId> | undefined {
  const slash = pulumiId.lastIndexOf("/");
  const databaseId = pulumiId.slice(0, Math.max(slash, 0));
  const id = webhookIdOf(pulumiId.slice(slash + 1));
  return id !== undefined && isPathSegment(databaseId) ? { databaseId, id } : undefined;
}
