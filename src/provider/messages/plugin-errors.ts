// Why the plugin does not start, refuses a request from Pulumi, or fails to handle it.
import { pluginWebhookType } from "../../common/type-tokens.js";
import { unsupportedGetText } from "../../common/unsupported-get.js";
import { WebhookError } from "../command/errors.js";
import { consequenceTexts } from "./error-message.js";
import { bugText, sentences } from "./sentences.js";

const plugin = "pulumi-resource-dbwebhooks";

export const startedByHandText = `${plugin} is started by Pulumi, with the address of its engine as last argument, such as 127.0.0.1:12345.`;

export const unnamedProviderText = "Configure failed: Pulumi has sent no name of the provider.";

export const notConfigurableText = `Configure failed: this process of ${plugin} was configured or asked for its schema before.`;

export const notConfiguredText = `${plugin} received a request before Configure.`;

export const externalWebhookText = `Read webhook failed: ${unsupportedGetText}`;

/** Says why `exists` of a generated SDK gets no result. */
export const existsText =
  "Read webhook failed: whether a webhook exists cannot be answered, because an id identifies it only within its database, and Pulumi passes the id alone.";

export const unexpectedErrorText = `The request failed: an unexpected error. ${bugText}`;

export function unknownTypeText(type: string): string {
  return `There is no resource type ${type} in dbwebhooks: write ${pluginWebhookType}.`;
}

/** Returns the error of a request that the plugin refuses, with the consequence. */
export function refused(text: string): WebhookError {
  return new WebhookError("unchanged", sentences(text, consequenceTexts.unchanged));
}
