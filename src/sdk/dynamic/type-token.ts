/** The type of a webhook in Pulumi's state. */
export const typeToken = "pulumi-nodejs:dynamic/dbwebhooks:Webhook";

/**
 * Pulumi's provider process evaluates this text and stores it with every webhook. It is the same in
 * every version, so that an upgrade of this package changes no state, and an old state is handled by
 * the new code.
 */
export const providerText = 'exports.handler = () => require("pulumi-dbwebhooks/provider")';
