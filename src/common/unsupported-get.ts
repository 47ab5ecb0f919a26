/** Says why a webhook cannot only be read: the option `id`, and `get` of a generated SDK. */
export const unsupportedGetText =
  "a webhook that another stack manages cannot be read, because the service does not reveal its secret again: export the secret from that stack, and use a StackReference.";
