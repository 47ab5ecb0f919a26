/** The arguments or the state of a resource, as Pulumi hands them over. */
export type Properties = Readonly<Record<string, unknown>>;

/**
 * Stand-ins that Pulumi sends for a value that is not known yet, in place of the value itself:
 * string, boolean, number, array, object. Source: `sdk/nodejs/runtime/rpc.ts` in pulumi/pulumi.
 */
const unknownMarkers = new Set<unknown>([
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Whether Pulumi does not know this value yet, or not all of what it holds. */
export function isUnknown(value: unknown): boolean {
  if (typeof value === "object" && value !== null) {
    return Object.values(value).some(isUnknown);
  }
  return unknownMarkers.has(value);
}

/** Sorts events and drops duplicates, once all are known: their order means nothing. */
export function normalizeEvents(events: unknown): unknown {
  const isList = Array.isArray(events) && events.every((event) => typeof event === "string");
  return isList && !isUnknown(events) ? [...new Set(events)].sort() : events;
}

/** Drops what means "not given". */
export function withoutAbsent(properties: Properties): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** How Pulumi marks a secret. Source: `specialSigKey` in `sdk/nodejs/runtime/rpc.ts`. */
const markKey = "4dabf18193072939515e22adb298388d";
const mark = "1b47061264138c4ac30d75fd1eb44270";

/** Marks the secret, so that the engine encrypts it whatever the resource's options say. */
export function withSecretMarked(properties: Properties): Record<string, unknown> {
  return "secret" in properties
    ? { ...properties, secret: markedSecret(properties.secret) }
    : { ...properties };
}

/** A text with the mark of a secret; anything else as it is. */
export function markedSecret(value: unknown): unknown {
  return typeof value === "string" ? { [markKey]: mark, value } : value;
}

/** Undoes the marks of secrets, for a version of Pulumi that leaves them in what providers get. */
export function withSecretsBare(properties: Properties): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, bareValue(value)]),
  );
}

/** A value without the mark of a secret. */
export function bareValue(value: unknown): unknown {
  const envelope = value as Record<string, unknown> | null | undefined;
  return envelope?.[markKey] === mark ? envelope.value : value;
}
