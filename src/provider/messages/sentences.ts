/** The advice after a fault of this package. */
export const bugText = "This is a bug in pulumi-dbwebhooks: please report it.";

/** Joins the sentences of a message, or parts of a long one, with spaces. */
export function sentences(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(" ");
}
