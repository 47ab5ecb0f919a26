// Why the plugin does not start, refuses a request from Pulumi, or fails to handle it.
import { pluginWebhookType } from "../../common/type-tokens.js";
import { unsupportedExistsText, unsupportedGetText } from "../../common/unsupported-reads.js";
import { bugText } from "./sentences.js";

const plugin = "pulumi-resource-dbwebhooks";

export const startedByHandText = `${plugin} is started by Pulumi, with the address of its engine as last argument, such as 127.0.0.1:12345.`;

export const unnamedProviderText =
  "Configure failed: Pulumi has sent no name of the provider. Nothing was changed.";

export const notConfigurableText = `Configure failed: this process of ${plugin} was configured or asked for its schema before. Nothing was changed.`;

export const notConfiguredText = `${plugin} received a request before Configure.`;

export const externalWebhookText = `Read webhook failed: ${unsupportedGetText}`;

export const existsText = `Read webhook failed: ${unsupportedExistsText}`;

export const unexpectedErrorText = `The request failed: an unexpected error. ${bugText}`;

export function unknownTypeText(type: string): string {
  return `There is no resource type ${type} in dbwebhooks: write ${pluginWebhookType}.`;
}
