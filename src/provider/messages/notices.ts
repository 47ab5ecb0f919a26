// What the user is told of an operation that does not fail.
import type { ReportedDelay } from "../../api/transport.js";
import { shownValue } from "../../common/redact.js";
import type { SpareReason } from "../run-state.js";
import { secondsText } from "./requests.js";
import { sentences } from "./sentences.js";
import { see } from "./troubleshooting.js";

/** Announces an adoption. */
export function adoptingText(name: string): string {
  return sentences(
    `Adopting ${name}: it is taken over as it is, and no webhook is created.`,
    `If the state still has it under another Provider,`,
    `or with the other kind of provider (pulumi-dbwebhooks is the dynamic one, pulumi-dbwebhooks/native the native one),`,
    `first remove that resource with "pulumi state delete": otherwise Pulumi deletes the webhook.`,
    `For the same reason do not adopt together with an upgrade of this package or with --target.`,
  );
}

/** Refuses arguments that adopt a webhook which other arguments of the same command adopt. */
export function namedTwiceText(name: string): string {
  return sentences(
    `names ${name}, which this command already adopts: in another resource, or in the one that is replaced.`,
    see("One webhook, two resources"),
  );
}

/** Announces a replacement. `labels` name the properties that differ. */
export function replacementText(name: string, labels: readonly string[]): string {
  return `Replacing ${name}, because these properties differ: ${labels.join(", ")}. The new webhook has a new secret.`;
}

/** Announces that a resource adopts another webhook than the one that it has. */
export function exchangeText(name: string, adopted: string, labels: readonly string[]): string {
  return sentences(
    `Replacing ${name}, because these properties differ: ${labels.join(", ")}.`,
    `The update takes over ${adopted} with its secret, and deletes ${name}.`,
  );
}

/** Says that an adopted webhook keeps its resource unless a value that is not known yet differs. */
export function adoptedWithUnknownsText(name: string, properties: readonly string[]): string {
  return sentences(
    `The program adopts ${name}, and these properties are not known yet: ${properties.join(", ")}.`,
    `If they turn out the same, nothing changes; otherwise the update fails.`,
    `To change them, first run "pulumi up" with a program that only removes adopt.`,
  );
}

/** Says that an import and the program differ. */
export function importedOtherwiseText(name: string, labels: readonly string[]): string {
  return sentences(
    `The program and the service differ about ${name}: ${labels.join(", ")}.`,
    `Pulumi does not replace a webhook that it imports.`,
    `Declare it as the service has it, and change it after the import.`,
  );
}

/** Warns that `adopt.secret` of the program differs from the stored secret. */
export function otherAdoptedSecretText(name: string): string {
  return sentences(
    `The argument adopt.secret of ${name} is not the secret in the state, and has no effect:`,
    `the state keeps its secret.`,
    see("adopt.secret differs from the state"),
  );
}

/** Reports an adoption. */
export function adoptedText(name: string, isLookedUp: boolean): string {
  return sentences(
    `This stack manages ${name} from now on.`,
    `It was not changed${isLookedUp ? "" : ` and was not looked up (the setting listing is off)`}.`,
  );
}

/** Warns that a webhook was not deleted, because it has another resource now. */
export function sparedText(name: string, reason: SpareReason): string {
  const reasons = {
    namedByAdopt: "the argument adopt of the program names it",
    adopted: "this command has adopted it",
    imported: "this command has imported it",
    created: "the service returned it for a creation of this command",
  };
  return `Did not delete ${name}: ${reasons[reason]}, so it has another resource now.`;
}

/** Warns that a webhook is gone, or that the key has no access to it. */
export function absentText(name: string): string {
  return sentences(
    `The service returned 404 for ${name}, which is therefore removed from the state.`,
    `A key without access to the database gets the same response: if that is possible here,`,
    `check at the service that the webhook is gone. With the setting listing, the service's list decides.`,
  );
}

/** Warns of drift. `isAsDeclared` is known only where Pulumi passes the arguments of the last update. */
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
    : `${fact} Unless the program declares the same or ignores the difference, the next "pulumi up" may replace the webhook, with a new secret.`;
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

/** Warns that a refresh shows no drift of some webhooks. `failedCall` says why there is no list, if there is none. */
export function notLookedUpText(databaseId: string, failedCall: string | undefined): string {
  const why =
    failedCall === undefined
      ? "the service may have listed only a part of its webhooks"
      : `the list could not be read completely: ${failedCall}`;
  return sentences(
    `Some webhooks of database ${shownValue(databaseId)} were not looked up, because ${why}.`,
    `Their state stays as it is, and this refresh does not show their drift.`,
  );
}

/** Warns that a refresh reads nothing, because settings are missing or invalid. */
export function notReadText(problems: readonly string[]): string {
  return `Webhooks were not read: ${problems.join(". ")}. Their state stays as it is, and this refresh does not show their drift.`;
}

/** Says why requests wait. */
export function delayText({ kind, delayMs, request, outcome }: ReportedDelay): string {
  if (kind === "retry") {
    const what = outcome.kind === "response" ? `returned ${outcome.statusCode}` : "did not respond";
    return `${request.url.origin} ${what}; retrying ${request.method}.`;
  }
  return sentences(
    `The service limits the rate of requests, so no request is sent for the next ${secondsText(delayMs)}.`,
    `With a lower --parallel, Pulumi sends fewer requests at once.`,
  );
}
