import { join } from "node:path";
import { succeed } from "./commands.ts";
import { repository } from "./directory.ts";

/** Packs this package as it was built, and returns the path of the tarball. */
export async function packInto(directory: string): Promise<string> {
  // The scripts would build again while other tests use the build.
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", directory];
  const { stdout } = await succeed("npm", args, { directory: repository });
  const [packed] = JSON.parse(stdout) as [{ filename: string }];
  return join(directory, packed.filename);
}
