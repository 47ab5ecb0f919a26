import { type AccountSettings, accountSettings } from "../api/settings.js";
import {
  environmentVariables,
  namespace,
  type SettingName,
  settingNames,
} from "../common/setting-names.js";

/** The settings of one account, and which of them the environment has set. */
export interface Settings extends AccountSettings {
  readonly fromEnvironment: readonly SettingName[];
}

/** Settings where they are all right, and everything that is wrong with them, one line a problem. */
export interface ConfigResult {
  readonly settings?: Settings;
  readonly problems: readonly string[];
}

/** Where the settings of a provider come from. */
export interface ConfigSource {
  /** Gives a setting of the stack's configuration, or an argument of an explicit provider. */
  readonly get: (name: SettingName) => string | undefined;
  readonly isExplicit: () => boolean;
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
  const fromEnvironment: SettingName[] = [];
  for (const name of settingNames) {
    const variable = environment[environmentVariables[name]] || undefined;
    const given = get(name) || undefined;
    const value = isExplicit ? (given ?? variable) : (variable ?? given);
    if (value !== undefined) {
      values[name] = value;
      if (value === variable && value !== given) {
        fromEnvironment.push(name);
      }
    }
  }
  const { data, error } = accountSettings(values.allowInsecureBaseUrl === "true").safeParse(values);
  if (data !== undefined) {
    return { settings: { ...data, fromEnvironment }, problems: [] };
  }
  const problems = error.issues.map(({ path, message }) => {
    const name = path[0] as SettingName;
    const variable = environmentVariables[name];
    if (values[name] === undefined) {
      const remedy = isExplicit ? `give ${name} to the Provider` : `run "${commands[name]}"`;
      return `${namespace}:${name}: is not set; ${remedy} or set ${variable}`;
    }
    const origin = fromEnvironment.includes(name) ? `; ${variable} sets this value` : "";
    return `${namespace}:${name}: ${message}${origin}`;
  });
  return { problems };
}

const commands: { readonly [Name in SettingName]?: string } = {
  baseUrl: `pulumi config set ${namespace}:baseUrl https://tables.example.com`,
  apiKey: `pulumi config set --secret ${namespace}:apiKey`,
};

/** How messages call a setting: with its variable, where the environment has set it. */
export function nameOfSetting({ fromEnvironment }: Settings, name: SettingName): string {
  const key = `${namespace}:${name}`;
  return fromEnvironment.includes(name) ? `${key} (set by ${environmentVariables[name]})` : key;
}
