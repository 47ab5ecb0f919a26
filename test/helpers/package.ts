import { join } from "node:path";
import { succeed } from "./commands.js";
import { repository } from "./directory.js";

/** Packs this package as it was built, and returns the path of the tarball. */
export async function packInto(directory: string): Promise<string> {
  // The scripts would build again while other tests use the build.
  const { stdout } = await succeed(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", directory],
    { directory: repository },
  );
  const [packed] = JSON.parse(stdout) as [{ filename: string }];
  return join(directory, packed.filename);
}
