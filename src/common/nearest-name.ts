import { closest, distance } from "fastest-levenshtein";
import { shownValue } from "./plain-text.js";

// Limits the time of a comparison, which grows with the length. No known name is longer.
const maxLength = 100;

/** Returns one problem for each unknown name, with the name to write instead. */
export function validateNames(
  names: readonly string[],
  known: readonly string[],
  prefix = "",
): string[] {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => `${prefix}${shownValue(name)}: ${adviceForUnknownName(name, known)}`);
}

/** Says what to write instead of an unknown name. */
export function adviceForUnknownName(name: string, known: readonly string[]): string {
  const start = name.slice(0, maxLength);
  const completed = start.length > 2 && known.find((one) => one.startsWith(start));
  const nearest = completed || closest(start, known);
  return completed || distance(start, nearest) <= Math.max(2, nearest.length / 3)
    ? `is unknown (did you mean ${nearest}?)`
    : `is unknown; expected one of ${known.join(", ")}`;
}
