/** The headings of `docs/troubleshooting.md` to which messages refer. A test holds them against the page. */
export const troubleshootingHeadings = [
  "inDoubt",
  "A number that is already known",
  "leftBehind",
  "A wrong key",
  "Another base URL",
  "Another adopt.secret",
  "A full database",
  "One webhook, two resources",
] as const;

/** Refers to the part of the page with the steps that depend on the situation. */
export function see(heading: (typeof troubleshootingHeadings)[number]): string {
  return `See "${heading}" in docs/troubleshooting.md.`;
}
