import { mkdtempSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The root of this repository. */
export const repository = join(__dirname, "../..");

/** Runs `use` with a new temporary directory, and removes it afterwards. */
export async function withDirectory<Result>(
  use: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = temporaryDirectory();
  try {
    return await use(directory.path);
  } finally {
    await directory.remove();
  }
}

/** Makes a temporary directory, for tests that share one. */
export function temporaryDirectory(): { readonly path: string; remove(): Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), "dbwebhooks-test-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Writes a value as a JSON file. */
export async function writeJson(file: string, value: unknown): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** The texts of all files below a directory, by path: of those that `isWanted`. */
export async function textsBelow(
  directory: string,
  isWanted: (path: string) => boolean = () => true,
): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).filter(isWanted);
  const texts = paths.map(async (path) => [path, await readFile(path, "latin1")] as const);
  return Object.fromEntries(await Promise.all(texts));
}
