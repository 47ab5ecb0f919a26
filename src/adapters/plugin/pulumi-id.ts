import { isPathSegment } from "../../common/identifier.js";
import { webhookIdOf } from "../../common/webhook-id.js";

/** The Pulumi id of a webhook: unique in a service, because its number may not be. */
export function pulumiIdOf(databaseId: unknown, webhookId: string): string {
  return `${databaseId}/${webhookId}`;
}

/** The parts of a Pulumi id, split at its last slash; `undefined` for anything else. */
export function partsOfPulumiId(
  id: string,
): { readonly databaseId: string; readonly webhookId: string } | undefined {
  const slash = id.lastIndexOf("/");
  const databaseId = id.slice(0, Math.max(slash, 0));
  const webhookId = webhookIdOf(id.slice(slash + 1));
  return webhookId === undefined || !isPathSegment(databaseId)
    ? undefined
    : { databaseId, webhookId };
}
