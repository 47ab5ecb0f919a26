import { shownValue } from "./plain-text.js";

/** Returns one problem for each unknown name, with all known names. */
export function validateNames(names: readonly string[], known: readonly string[]): string[] {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => `${shownValue(name)}: ${unknownNameText(known)}`);
}

/** Says that a name is unknown, and which names are known. */
export function unknownNameText(known: readonly string[]): string {
  return `is unknown; expected one of ${known.join(", ")}`;
}
