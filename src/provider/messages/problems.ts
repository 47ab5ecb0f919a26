// Why an existing webhook cannot be taken over, or a new one not be deleted again, and what helps.
import type { FailedCall } from "../../api/client.js";
import { shownValue } from "../../common/redact.js";
import { importSecretVariable } from "../../common/setting-names.js";
import type { Context } from "../operation.js";
import { callText } from "./requests.js";
import { sentences } from "./sentences.js";

/** Why something was not done, and what helps. */
export interface Problem {
  readonly cause: string;
  readonly advice?: string;
}

const adoptAdvice = sentences(
  "The argument adopt takes over a webhook without an import,",
  "and without a lookup if the setting listing is off.",
);

/** Why a webhook cannot be adopted. */
export const adoptionProblems = {
  absent: {
    cause: "this command deletes it or has found that it is gone",
    advice: "Remove adopt from the program to create a new webhook.",
  },
  held: {
    cause: "a resource has it: this command has created, adopted or imported it",
    advice: "Remove adopt, or the other resource.",
  },
  notListed: {
    cause: "the service does not list it",
    advice:
      "Check adopt.id, databaseId and the base URL; if it is gone, remove adopt to create a new one.",
  },
  notLookedUp: (cause: string) => ({
    cause,
    advice: "To adopt it without a lookup, set listing to false.",
  }),
  differs: (properties: string) => ({
    cause: `these properties differ at the service: ${properties}`,
    advice: "Declare them as the service has them, and change them afterwards.",
  }),
};

/** Why a webhook cannot be imported. */
export const importProblems = {
  listingIsOff: sentences(
    "the setting listing is off, and only the service's list shows its url, events and table.",
    "Set DBWEBHOOKS_LISTING=true, or listing: true for the Provider.",
  ),
  secret: (problem: string, key: string) =>
    sentences(
      `${importSecretVariable} ${problem}.`,
      `Set it to the secret alone, or, for several webhooks, to a JSON object such as {"${key}":"whsec_…"}.`,
    ),
  incomplete: (causes: readonly string[]) => ({ cause: causes.join(" "), advice: adoptAdvice }),
  absent: { cause: "this command deletes it" },
  severalTables: {
    cause: "it selects several tables, and a resource can declare one or all",
    advice: adoptAdvice,
  },
  notListed: (baseUrl: string) => ({
    cause: `the service at ${shownValue(baseUrl)} does not list it`,
    advice: "Check the id, which is DATABASE/NUMBER, and the base URL.",
  }),
  notLookedUp: (cause: string) => ({ cause, advice: adoptAdvice }),
};

/** Says why a list does not show whether a webhook exists. */
export function notFoundText(context: Context, call: FailedCall | undefined): string {
  return call === undefined
    ? "the service does not list it, but may have listed only a part of its webhooks"
    : `it could not be looked up: ${callText(context, call)}`;
}

/** Why a 404 to the deletion of a new webhook does not prove that it is gone. */
export const undoReturned404 =
  "the service returned 404 NOT_FOUND, which it also returns to a key that may not delete webhooks";
