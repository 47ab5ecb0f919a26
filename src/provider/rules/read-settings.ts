// The settings of one account: where each value comes from, and what is wrong with it.
import {
  isRequiredSetting,
  namespace,
  type RequiredSetting,
  type SettingName,
  type SettingValues,
  settingNames,
  settingOf,
  settingsTable,
} from "../../common/settings-table.js";
import { parseBaseUrl } from "../../common/url-rules.js";

/** The settings of one account, validated, and where they come from. */
export interface Settings extends SettingValues {
  /** Whether they are the arguments of an explicit `Provider`. */
  readonly isExplicit: boolean;
  /** The settings that the environment has set. */
  readonly namesFromEnvironment: readonly SettingName[];
}

/** Where a provider is, which is known even if other settings are not valid. */
export type ProviderLocation = Pick<Settings, "baseUrl" | "isExplicit" | "namesFromEnvironment">;

/** Valid settings, or one message per problem. */
export type SettingsResult =
  | {
      readonly settings: Settings;
      readonly location: ProviderLocation;
      readonly problems: readonly [];
    }
  | {
      readonly settings?: undefined;
      /** `undefined` if the base URL is missing or not valid. */
      readonly location: ProviderLocation | undefined;
      readonly problems: readonly string[];
    };

/** Where the settings of a provider come from. */
export interface SettingsSource {
  /**
   * Returns a setting of the stack's configuration, or an argument of an explicit provider, which
   * may be no text.
   */
  readonly get: (name: SettingName) => unknown;
  readonly isExplicit: () => boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the settings of an account.
 *
 * For the default provider the environment takes precedence over the stack's configuration, because
 * `destroy` and `refresh` use the configuration that the last `up` stored: after a key rotation the
 * environment is the only way to pass the new key. An explicit `Provider` has the base URL and the
 * key of its own arguments: from the environment, one service could get the key of another. Its
 * other arguments take precedence over the environment. An empty variable counts as absent.
 */
export function readSettings(source: SettingsSource): SettingsResult {
  const given = givenSettings(source);
  const isExplicit = source.isExplicit();
  const namesFromEnvironment = settingNames.filter((name) => given[name]?.isFromEnvironment);
  const origin = { isExplicit, namesFromEnvironment };
  const problems = settingNames.flatMap((name) => validateSetting(name, given, isExplicit));
  if (problems.length === 0) {
    const settings = { ...parseSettings(given), ...origin };
    return { settings, location: settings, problems: [] };
  }
  const baseUrl = parseBaseUrl(given.baseUrl?.text);
  return { location: baseUrl === undefined ? undefined : { baseUrl, ...origin }, problems };
}

/** A setting that is given, not validated. */
interface GivenSetting {
  readonly text: string;
  /** Whether the value arrived as text. */
  readonly isText: boolean;
  readonly isFromEnvironment: boolean;
}

type GivenSettings = { readonly [Name in SettingName]?: GivenSetting };

function givenSettings(source: SettingsSource): GivenSettings {
  const entries = settingNames.map((name) => [name, givenSetting(source, name)] as const);
  return Object.fromEntries(entries.filter(([, setting]) => setting !== undefined));
}

function givenSetting(
  { get, isExplicit, environment }: SettingsSource,
  name: SettingName,
): GivenSetting | undefined {
  const value = get(name) ?? "";
  const isOwn = isExplicit() && (value !== "" || isRequiredSetting(name));
  const variable = isOwn ? "" : (environment[settingsTable[name].variable] ?? "");
  const isFromEnvironment = variable !== "";
  const given = isFromEnvironment ? variable : value;
  return given === ""
    ? undefined
    : { text: String(given), isText: typeof given === "string", isFromEnvironment };
}

/** Returns the problems of a setting: what is wrong, and what to write or run instead. */
function validateSetting(name: SettingName, given: GivenSettings, isExplicit: boolean): string[] {
  const setting = given[name];
  const prefix = isExplicit ? "" : `${namespace}:`;
  if (setting === undefined) {
    return isRequiredSetting(name)
      ? [`${prefix}${name}: is not set; ${remedyForMissing(name, isExplicit)}`]
      : [];
  }
  const setBy = setting.isFromEnvironment
    ? `; ${settingsTable[name].variable} sets this value`
    : "";
  return validateGiven(name, setting).map((problem) => `${prefix}${name}: ${problem}${setBy}`);
}

function remedyForMissing(name: RequiredSetting, isExplicit: boolean): string {
  const { setArguments, variable } = settingsTable[name];
  return isExplicit
    ? `give ${name} to the Provider`
    : `run "pulumi config set ${setArguments}" or set ${variable}`;
}

function validateGiven(name: SettingName, { text, isText }: GivenSetting): readonly string[] {
  if (isRequiredSetting(name) && !isText) {
    return [
      "must be text; YAML makes numbers of configuration values of digits: write fn::toJSON around it",
    ];
  }
  return settingsTable[name].validate(text);
}

/** Returns the values of valid settings. */
function parseSettings(given: GivenSettings): SettingValues {
  const values = settingNames.map((name) => {
    const { parse, defaultValue } = settingOf(name);
    const text = given[name]?.text;
    return [name, text === undefined ? defaultValue : parse(text)];
  });
  return Object.fromEntries(values);
}
