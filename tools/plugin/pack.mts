/**
 * `npm run pack:plugin [-- --out DIRECTORY] [PLATFORM…]`: writes the archives that `pulumi plugin
 * install` and `pluginDownloadURL` expect to `DIRECTORY/archives`, each with an executable that
 * needs no Node.js, and unpacked to `DIRECTORY/PLATFORM`. Default directory: `release`. Default
 * platforms: darwin on macOS, whose executables only a Mac can sign, and otherwise Linux and
 * Windows.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { create } from "tar";
import { buildExecutable } from "./executable.mts";
import { type Platform, platforms } from "./node-binary.mts";

const root = join(import.meta.dirname, "../..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string", default: join(root, "release") } },
});
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const known = Object.keys(platforms) as Platform[];
const chosen = known.filter((platform) =>
  positionals.length > 0
    ? positionals.includes(platform)
    : (platforms[platform].os === "darwin") === (process.platform === "darwin"),
);
if (positionals.some((one) => !known.includes(one as Platform))) {
  throw new Error(`The platforms are ${known.join(", ")}.`);
}

const archives = resolve(values.out, "archives");
// An archive of an earlier version must not become part of a release.
rmSync(archives, { recursive: true, force: true });
mkdirSync(archives, { recursive: true });
for (const platform of chosen) {
  const directory = resolve(values.out, platform);
  const files = await buildExecutable(platform, directory);
  const file = join(archives, `pulumi-resource-dbwebhooks-v${version}-${platform}.tar.gz`);
  // With the fixed time, the same files and the same version of Node.js give the same archive, byte
  // for byte.
  await create(
    { cwd: directory, file, gzip: true, portable: true, mtime: new Date(0) },
    files.toSorted(),
  );
  process.stdout.write(`${file}\n`);
}
