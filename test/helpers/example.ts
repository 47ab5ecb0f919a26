import { cp, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { withDirectory } from "./directory.js";
import { stackEnvironment } from "./pulumi.js";

const repository = join(__dirname, "../..");
// What the commands of an example leave in it.
const isMade = /^(node_modules|\.pulumi|Pulumi\..+\.yaml|venv|sdks|__pycache__)$/;

/** A copy of an example, outside of this repository. */
export interface Example {
  readonly directory: string;
  /** What Pulumi and npm need to keep everything below the directory above. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs `use` with a copy of one of the examples; its neighbours and the plugin are there, too. */
export async function withExample<Result>(
  name: string,
  use: (example: Example) => Promise<Result>,
): Promise<Result> {
  return await withDirectory(async (root) => {
    const examples = join(root, "examples");
    await cp(join(repository, "examples"), examples, {
      recursive: true,
      filter: (path) => !isMade.test(basename(path)),
    });
    for (const built of ["node_modules", "dist-plugin"]) {
      await symlink(join(repository, built), join(root, built));
    }
    const environment = {
      ...(await stackEnvironment(root)),
      npm_config_update_notifier: "false",
      // tsc has checked the examples.
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    };
    return await use({ directory: join(examples, name), environment });
  });
}
