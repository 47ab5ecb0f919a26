import { mkdtempSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

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

/** Writes files by their paths below a directory. Values other than strings are written as JSON. */
export async function writeFiles(
  directory: string,
  files: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await (typeof content === "string" ? writeFile(file, content) : writeJson(file, content));
  }
}

/** Returns the texts of the files below a directory whose path `isWanted` accepts, by path. */
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
