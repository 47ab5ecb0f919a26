// Adoptions and imports: what happened, and why not.
import type { FailedCall } from "../../api/client.js";
import { importSecretVariable } from "../../common/setting-names.js";
import type { Context, Operation } from "../operation.js";
import { callText } from "./requests.js";
import { sentences } from "./sentences.js";
import { see } from "./troubleshooting.js";

/** Announces an adoption. */
export function adoptingText(name: string): string {
  return sentences(
    `Adopting ${name}: it is taken over as it is, and no webhook is created.`,
    `If the state still has it under another Provider,`,
    `or as a resource of the other entry (pulumi-dbwebhooks or pulumi-dbwebhooks/native),`,
    `first remove that resource with "pulumi state delete": otherwise Pulumi deletes the webhook.`,
    `For the same reason do not adopt together with an upgrade of this package or with --target.`,
  );
}

/** Reports an adoption. */
export function adoptedText(name: string, isLookedUp: boolean): string {
  return sentences(
    `This stack manages ${name} from now on.`,
    `It was not changed${isLookedUp ? "" : ` and was not looked up (the setting listing is off)`}.`,
  );
}

/** Warns that `adopt.secret` of the program differs from the stored secret. */
export function otherAdoptedSecretText(name: string): string {
  return sentences(
    `The argument adopt.secret of ${name} is not the secret in the state, and has no effect:`,
    `the state keeps its secret.`,
    see("Another adopt.secret"),
  );
}

/** Explains why a webhook was not adopted. */
export function notAdoptedText(name: string, problem: string, isLeftBehind: boolean): string {
  const end = isLeftBehind
    ? "Its old resource has left the state. If the webhook still exists, keep adopt until an update has succeeded."
    : "Nothing was changed.";
  return `Adopt ${name} failed: ${problem} ${end}`;
}

/** Why a webhook cannot be adopted, and what helps. */
export const adoptionProblems = {
  gone: "this command deletes it or has found that it is gone. Remove adopt from the program to create a new webhook.",
  managed:
    "a resource has it: this command has created, adopted or imported it. Remove adopt, or the other resource.",
  notListed: sentences(
    "the service does not list it.",
    "Check adopt.id, databaseId and the base URL; if it is gone, remove adopt to create a new one.",
  ),
  notLookedUp: (why: string) => `${why} To adopt it without a lookup, set listing to false.`,
  differs: (properties: string) =>
    sentences(
      `these properties differ at the service: ${properties}.`,
      `Declare them as the service has them, and change them afterwards.`,
    ),
};

/** Explains why a webhook was not imported. */
export function notImportedText({ name }: Operation, problem: string): string {
  return sentences(
    `${name} failed: ${problem} The argument adopt takes over a webhook without an import,`,
    `and without a lookup if the setting listing is off.`,
    `Nothing was changed.`,
  );
}

/** Why a webhook cannot be imported, and what helps. */
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
  gone: "this command deletes it.",
  severalTables: "it selects several tables, and a resource can declare one or all.",
  notListed:
    "the service does not list it. Check the id, which is DATABASE/NUMBER, and the base URL.",
};

/** Says why a list does not show whether a webhook exists. */
export function notFoundText(context: Context, failure: FailedCall | undefined): string {
  return failure === undefined
    ? "the service does not list it, but may have listed only a part of its webhooks."
    : `it could not be looked up: ${callText(context, failure)}.`;
}
