import { join } from "node:path";
import { devDependencies as versions } from "../../package.json";
import { platformOfMachine } from "../../tools/plugin/node-binary.mts";
import { succeed } from "./commands.ts";
import { repository } from "./directory.ts";

/**
 * Packs the plugin for this machine: its archive into `archives`, and its files into a directory
 * beside that.
 */
export async function packPlugin(directory: string): Promise<void> {
  const pack = join(repository, "tools/plugin/pack.mts");
  const args = [pack, "--out", directory, platformOfMachine()];
  await succeed(process.execPath, args, { directory: repository });
}

/** The dependencies of a project that uses this package, which is packed into a directory. */
export async function packedDependencies(directory: string) {
  return {
    "@pulumi/pulumi": versions["@pulumi/pulumi"],
    "@types/node": versions["@types/node"],
    "pulumi-dbwebhooks": `file:${await packInto(directory)}`,
  };
}

/** Packs this package as it was built, and returns the path of the tarball. */
export async function packInto(directory: string): Promise<string> {
  // The scripts would build again while other tests use the build.
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", directory];
  const { stdout } = await succeed("npm", args, { directory: repository });
  const [packed] = JSON.parse(stdout) as [{ filename: string }];
  return join(directory, packed.filename);
}
