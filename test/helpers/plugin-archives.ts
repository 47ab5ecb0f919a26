import { join } from "node:path";
import { succeed } from "./package.js";

const repository = join(__dirname, "../..");
const architectures: Partial<Record<string, string>> = { x64: "amd64" };

export const { version }: { version: string } = require(join(repository, "package.json"));

/** The systems that the plugin is packed for, as Pulumi names them. */
export const systems: readonly string[] = ["darwin", "linux", "windows"].flatMap((os) =>
  ["amd64", "arm64"].map((architecture) => `${os}-${architecture}`),
);

/** The name of an archive. Default: that of the system that this runs on. */
export function archiveFor(
  system = `${process.platform}-${architectures[process.arch] ?? process.arch}`,
): string {
  return `pulumi-resource-dbwebhooks-v${version}-${system}.tar.gz`;
}

/** Packs the plugin as it was built. */
export async function packPluginInto(directory: string): Promise<void> {
  await succeed(process.execPath, ["tools/plugin/pack.mts", directory], { directory: repository });
}
