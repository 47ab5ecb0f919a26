// Why two ways to read a webhook are refused, and what to do instead.

/** Says why a webhook cannot only be read: the option `id`, and `get` of a generated SDK. */
export const unsupportedGetText =
  "a webhook that another stack manages cannot be read, because the service does not reveal its secret again: export the secret from that stack, and use a StackReference.";

/** Says why `exists` of a generated SDK gets no result. */
export const unsupportedExistsText =
  "whether a webhook exists cannot be answered, because an id identifies it only within its database, and Pulumi passes the id alone. Nothing was changed.";
