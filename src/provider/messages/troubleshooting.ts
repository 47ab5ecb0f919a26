/**
 * The headings of `docs/troubleshooting.md` to which messages refer. A test holds them against the
 * page.
 */
export const troubleshootingHeadings = [
  "inDoubt",
  "A repeated id",
  "leftBehind",
  "A wrong key",
  "Remove a pending deletion from the state",
  "The base URL has changed",
  "The same service at a new base URL",
  "A refused creation",
  "Two resources have one webhook",
  "An import",
  "After an interruption",
] as const;

export type TroubleshootingHeading = (typeof troubleshootingHeadings)[number];

/** Refers to the part of the page with the steps that depend on the situation. */
export function see(heading: TroubleshootingHeading): string {
  return `See "${heading}" in docs/troubleshooting.md of pulumi-dbwebhooks.`;
}
