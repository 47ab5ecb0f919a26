/**
 * Stand-ins that Pulumi sends for a value that is not known yet, in place of the value itself:
 * string, boolean, number, array, object. Source: `sdk/nodejs/runtime/rpc.ts` in pulumi/pulumi.
 */
const unknownMarkers: ReadonlySet<unknown> = new Set([
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
