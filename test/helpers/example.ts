import { cp, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { repository, withDirectory } from "./directory.js";
import { stackEnvironment } from "./pulumi.js";

// Files that the commands of an example leave in its directory.
const isLeftBehind = /^(node_modules|\.pulumi|Pulumi\..+\.yaml|venv|sdks|__pycache__)$/;

/** A copy of an example, outside of this repository. */
export interface Example {
  readonly directory: string;
  /** Makes Pulumi and npm keep their files below the same temporary directory. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs `use` with a copy of an example. The copy has the other examples and the plugin beside it. */
export async function withExample<Result>(
  name: string,
  use: (example: Example) => Promise<Result>,
): Promise<Result> {
  return await withDirectory(async (root) => {
    const examples = join(root, "examples");
    await cp(join(repository, "examples"), examples, {
      recursive: true,
      filter: (path) => !isLeftBehind.test(basename(path)),
    });
    for (const built of ["node_modules", "dist-plugin"]) {
      await symlink(join(repository, built), join(root, built));
    }
    const environment = {
      ...(await stackEnvironment(root)),
      npm_config_update_notifier: "false",
    };
    return await use({ directory: join(examples, name), environment });
  });
}
