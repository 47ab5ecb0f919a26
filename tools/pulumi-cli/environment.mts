import { realpathSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import which from "which";

/**
 * A PATH on which a CLI finds itself, its language host and the Node that runs us before any
 * others, which may be older. It stays as it is where these are found first anyway, so that nothing
 * else is shadowed.
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
 * An environment in which the CLI keeps everything, state, plugins and settings, in `directory`,
 * and sees nothing of the user's own account, stacks or configuration. To be laid over
 * `process.env`: `undefined` unsets.
 */
export async function hermeticEnvironment(directory: string): Promise<NodeJS.ProcessEnv> {
  const state = join(directory, "state");
  // The file backend does not make its directory.
  await mkdir(state, { recursive: true });

  const ofTheUser = Object.keys(process.env).filter((key) => /^(PULUMI|DBWEBHOOKS)_/.test(key));
  return {
    ...Object.fromEntries(ofTheUser.map((key) => [key, undefined])),
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "only for this directory",
    PULUMI_HOME: join(directory, "home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
}
