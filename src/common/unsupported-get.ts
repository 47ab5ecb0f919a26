/**
 * Why a webhook cannot only be read, as with `Webhook.get` or the resource option `id`, and what to
 * do instead.
 */
export const unsupportedGetText =
  "a webhook that another stack manages cannot be read, because the service does not reveal its secret again: export the secret from that stack, and use a StackReference.";
