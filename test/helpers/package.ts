import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { repository, writeJson } from "./directory.js";
import { run } from "./pulumi.js";

/** Packs this package as it was built, and returns the path of the tarball. */
export async function packInto(directory: string): Promise<string> {
  // Without its scripts: they build again, in the middle of other tests that use what was built.
  const { stdout } = await succeed(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", directory],
    { directory: repository },
  );
  const [packed] = JSON.parse(stdout) as [{ filename: string }];
  return join(directory, packed.filename);
}

/** Runs a command and fails with everything it said unless it succeeds. */
export async function succeed(
  ...command: Parameters<typeof run>
): Promise<Awaited<ReturnType<typeof run>>> {
  const result = await run(...command);
  expect(result.exitCode, `${command[0]} ${command[1].join(" ")}\n${result.output}`).toBe(0);
  return result;
}

/** Writes files by their paths below a directory; values that are no strings as JSON. */
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
