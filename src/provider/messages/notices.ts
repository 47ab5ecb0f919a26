// The lines about an operation that does not fail.
import type { EndedCall, WebhookList } from "../../api/client.js";
import type { HttpOutcome } from "../../api/http-exchange.js";
import type { ReportedDelay } from "../../api/transport.js";
import { shownValue } from "../../common/plain-text.js";
import type { MessageContext } from "../command/operation.js";
import type { Reporter } from "../command/reporter.js";
import { importVariable } from "../rules/import-variable.js";
import { adviceFor, adviceText } from "./advice.js";
import { callText, reasonText, secondsText, throughProxyText } from "./call-text.js";
import { sentences } from "./sentences.js";

/**
 * Warns of differences. Pulumi compares before a replacement, in a refresh and in an import, and
 * does not say which.
 *
 * @param labels The properties that differ.
 */
export function differenceText(name: string, labels: readonly string[]): string {
  return `The program and ${name} differ: ${labels.join(", ")}. An update replaces the webhook, and the new one has a new secret.`;
}

/** Announces an import. Pulumi says nothing about another resource with the same webhook. */
export function importText(id: string): string {
  return sentences(
    `Importing webhook ${id} as ${importVariable} describes it. If another resource has it, or is to delete it,`,
    `first remove that one with "pulumi state delete", or Pulumi may delete the webhook.`,
  );
}

/** Warns that a webhook was not deleted, because it has another resource now. */
export function keptText(name: string): string {
  return `Did not delete ${name}: this command has created or imported it, so it has another resource now.`;
}

/** Warns that a webhook is gone, or that the key has no access to it. */
export function absentText(name: string): string {
  return sentences(
    `The service returned 404 for ${name}, which is therefore removed from the state.`,
    `A key without access to the database gets the same response: if that is possible here,`,
    `check at the service that the webhook is gone.`,
  );
}

/** Says that a webhook was already gone. */
export function goneText(name: string): string {
  return `The service returned 404 for ${name} and does not list it: it was already gone.`;
}

/** Warns of drift. A preview stores nothing. Pulumi compares with the arguments next. */
export function driftText(name: string, properties: readonly string[]): string {
  return `At the service, these properties of ${name} differ from the state, and a refresh stores them: ${properties.join(", ")}.`;
}

/** Warns that a complete list does not hold a webhook. A preview removes nothing. */
export function absentFromListText(name: string): string {
  return sentences(
    `The service does not list ${name}, so a refresh removes it from the state.`,
    `If the program declares it, "pulumi up" then creates a new one, with a new secret:`,
    `before that, look at the service for a webhook with this id, because a list can lag behind.`,
  );
}

/**
 * Warns that a refresh cannot read a webhook whose id and state do not say where it is. The
 * comparison that follows fails, and says what to do.
 */
export function noAddressText(name: string): string {
  return `The id and the state of ${name} do not name one webhook, so it was not looked up.`;
}

/** Warns that a webhook is inactive. */
export function inactiveText(name: string): string {
  return `At the service, ${name} is switched off (active: false), so it sends no notifications.`;
}

/** Warns that a refresh shows no drift of some webhooks, because their list does not show it. */
export function notLookedUpText(
  context: MessageContext,
  databaseId: string,
  { call, isStored }: Pick<WebhookList, "call" | "isStored">,
): string {
  const database = `database ${shownValue(databaseId)}`;
  return sentences(
    notLookedUpReason(context, database, call, isStored),
    `Their state stays as it is, and this refresh does not show their drift.`,
    call && adviceText(adviceFor(context, call)),
  );
}

function notLookedUpReason(
  context: MessageContext,
  database: string,
  call: EndedCall | undefined,
  isStored: boolean,
): string {
  if (call !== undefined) {
    return `The webhooks of ${database} were not looked up, because their list could not be read: ${callText(context, call)}.`;
  }
  return isStored
    ? `The webhooks of ${database} were not looked up, because a cache between here and the service has sent a list that it had stored.`
    : `Some webhooks of ${database} were not looked up, because the list may show only a part of them.`;
}

/** Says why requests wait. */
export function delayText(
  reporter: Reporter,
  { kind, delayMs, request, outcome }: ReportedDelay,
): string {
  if (kind === "retry") {
    return `${request.url.origin} ${retryReason(outcome)}; retrying ${request.method}.`;
  }
  // A service can also refuse more webhooks in this way (docs/api/README.md#rate-limits).
  const reason = outcome.kind === "response" ? reasonText(reporter, outcome.body) : "";
  return `The service limits the rate of requests${reason && ` (${reason})`}, so no request is sent for the next ${secondsText(delayMs)}.`;
}

/** Says why the requests of Pulumi wait, and how it sends fewer at once. */
export function delayTextOfPulumi(reporter: Reporter, delay: ReportedDelay): string {
  return sentences(
    delayText(reporter, delay),
    delay.kind === "pause" && `With a lower --parallel, Pulumi sends fewer requests at once.`,
  );
}

function retryReason(outcome: HttpOutcome): string {
  switch (outcome.kind) {
    case "response":
      return `returned ${outcome.statusCode}`;
    case "noResponse":
      return `did not respond${throughProxyText(outcome)}`;
    case "unsent":
      return `could not be reached${throughProxyText(outcome)}`;
  }
}
