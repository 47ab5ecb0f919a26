// What a creation that failed has left behind, and what to do.
import type { FailedCall, NewWebhook } from "../../api/client.js";
import { parseJson } from "../../common/json.js";
import { shownValue } from "../../common/redact.js";
import type { Context, Operation } from "../operation.js";
import { adviceFor, failureText } from "./requests.js";
import { sentences } from "./sentences.js";
import { see } from "./troubleshooting.js";

const maxShownIds = 5;
// A service may return these when a database has as many webhooks as it allows.
const statusCodesOfFullDatabase = [402, 403, 409, 422];

/** Describes a creation that was not sent, because an argument is missing or not known. */
export function incompleteText(problem = "not all arguments are known"): string {
  return `Create webhook failed: ${problem}. Nothing was sent. Run "pulumi up" again.`;
}

/** Describes a creation that made no webhook. */
export function notCreatedText(context: Context, failure: FailedCall): string {
  const advice = `${adviceFor(context, failure)}${quotaHint(failure)}`;
  return failureText(context, failure, `No webhook was created. ${advice}`);
}

/** Describes a creation after which a webhook may exist. */
export function inDoubtText(
  context: Context,
  failure: FailedCall,
  { databaseId, url }: NewWebhook,
  { ids, isComplete }: { readonly ids: readonly string[]; readonly isComplete: boolean },
): string {
  const { outcome, unusablePart } = failure;
  const isJson = outcome.kind === "response" && parseJson(outcome.body) !== undefined;
  const isUnlisted = ids.length === 0 && isComplete;
  const advice = [
    unusablePart === "id" && !isJson && adviceFor(context, failure),
    isUnlisted && "The service lists no such webhook now, but it may still appear.",
    `A webhook may exist in database ${shownValue(databaseId)} without a stored secret.`,
    orphansAdvice(url, ids),
    `Then run "pulumi up" again.${quotaHint(failure)} ${see("inDoubt")}`,
  ];
  return failureText(context, failure, sentences(...advice));
}

/** Describes a creation for which the service returned a webhook that this run knows. */
export function knownNumberText({ name }: Operation, id: string): string {
  return sentences(
    `${name} failed: the service returned webhook ${shownValue(id)}, which this command already knows.`,
    `Either it returned an existing webhook, or it numbers its webhooks from the beginning again and has`,
    `created one whose secret is lost.`,
    `Nothing was deleted.`,
    `Before you run the command again, find out which of the two.`,
    see("A number that is already known"),
  );
}

/** Describes a creation for which the service returned a webhook without its secret. */
export function withoutSecretText({ name }: Operation, id: string): string {
  return sentences(
    `${name} failed: the service returned webhook ${shownValue(id)} without a secret.`,
    `It may be an existing webhook, so it was not deleted.`,
    `Find out whether a stack manages it; if none does, delete it at the service.`,
    `Then run the command again.`,
    see("inDoubt"),
  );
}

/** Describes a creation that was undone, or the attempt. `problem` says why the webhook still exists. */
export function undoText(
  { name }: Operation,
  id: string,
  { hasUsableSecret }: { readonly hasUsableSecret: boolean },
  problem?: string,
): string {
  const why = hasUsableSecret
    ? `Pulumi stopped while the service created webhook ${id}`
    : `the service created webhook ${id} with a secret that cannot be stored`;
  return problem === undefined
    ? `${name} failed: ${why}. The new webhook was deleted. Run the command again.`
    : sentences(
        `${name} failed: ${why}.`,
        `Pulumi has not stored the webhook, and it could not be deleted: ${problem}`,
        `Delete webhook ${id} at the service.`,
        see("leftBehind"),
      );
}

/** Says why a 404 to the deletion of a new webhook does not prove that it is gone. */
export const undoReturned404 =
  "the service returned 404 NOT_FOUND, which it also returns to a key that may not delete webhooks.";

function orphansAdvice(url: string, ids: readonly string[]): string {
  if (ids.length === 0) {
    const receiver = URL.parse(url)?.origin ?? "an unknown host";
    return `Look there for an unmanaged webhook to a receiver on ${shownValue(receiver)}, and delete it.`;
  }
  const shown = ids.slice(0, maxShownIds).map(shownValue).join(", ");
  const more = ids.length > maxShownIds ? ` and ${ids.length - maxShownIds} more` : "";
  return sentences(
    `The service lists webhooks with the same url, events and table that this command does not know:`,
    `${shown}${more}.`,
    `Another creation in flight may have made one of them.`,
    `Delete those that no stack manages.`,
  );
}

function quotaHint({ outcome }: FailedCall): string {
  return outcome.kind === "response" && statusCodesOfFullDatabase.includes(outcome.statusCode)
    ? ` Perhaps the database is full. ${see("A full database")}`
    : "";
}
