import { cp, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { repository, withDirectory } from "./directory.ts";
import { stackEnvironment } from "./pulumi.ts";

// Files that the commands of an example leave in its directory.
const isLeftBehind = /^(node_modules|\.pulumi|Pulumi\..+\.yaml|venv|sdks|__pycache__)$/;

/**
 * Runs `use` with the directory of a copy of an example, which has the other examples and the
 * plugin beside it, and with the environment in which Pulumi keeps its files there.
 */
export async function withExample(
  name: string,
  use: (example: { directory: string; environment: Record<string, string> }) => Promise<void>,
): Promise<void> {
  await withDirectory(async (root) => {
    const examples = join(root, "examples");
    await cp(join(repository, "examples"), examples, {
      recursive: true,
      filter: (path) => !isLeftBehind.test(basename(path)),
    });
    for (const built of ["node_modules", "plugin"]) {
      await symlink(join(repository, built), join(root, built));
    }
    const pulumiEnvironment = await stackEnvironment(root);
    const environment = { ...pulumiEnvironment, npm_config_update_notifier: "false" };
    await use({ directory: join(examples, name), environment });
  });
}
