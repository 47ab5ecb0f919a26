/**
 * `npm run pack:plugin`: makes what a release has of the native plugin, from what
 * `npm run build:plugin` wrote: the archives that `pulumi plugin install` and `pluginDownloadURL`
 * expect, the schema, and the checksums of all. A directory may follow; default:
 * `dist-plugin/archives`.
 */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { create } from "tar";

const root = join(import.meta.dirname, "../..");
const directory = join(root, "dist-plugin");
const archives = resolve(process.argv[2] ?? join(directory, "archives"));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

rmSync(join(directory, "archives"), { recursive: true, force: true });
const files = readdirSync(directory).toSorted();
mkdirSync(archives, { recursive: true });
for (const os of ["linux", "darwin", "windows"]) {
  for (const arch of ["amd64", "arm64"]) {
    const file = join(archives, `pulumi-resource-dbwebhooks-v${version}-${os}-${arch}.tar.gz`);
    // The same files give the same bytes with the same Node.js, whenever they are packed.
    await create(
      { cwd: directory, file, gzip: { level: 9 }, portable: true, mtime: new Date(0) },
      files,
    );
  }
}
copyFileSync(join(directory, "schema.json"), join(archives, "schema.json"));
// As sha256sum writes and checks it.
const sums = readdirSync(archives)
  .toSorted()
  .map((file) => `${sha256Of(join(archives, file))}  ${file}\n`);
writeFileSync(join(archives, "SHA256SUMS"), sums.join(""));

function sha256Of(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
