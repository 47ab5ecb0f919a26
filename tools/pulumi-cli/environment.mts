import { realpathSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import which from "which";

/**
 * Returns a PATH on which a CLI finds itself, its language host and the current Node.js before
 * other versions of them. If these come first already, PATH stays as it is, so that no other
 * program is shadowed.
 */
export async function pathWithFirst(command: string): Promise<{ PATH: string }> {
  let path = process.env.PATH ?? "";
  for (const [name, program] of [
    ["pulumi", command],
    ["node", process.execPath],
  ] as const) {
    const first = await which(name, { path, nothrow: true });
    if (first === null || realpathSync(first) !== realpathSync(program)) {
      path = [dirname(program), path].filter((part) => part !== "").join(delimiter);
    }
  }
  return { PATH: path };
}

/**
 * Returns changes to `process.env` with which the CLI keeps state, plugins and settings in
 * `directory`, apart from the user's own account, stacks and configuration. `undefined` unsets a
 * variable.
 */
export async function hermeticEnvironment(directory: string): Promise<NodeJS.ProcessEnv> {
  const state = join(directory, "state");
  // The file backend does not create its directory.
  await mkdir(state, { recursive: true });

  const userVariables = Object.keys(process.env).filter((key) => /^(PULUMI|DBWEBHOOKS)_/.test(key));
  return {
    ...Object.fromEntries(userVariables.map((key) => [key, undefined])),
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "only for this directory",
    PULUMI_HOME: join(directory, "home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
}
