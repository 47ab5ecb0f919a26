// `npm run build`: writes the package to `dist`, as `rolldown.config.mts` says.
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build } from "rolldown";
import configurations from "../rolldown.config.mts";

const root = join(import.meta.dirname, "..");
rmSync(join(root, "dist"), { recursive: true, force: true });
for (const configuration of configurations) {
  await build({ ...configuration, cwd: root } as BuildOptions);
}
// In this repository npm links the command, and does not make it executable.
chmodSync(join(root, "dist/cli/main.js"), 0o755);
