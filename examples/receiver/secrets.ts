import { readFileSync } from "node:fs";

const minLength = 16;
const minDifferentCharacters = 8;

/**
 * Returns a function that reads the signing secrets from a file each time, so that a rotation needs
 * no restart: a restart would refuse notifications, and would forget which events were handled. If
 * the file becomes invalid, the function writes the reason to stderr and returns the last valid
 * secrets.
 *
 * Replace the file by a rename (`mv new-secrets secrets`): half of a secret that is being written
 * is a secret too.
 *
 * @throws if the file is invalid from the start
 */
export function watchSecrets(file: string): () => readonly string[] {
  let secrets = readSecrets(file);
  return () => {
    try {
      secrets = readSecrets(file);
    } catch (error) {
      process.stderr.write(`${(error as Error).message}. The last valid secrets stay in use.\n`);
    }
    return secrets;
  };
}

/** Reads secrets that are separated by white space. An error never contains what the file holds. */
function readSecrets(file: string): readonly string[] {
  const lines = readFileSync(file, "utf8")
    // Some editors on Windows write a byte order mark.
    .replace(/^\ufeff/, "")
    .split("\n")
    .map((line) => line.split(/[ \t\r]+/).filter(Boolean));
  const invalid = lines.findIndex((entries) => !entries.every(isSecret));
  if (invalid !== -1) {
    throw new Error(
      `${file}, line ${invalid + 1}: this is not a signing secret (${minLength} or more letters, digits and _-+/=, with a digit and ${minDifferentCharacters} different characters)`,
    );
  }
  if (lines.flat().length === 0) {
    throw new Error(`${file} contains no signing secret`);
  }
  return lines.flat();
}

/**
 * Every text can be the key of a signature, also one that an attacker can guess: those that Pulumi
 * and programs write in place of a secret, such as `[secret]`, `[object Object]` and `undefined`,
 * and rows of zeros.
 */
function isSecret(entry: string): boolean {
  return (
    /^[\w+/=-]+$/.test(entry) &&
    entry.length >= minLength &&
    /\d/.test(entry) &&
    new Set(entry).size >= minDifferentCharacters
  );
}
