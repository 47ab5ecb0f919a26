// What a refresh found.
import { shownValue } from "../../common/redact.js";
import { sentences } from "./sentences.js";

/**
 * Warns of drift. `isAsDeclared` is known only where Pulumi passes the arguments of the last update.
 */
export function driftText(
  name: string,
  properties: readonly string[],
  isAsDeclared: boolean | undefined,
): string {
  const names = properties.join(", ");
  const fact = `At the service, these properties of ${name} differ from the state, which has them now: ${names}.`;
  if (isAsDeclared === undefined) {
    return `${fact} "pulumi preview" shows whether the program differs from them.`;
  }
  return isAsDeclared
    ? `${fact} They are as the last update declared them.`
    : `${fact} Unless the program declares the same, the next "pulumi up" replaces the webhook, with a new secret.`;
}

/** Warns that a complete list does not hold a webhook. */
export function absentFromListText(name: string): string {
  return sentences(
    `The service no longer has ${name}, which leaves the state.`,
    `If the program declares it, the next "pulumi up" creates a new one, with a new secret.`,
  );
}

/** Warns that a webhook is inactive. */
export function inactiveText(name: string): string {
  return `At the service, ${name} is switched off (active: false), so it sends no notifications.`;
}

/** Warns that a refresh shows no drift of some webhooks. */
export function notLookedUpText(databaseId: string, why: string): string {
  return sentences(
    `Some webhooks of database ${shownValue(databaseId)} were not looked up, because ${why}.`,
    `Their state stays as it is, and this refresh does not show their drift.`,
  );
}

/** Why a refresh could not look a webhook up. */
export const lookupProblems = {
  otherBaseUrl: (baseUrl: string) =>
    `the state holds them at ${shownValue(baseUrl)}, and baseUrl is another address`,
  incompleteList: "the service may have listed only a part of its webhooks",
  listFailed: (call: string) => `the list could not be read: ${call}`,
};
