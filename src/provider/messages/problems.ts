// Why an existing webhook cannot be imported, or a new one not be deleted again, and what helps.
import type { FailedCall } from "../../api/client.js";
import { shownValue } from "../../common/redact.js";
import { importSecretVariable } from "../../common/setting-names.js";
import type { Context } from "../run/operation.js";
import { callText } from "./requests.js";
import { sentences } from "./sentences.js";

/** Why something was not done, and what helps. */
export interface Problem {
  readonly cause: string;
  readonly advice?: string;
}

/** Why a webhook cannot be imported. */
export const importProblems = {
  listingIsOff: sentences(
    "the setting listing is not on, and only the service's list shows its url, events and table.",
    "Set DBWEBHOOKS_LISTING=true, or listing: true for the Provider.",
  ),
  secret: (problem: string, key: string) =>
    sentences(
      `${importSecretVariable} ${problem}.`,
      `Set it to the secret alone, or to a JSON object such as {"${key}":"whsec_…"};`,
      `an object {"secret":…,"url":…,"events":[…],"tableId":…} in place of the secret needs no list.`,
    ),
  severalTables: { cause: "it selects several tables, and a resource can declare one or all" },
  notListed: (baseUrl: string) => ({
    cause: `the service at ${shownValue(baseUrl)} does not list it`,
    advice: "Check the id, which is DATABASE/NUMBER, and the base URL.",
  }),
};

/** Says why a list does not show whether a webhook exists. */
export function notFoundText(context: Context, call: FailedCall | undefined): string {
  return call === undefined
    ? "the service does not list it, but may have listed only a part of its webhooks"
    : `it could not be looked up: ${callText(context, call)}`;
}

/** Why a 404 to the deletion of a new webhook does not prove that it is gone. */
export function undoReturned404(mayBeDeleted: boolean): string {
  return sentences(
    "the service returned 404 NOT_FOUND, which it also returns to a key that may not delete webhooks",
    mayBeDeleted && "(an earlier attempt without a complete response may have deleted it)",
  );
}
