import { status } from "@grpc/grpc-js";
import { isPathSegment, webhookIdOf } from "../../common/identifier.js";
import { shownValue } from "../../common/redact.js";
import { RequestError } from "./grpc-messages.js";

/** Returns Pulumi's id of a webhook. It holds the database, because two databases can use one number. */
export function pulumiIdOf(databaseId: unknown, webhookId: string): string {
  return `${databaseId}/${webhookId}`;
}

/**
 * Splits Pulumi's id of a webhook at its last slash.
 *
 * @param operation The first word of the error message, such as `Import`.
 * @throws RequestError for any other text.
 */
export function parsePulumiId(
  id: string,
  operation: string,
): { readonly databaseId: string; readonly webhookId: string } {
  const slash = id.lastIndexOf("/");
  const databaseId = id.slice(0, Math.max(slash, 0));
  const webhookId = webhookIdOf(id.slice(slash + 1));
  if (webhookId !== undefined && isPathSegment(databaseId)) {
    return { databaseId, webhookId };
  }
  const form = `The id is DATABASE/NUMBER, such as base_abc123/${webhookId ?? 42}`;
  const problem =
    webhookIdOf(id) === undefined
      ? `${form}, not "${shownValue(id)}".`
      : `which database does webhook ${id} belong to? ${form}. A number alone is the id of a webhook of the dynamic provider.`;
  throw new RequestError(
    `${operation} webhook failed: ${problem} Nothing was changed.`,
    status.INVALID_ARGUMENT,
  );
}
