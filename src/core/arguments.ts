/**
 * What a change of each argument does: `replace` replaces the webhook, because the service's interface
 * describes no update operation (part 4.3); `local` changes nothing at the service; `adopt` replaces the
 * webhook when it names another one.
 */
export const argumentChanges = {
  databaseId: "replace",
  url: "replace",
  events: "replace",
  tableId: "replace",
  allowUnknownEvents: "local",
  allowInsecureUrl: "local",
  adopt: "adopt",
} as const satisfies Readonly<Record<string, "replace" | "local" | "adopt">>;

/** The name of an argument of a webhook. */
export type ArgumentName = keyof typeof argumentChanges;

/** The arguments a change of which does this, in the order of the documentation. */
export function argumentsThat(change: (typeof argumentChanges)[ArgumentName]): ArgumentName[] {
  const names = Object.keys(argumentChanges) as ArgumentName[];
  return names.filter((name) => argumentChanges[name] === change);
}
