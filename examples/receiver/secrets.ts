import { readFileSync } from "node:fs";

const minKeyBytes = 16;

/**
 * Returns a function that reads the signing secrets from a file each time, so that a rotation needs
 * no restart: a restart would refuse notifications, and would forget which events were handled. If
 * the file becomes invalid, the function writes the reason to stderr and returns the last valid
 * secrets.
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
    .split("\n")
    .map((line) => line.split(/[ \t\r]+/).filter(Boolean));
  const invalid = lines.findIndex((entries) => !entries.every(isSecret));
  if (invalid !== -1) {
    throw new Error(
      `${file}, line ${invalid + 1}: this is not a signing secret (whsec_ and base64 of at least ${minKeyBytes} bytes)`,
    );
  }
  if (lines.flat().length === 0) {
    throw new Error(`${file} contains no signing secret`);
  }
  return lines.flat();
}

/**
 * Some decoders of base64 ignore what is wrong. They make a key that everybody can guess from the
 * texts that Pulumi writes in place of a secret: `[secret]` and `[object Object]`. A short key,
 * such as that of `whsec_null`, can be guessed too.
 */
function isSecret(entry: string): boolean {
  const key = entry.replace(/^whsec_/, "");
  const bytes = Buffer.from(key, "base64");
  return key !== entry && bytes.length >= minKeyBytes && bytes.toString("base64") === key;
}
