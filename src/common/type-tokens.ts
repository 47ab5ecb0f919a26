/** The type of a webhook of the dynamic provider, as Pulumi's state holds it. */
export const dynamicWebhookType = "pulumi-nodejs:dynamic/dbwebhooks:Webhook";

/** The type of a webhook of the plugin. */
export const pluginWebhookType = "dbwebhooks:index:Webhook";
