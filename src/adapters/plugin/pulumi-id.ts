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
 * Splits Pulumi's id of a webhook at its last slash.
 *
 * @param operation The first word of the error message, such as `Import`.
 * @throws RequestError for any other text.
 */
export function parsePulumiId(pulumiId: string, operation: string): Required<StoredId> {
  const slash = pulumiId.lastIndexOf("/");
  const databaseId = pulumiId.slice(0, Math.max(slash, 0));
  const id = webhookIdOf(pulumiId.slice(slash + 1));
  if (id !== undefined && isPathSegment(databaseId)) {
    return { databaseId, id };
  }
  const form = `The id is DATABASE/NUMBER, such as base_abc123/${id ?? 42}`;
  const problem =
    webhookIdOf(pulumiId) === undefined
      ? `${form}, not "${shownValue(pulumiId)}".`
      : `which database does webhook ${pulumiId} belong to? ${form}. A number alone is the id of a webhook of the dynamic provider.`;
  throw new RequestError(
    `${operation} webhook failed: ${problem} Nothing was changed.`,
    status.INVALID_ARGUMENT,
  );
}
