import {
  environmentVariables,
  explicitKey,
  namespace,
  type SettingName,
  settingNames,
} from "../common/setting-names.js";
import { type AccountSettings, accountSettings, type problemsOf } from "./check.js";

/** Settings that are all right, or everything that is wrong with them, one line a problem. */
export type ConfigResult =
  | { readonly settings: AccountSettings; readonly problems?: undefined }
  | { readonly problems: readonly string[]; readonly settings?: undefined };

/**
 * Reads the settings of an account.
 *
 * For the default provider the environment wins over the stack's configuration, because `destroy` and
 * `refresh` see the configuration of the last `up`, not today's: after a key rotation the environment
 * is the only way in. For an explicit `Provider` its own arguments win, so that two of them can differ.
 * An empty variable counts as absent.
 */
export function readConfig(
  stackConfig: (key: string) => string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): ConfigResult {
  const isExplicit = stackConfig(explicitKey) === "true";
  const values: Partial<Record<SettingName, string>> = {};
  for (const name of settingNames) {
    const sources = [environment[environmentVariables[name]], stackConfig(`${namespace}:${name}`)];
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
  error: Parameters<typeof problemsOf>[0],
): string[] {
  return (error?.issues ?? [])
    .filter((issue) => values[issue.path[0] as SettingName] !== undefined)
    .map((issue) => `${namespace}:${String(issue.path[0])}: ${issue.message}`);
}
