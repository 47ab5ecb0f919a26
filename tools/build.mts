// `npm run build`: writes the package to `dist`, as `rolldown.config.mts` says, and the plugin to
// `plugin`.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build } from "rolldown";
import configurations from "../rolldown.config.mts";
import { buildPlugin } from "./plugin/build.mts";

const root = join(import.meta.dirname, "..");
await Promise.all([buildPackage(), buildPlugin()]);

async function buildPackage(): Promise<void> {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  await Promise.all(
    configurations.map((configuration) => build({ ...configuration, cwd: root } as BuildOptions)),
  );
  // npm makes the command executable only when it links it for the first time.
  chmodSync(join(root, "dist/cli/main.js"), 0o755);
  // npm links the command in this repository, but only now that its file exists.
  execFileSync("npm", ["rebuild", "pulumi-dbwebhooks", "--ignore-scripts"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
}
