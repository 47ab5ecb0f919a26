import {
  environmentVariables,
  namespace,
  type SettingName,
  settingNames,
} from "../common/setting-names.js";
import { type AccountSettings, accountSettings } from "../service/settings.js";

/** Settings that are all right, or everything that is wrong with them, one line a problem. */
export type ConfigResult =
  | { readonly settings: AccountSettings; readonly problems?: undefined }
  | { readonly problems: readonly string[]; readonly settings?: undefined };

/** Where the settings of a provider come from. */
export interface ConfigSource {
  /** Gives a setting of the stack's configuration, or an argument of an explicit provider. */
  readonly get: (name: SettingName) => string | undefined;
  /** Whether it is an explicit provider. */
  readonly isExplicit: () => boolean;
  /** The variables of the process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the settings of an account.
 *
 * For the default provider the environment wins over the stack's configuration, because `destroy` and
 * `refresh` see the configuration of the last `up`, not today's: after a key rotation the environment
 * is the only way in. For an explicit `Provider` its own arguments win, so that two of them can differ.
 * An empty variable counts as absent.
 */
export function readConfig({ get, environment, ...source }: ConfigSource): ConfigResult {
  const isExplicit = source.isExplicit();
  const values: Partial<Record<SettingName, string>> = {};
  for (const name of settingNames) {
    const sources = [environment[environmentVariables[name]], get(name)];
    const value = (isExplicit ? sources.reverse() : sources).find(Boolean);
    if (value !== undefined) {
      values[name] = value;
    }
  }
  const { data, error } = accountSettings(values.allowInsecureBaseUrl === "true").safeParse(values);
  return data === undefined
    ? { problems: [...missingSettings(values, isExplicit), ...invalidSettings(values, error)] }
    : { settings: data };
}

function missingSettings(
  values: Partial<Record<SettingName, string>>,
  isExplicit: boolean,
): string[] {
  const commands = {
    baseUrl: `pulumi config set ${namespace}:baseUrl https://tables.example.com`,
    apiKey: `pulumi config set --secret ${namespace}:apiKey`,
  };
  return (["baseUrl", "apiKey"] as const)
    .filter((name) => values[name] === undefined)
    .map((name) => {
      const remedy = isExplicit ? `give ${name} to the Provider` : `run "${commands[name]}"`;
      return `${namespace}:${name}: is not set; ${remedy} or set ${environmentVariables[name]}`;
    });
}

function invalidSettings(
  values: Partial<Record<SettingName, string>>,
  error: ReturnType<ReturnType<typeof accountSettings>["safeParse"]>["error"],
): string[] {
  return (error?.issues ?? [])
    .filter((issue) => values[issue.path[0] as SettingName] !== undefined)
    .map((issue) => `${namespace}:${String(issue.path[0])}: ${issue.message}`);
}
