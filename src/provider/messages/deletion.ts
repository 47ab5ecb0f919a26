// Why a webhook was not deleted, and what to do.
import type { FailedCall } from "../../api/client.js";
import { shownValue } from "../../common/redact.js";
import { environmentVariables } from "../../common/setting-names.js";
import type { Settings } from "../config.js";
import type { ErrorKind } from "../errors.js";
import type { Context, Operation } from "../operation.js";
import type { DeletionConflict, DeletionProtection } from "../run-state.js";
import { nameOfSetting } from "./names.js";
import { adviceFor, failureText } from "./requests.js";
import { sentences } from "./sentences.js";
import { see } from "./troubleshooting.js";

const stays = "Nothing was sent, and the webhook stays in the state.";

/** Describes a failed deletion of a webhook that is in the state. */
export function notDeletedText(context: Context, failure: FailedCall): string {
  const advice = adviceFor(context, failure);
  return failureText(context, failure, `The webhook stays in the state. ${advice}`);
}

/** Warns that a webhook is gone, or that the key has no access to it. */
export function absentText(name: string): string {
  return sentences(
    `The service returned 404 for ${name}, which is therefore removed from the state.`,
    `A key without access to the database gets the same response: if that is possible here,`,
    `check at the service that the webhook is gone.`,
  );
}

/** Explains why the state does not say which webhook to delete. */
export function noAddressText({ name }: Operation): string {
  return sentences(
    `${name} failed: its state has no usable id, databaseId or baseUrl.`,
    `${stays} Delete the webhook at the service, then remove it with "pulumi state delete".`,
  );
}

/** Warns that a webhook was not deleted, because it has another resource now. */
export function protectedText(name: string, reason: DeletionProtection): string {
  const reasons = {
    namedByAdopt: "the argument adopt of the program names it",
    adopted: "this command has adopted it",
    imported: "this command has imported it",
    created: "the service returned it for a creation of this command",
  };
  return `Did not delete ${name}: ${reasons[reason]}, so it has another resource now.`;
}

/** Explains why a deletion would be wrong, so that the webhook stays in the state. */
export function conflictText({ name }: Operation, conflict: DeletionConflict): string {
  switch (conflict) {
    case "adoptionFailed":
      return sentences(
        `${name} failed: the program adopts this webhook, and the adoption failed.`,
        `${stays} Correct the adoption, and run the command again.`,
      );
    case "returnedInDoubt":
      return sentences(
        `${name} failed: the service returned this webhook for a creation that is in doubt.`,
        `${stays} ${see("A number that is already known")}`,
      );
    case "sameNumberAtFormerBaseUrl":
      return sentences(
        `${name} failed: the state holds it at a former base URL,`,
        `and another webhook with the same number at the current one,`,
        `so formerBaseUrls does not name the same service.`,
        `${stays} Correct formerBaseUrls.`,
        see("Another base URL"),
      );
  }
}

/** Explains why nothing is sent for a webhook of another base URL. */
export function otherBaseUrlText({ name }: Operation, settings: Settings, baseUrl: string): string {
  return sentences(
    `${name} failed: the state holds it at ${shownValue(baseUrl)},`,
    `and ${nameOfSetting(settings, "baseUrl")} is ${shownValue(settings.baseUrl)}.`,
    `${stays} If you know the first address, use it together with its own key again.`,
    see("Another base URL"),
  );
}

/** Explains why an operation without valid settings fails. */
export function notConfiguredText(
  { name }: Operation,
  problems: readonly string[],
  kind: ErrorKind,
  isExplicit: boolean,
): string {
  const failed = `${name} failed: ${problems.join(". ")}. Nothing was sent.`;
  if (kind !== "notDeleted") {
    return failed;
  }
  const remedy = isExplicit
    ? `Correct the arguments of the Provider, or declare it again if it has left the program, and run "pulumi up".`
    : `Variables such as ${environmentVariables.apiKey} set a value for this command, whatever the stack stores.`;
  return `${failed} The webhook stays in the state. ${remedy}`;
}
