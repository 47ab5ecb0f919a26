// What the next update replaces, and what it refuses to.
import { shownValue } from "../../common/redact.js";
import type { BaseUrlChange } from "../base-url-change.js";
import { sentences } from "./sentences.js";
import { see } from "./troubleshooting.js";

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

/** Adds to an announcement what a move to another base URL needs. */
export function moveText(from: string, to: string): string {
  return sentences(
    `Pulumi deletes the old webhook at ${shownValue(from)} with the old key, which must still work.`,
    `If ${shownValue(to)} is a new address of the same service,`,
    `set formerBaseUrls to ${shownValue(from)} instead: then nothing is replaced.`,
  );
}

/** Announces the replacement of a provider of the plugin, and of its webhooks. */
export function providerReplacedText(provider: string, { from, to }: BaseUrlChange): string {
  return sentences(
    `Webhooks of the provider ${provider} move from ${from} to ${to}: Pulumi replaces them,`,
    `and their secrets change.`,
    moveText(from, to),
  );
}

/** Refuses another base URL of an explicit provider of the plugin. */
export function baseUrlRefusedText({ from, to, kind }: BaseUrlChange): string {
  const why =
    kind === "keyIsMissing"
      ? "the key of the old address is not stored"
      : "the environment sets the old address or its key";
  return sentences(
    `baseUrl: changes from ${from} to ${to}, and ${why}, so Pulumi could not delete the old webhooks.`,
    `First give the old baseUrl and its apiKey to the Provider, and run "pulumi up"; then change both`,
  );
}

/** Names a base URL that differs. */
export function baseUrlLabel(old: string | undefined, next: string): string {
  return `baseUrl (${old === undefined ? "" : `from ${shownValue(old)} `}to ${shownValue(next)})`;
}

/** Refuses to adopt the webhook that is replaced. */
export function adoptedAgainText(name: string): string {
  return sentences(
    `Adopt ${name} failed: the resource that is replaced, or another one, has this webhook already.`,
    `Nothing was changed.`,
    `Remove adopt from the program: the resource then gets a new webhook, with a new secret.`,
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

/** Warns that two resources have one webhook. */
export function sharedText(name: string, resources: readonly string[]): string {
  return sentences(
    `${resources.length} resources manage ${name}: ${resources.join(", ")}.`,
    `Deleting one of them deletes the webhook.`,
    see("One webhook, two resources"),
  );
}

/** Warns that the service has returned the number of a stored webhook for a new one. */
export function returnedForCreationText(name: string): string {
  return sentences(
    `The state has ${name} for this resource, and the service has returned the same number for a creation of`,
    `this command.`,
    `Before you run another command, find out to which resource the webhook belongs.`,
    see("A number that is already known"),
  );
}
