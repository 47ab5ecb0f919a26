import { realpathSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { executablesOnPath } from "./executables.mts";

export interface CliEnvironmentOptions {
  /** The CLI's executable. */
  command: string;
  /** Whether it is a copy that this package made, not the user's own. */
  isOurCopy: boolean;
  /** What the user has set. */
  environment: NodeJS.ProcessEnv;
}

/**
 * What a process that runs this CLI needs in its environment: a PATH on which it finds itself,
 * its language host and the Node that runs us before any others, which may be older; and, for a
 * copy of our own, no look-out for updates or plugins, as nobody would update that copy.
 */
export async function cliEnvironment(
  options: CliEnvironmentOptions,
): Promise<Record<string, string>> {
  const { command, environment } = options;
  let path = environment.PATH ?? "";
  path = await withFirst("pulumi", command, path);
  path = await withFirst("node", process.execPath, path);
  if (!options.isOurCopy) return { PATH: path };

  return {
    PATH: path,
    PULUMI_SKIP_UPDATE_CHECK: environment.PULUMI_SKIP_UPDATE_CHECK ?? "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION:
      environment.PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION ?? "true",
  };
}

/** PATH unchanged where the program is found first anyway, so that nothing else is shadowed. */
async function withFirst(name: string, program: string, path: string): Promise<string> {
  const [first] = await executablesOnPath(name, path);
  if (first !== undefined && realpathSync(first) === realpathSync(program)) return path;
  return [dirname(program), path].filter((part) => part !== "").join(delimiter);
}

/**
 * An environment in which the CLI keeps everything, state, plugins and settings, in `directory`,
 * and sees nothing of the user's own account, stacks or configuration. To be laid over
 * `process.env`: `undefined` unsets.
 */
export async function hermeticEnvironment(
  directory: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Record<string, string | undefined>> {
  const state = join(directory, "state");
  // The file backend does not make its directory.
  await mkdir(state, { recursive: true });

  const ofTheUser = Object.keys(environment).filter((key) => /^(PULUMI|DBWEBHOOKS)_/.test(key));
  return {
    ...Object.fromEntries(ofTheUser.map((key) => [key, undefined])),
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "only for this directory",
    PULUMI_HOME: join(directory, "home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_ACCESS_TOKEN: undefined,
  };
}
