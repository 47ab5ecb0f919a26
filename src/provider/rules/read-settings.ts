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
  validateProviderArgument,
  validateSetting,
} from "../../common/settings-table.js";

/** The settings of one account, validated, and where they come from. */
export interface Settings extends SettingValues {
  /** Whether they are the arguments of an explicit `Provider`. */
  readonly isExplicit: boolean;
  /** The settings that the environment has set. */
  readonly namesFromEnvironment: readonly SettingName[];
}

/** Valid settings, or one message per problem. */
export type SettingsResult =
  | { readonly settings: Settings; readonly problems: readonly [] }
  | { readonly settings?: undefined; readonly problems: readonly string[] };

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
  const problems = settingNames.flatMap((name) => validateGiven(name, given, isExplicit));
  return problems.length > 0
    ? { problems }
    : { settings: { ...parseSettings(given), isExplicit, namesFromEnvironment }, problems: [] };
}

/** A setting that is given, not validated. */
interface GivenSetting {
  /** It may be no text. */
  readonly value: unknown;
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
  return given === "" ? undefined : { value: given, isFromEnvironment };
}

/** Returns the problems of a setting: what is wrong, and what to write or run instead. */
function validateGiven(name: SettingName, given: GivenSettings, isExplicit: boolean): string[] {
  const setting = given[name];
  if (isExplicit && !setting?.isFromEnvironment) {
    return [...validateProviderArgument(name, setting?.value)];
  }
  const prefix = isExplicit ? "" : `${namespace}:`;
  if (setting === undefined) {
    return isRequiredSetting(name)
      ? [`${prefix}${name}: is not set; ${remedyForMissing(name)}`]
      : [];
  }
  const setBy = setting.isFromEnvironment
    ? `; ${settingsTable[name].variable} sets this value`
    : "";
  return validateSetting(name, setting.value).map(
    (problem) => `${prefix}${name}: ${problem}${setBy}`,
  );
}

function remedyForMissing(name: RequiredSetting): string {
  const { setArguments, variable } = settingsTable[name];
  return `run "pulumi config set ${setArguments}" or set ${variable}`;
}

/** Returns the values of valid settings. */
function parseSettings(given: GivenSettings): SettingValues {
  const values = settingNames.map((name) => {
    const { parse, defaultValue } = settingOf(name);
    const setting = given[name];
    return [name, setting === undefined ? defaultValue : parse(String(setting.value))];
  });
  return Object.fromEntries(values);
}
