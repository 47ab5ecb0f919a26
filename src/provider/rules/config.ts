// The settings of one account: their rules, and where each value comes from. No message repeats a
// received value: any value can be a credential.
import { apiPath } from "../../api/client.js";
import { isApiKey } from "../../common/identifier.js";
import {
  environmentVariables,
  isRequiredSetting,
  namespace,
  type RequiredSetting,
  type SettingName,
  settingNames,
} from "../../common/setting-names.js";
import { normalizeBaseUrl, parseBaseUrl, validateBaseUrl } from "./url-rules.js";

const setCommands: Readonly<Record<RequiredSetting, string>> = {
  baseUrl: `pulumi config set ${namespace}:baseUrl https://tables.example.com`,
  apiKey: `pulumi config set --secret ${namespace}:apiKey`,
};

/** The rule of a setting, whose value is read as text. */
interface SettingRule<Value> {
  /** Returns what is wrong with a text and what to write instead, or `undefined` if it is valid. */
  readonly validate: (text: string) => string | undefined;
  readonly parse: (text: string) => Value;
  /** The value of a setting that is not given. */
  readonly defaultValue?: Value;
}

/** Every setting, and its rule. */
export const settingRules = {
  baseUrl: { validate: validateBaseUrlSetting, parse: normalizeBaseUrl },
  apiKey: { validate: validateApiKey, parse: String },
  timeoutSeconds: { validate: validateSeconds(0.001, 3_600), parse: Number, defaultValue: 30 },
  retrySeconds: { validate: validateSeconds(0, 86_400), parse: Number, defaultValue: 120 },
  // Without a default: absent, it has a third meaning.
  listing: { validate: validateFlagText, parse: parseFlag },
} satisfies { readonly [Name in SettingName]: SettingRule<unknown> };

/** The settings of one account, validated, and where they come from. */
export interface Settings {
  /** Normalized. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutSeconds: number;
  readonly retrySeconds: number;
  readonly listing: boolean | undefined;
  /** Whether they are the arguments of an explicit `Provider`. */
  readonly isExplicit: boolean;
  /** The settings that the environment has set. */
  readonly namesFromEnvironment: readonly SettingName[];
}

/** Where a provider is, which is known even if other settings are not valid. */
export type ProviderLocation = Pick<Settings, "baseUrl" | "isExplicit" | "namesFromEnvironment">;

/** Valid settings, or one message per problem. */
export interface ConfigResult {
  readonly settings: Settings | undefined;
  /** `undefined` if the base URL is missing or not valid. */
  readonly location: ProviderLocation | undefined;
  readonly problems: readonly string[];
}

/** Where the settings of a provider come from. */
export interface ConfigSource {
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
export function readConfig(source: ConfigSource): ConfigResult {
  const given = givenSettings(source);
  const isExplicit = source.isExplicit();
  const namesFromEnvironment = settingNames.filter((name) => given[name]?.isFromEnvironment);
  const origin = { isExplicit, namesFromEnvironment };
  const problems = settingNames.flatMap((name) => validateSetting(name, given, isExplicit));
  const baseUrl = parseBaseUrl(given.baseUrl?.text);
  return {
    settings: problems.length === 0 ? { ...parseSettings(given), ...origin } : undefined,
    location: baseUrl === undefined ? undefined : { baseUrl, ...origin },
    problems,
  };
}

/** A setting that is given, not validated. */
interface GivenSetting {
  readonly text: string;
  /** Whether the value arrived as text. */
  readonly isText: boolean;
  readonly isFromEnvironment: boolean;
}

type GivenSettings = { readonly [Name in SettingName]?: GivenSetting };

/** Gathers the settings that are given. */
function givenSettings(source: ConfigSource): GivenSettings {
  const entries = settingNames.map((name) => [name, givenSetting(source, name)] as const);
  return Object.fromEntries(entries.filter(([, setting]) => setting !== undefined));
}

function givenSetting(
  { get, isExplicit, environment }: ConfigSource,
  name: SettingName,
): GivenSetting | undefined {
  const value = get(name) ?? "";
  const isOwn = isExplicit() && (value !== "" || isRequiredSetting(name));
  const variable = isOwn ? "" : (environment[environmentVariables[name]] ?? "");
  const isFromEnvironment = variable !== "";
  const given = isFromEnvironment ? variable : value;
  return given === ""
    ? undefined
    : { text: String(given), isText: typeof given === "string", isFromEnvironment };
}

/** Returns one line for a problem of a setting: what is wrong, and what to write or run instead. */
function validateSetting(name: SettingName, given: GivenSettings, isExplicit: boolean): string[] {
  const setting = given[name];
  const prefix = isExplicit ? "" : `${namespace}:`;
  if (setting === undefined) {
    return isRequiredSetting(name)
      ? [`${prefix}${name}: is not set; ${remedyForMissing(name, isExplicit)}`]
      : [];
  }
  const problem = validateGiven(name, setting);
  const setBy = setting.isFromEnvironment ? `; ${environmentVariables[name]} sets this value` : "";
  return problem === undefined ? [] : [`${prefix}${name}: ${problem}${setBy}`];
}

function remedyForMissing(name: RequiredSetting, isExplicit: boolean): string {
  return isExplicit
    ? `give ${name} to the Provider`
    : `run "${setCommands[name]}" or set ${environmentVariables[name]}`;
}

function validateGiven(name: SettingName, { text, isText }: GivenSetting): string | undefined {
  if (isRequiredSetting(name) && !isText) {
    return "must be text; YAML makes numbers of configuration values of digits: write fn::toJSON around it";
  }
  return settingRules[name].validate(text);
}

/** Returns the values of valid settings. */
function parseSettings(
  given: GivenSettings,
): Omit<Settings, "isExplicit" | "namesFromEnvironment"> {
  const values = settingNames.map((name) => {
    const { parse, defaultValue }: SettingRule<unknown> = settingRules[name];
    const text = given[name]?.text;
    return [name, text === undefined ? defaultValue : parse(text)];
  });
  return Object.fromEntries(values);
}

function validateSeconds(least: number, most: number): (text: string) => string | undefined {
  return (text) => {
    const seconds = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
    return seconds >= least && seconds <= most
      ? undefined
      : `must be a number of seconds from ${least} to ${most}`;
  };
}

function validateFlagText(text: string): string | undefined {
  return text === "true" || text === "false" ? undefined : "must be true or false";
}

function parseFlag(text: string): boolean {
  return text === "true";
}

function validateBaseUrlSetting(url: string): string | undefined {
  const problem = validateBaseUrl(url);
  if (problem !== undefined) {
    return problem;
  }
  const path = `${new URL(url).pathname.toLowerCase()}/`;
  return path.includes(`${apiPath}/`)
    ? `must be the address of the service alone: leave out ${apiPath}, which is added to it, and everything after it`
    : undefined;
}

function validateApiKey(key: string): string | undefined {
  return isApiKey(key) && !/^(["'`]).*\1$/.test(key)
    ? undefined
    : "must be the key alone: visible ASCII characters, without quotes around it, white space or line breaks";
}
