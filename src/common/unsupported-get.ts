/**
 * Why a webhook cannot only be read, with the resource option `id` or with `get` of a generated
 * SDK, and what to do instead.
 */
export const unsupportedGetText =
  "a webhook that another stack manages cannot be read, because the service does not reveal its secret again: export the secret from that stack, and use a StackReference.";
