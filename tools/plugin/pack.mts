/**
 * `npm run pack:plugin [-- DIRECTORY]`: packs the output of `npm run build:plugin` into the archives that
 * `pulumi plugin install` and `pluginDownloadURL` expect. Default directory: `dist-plugin/archives`.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { create } from "tar";

const root = join(import.meta.dirname, "../..");
const directory = join(root, "dist-plugin");
const archives = resolve(process.argv[2] ?? join(directory, "archives"));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const archiveName = /^pulumi-resource-dbwebhooks-v.*\.tar\.gz$/;

const files = readdirSync(directory).filter((name) => name !== "archives");
mkdirSync(archives, { recursive: true });
// The directory can hold other files, which stay.
for (const name of readdirSync(archives).filter((one) => archiveName.test(one))) {
  rmSync(join(archives, name));
}
for (const os of ["linux", "darwin", "windows"]) {
  for (const arch of ["amd64", "arm64"]) {
    const file = join(archives, `pulumi-resource-dbwebhooks-v${version}-${os}-${arch}.tar.gz`);
    // With the fixed time, the same files and the same version of Node.js give the same archive, byte for byte.
    await create(
      { cwd: directory, file, gzip: { level: 9 }, portable: true, mtime: new Date(0) },
      files.toSorted(),
    );
  }
}
process.stdout.write(`The archives are in ${archives}\n`);
