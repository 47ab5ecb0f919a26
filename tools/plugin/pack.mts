/**
 * `npm run pack:plugin`: makes the archives of the native plugin, as `pulumi plugin install` and
 * `pluginDownloadURL` expect them, from what `npm run build:plugin` wrote.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";

const root = join(import.meta.dirname, "../..");
const directory = join(root, "dist-plugin");
const archives = join(directory, "archives");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

rmSync(archives, { recursive: true, force: true });
const files = readdirSync(directory).toSorted();
mkdirSync(archives);
for (const os of ["linux", "darwin", "windows"]) {
  for (const arch of ["amd64", "arm64"]) {
    const file = join(archives, `pulumi-resource-dbwebhooks-v${version}-${os}-${arch}.tar.gz`);
    // The same bytes for the same files, wherever and whenever they are packed.
    await create(
      { cwd: directory, file, gzip: { level: 9 }, portable: true, mtime: new Date(0) },
      files,
    );
  }
}
