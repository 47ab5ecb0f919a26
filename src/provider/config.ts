// The settings of one account: their rules, and where each value comes from. No message repeats a received
// value: any value can be a credential.
import { apiPath } from "../api/client.js";
import { isApiKey } from "../common/identifier.js";
import {
  environmentVariables,
  namespace,
  type SettingName,
  settingNames,
} from "../common/setting-names.js";
import { normalizeBaseUrl, parseBaseUrl, validateBaseUrl } from "./url-rules.js";

const setCommands: { readonly [Name in SettingName]?: string } = {
  baseUrl: `pulumi config set ${namespace}:baseUrl https://tables.example.com`,
  apiKey: `pulumi config set --secret ${namespace}:apiKey`,
};

/** The rule of a setting. Every value arrives as text. */
interface SettingRule<Value> {
  /** Returns what is wrong with a text and what to write instead, or `undefined` if it is valid. */
  readonly validate: (text: string, allowInsecureBaseUrl: boolean) => string | undefined;
  readonly parse: (text: string) => Value;
  /** The value of a setting that is not given. A setting without one is required. */
  readonly defaultValue?: Value;
}

/** Every setting, and its rule. */
export const settingRules = {
  baseUrl: { validate: validateBaseUrlSetting, parse: normalizeBaseUrl },
  apiKey: { validate: validateApiKey, parse: String },
  timeoutSeconds: { validate: validateSeconds(0.001, 3_600), parse: Number, defaultValue: 30 },
  retrySeconds: { validate: validateSeconds(0, 86_400), parse: Number, defaultValue: 120 },
  listing: { validate: validateFlag, parse: parseFlag, defaultValue: false },
  allowInsecureBaseUrl: { validate: validateFlag, parse: parseFlag, defaultValue: false },
} satisfies { readonly [Name in SettingName]: SettingRule<unknown> };

type SettingValues = {
  readonly [Name in SettingName]: ReturnType<(typeof settingRules)[Name]["parse"]>;
};

/** The settings of one account, validated, and where they come from. */
export interface Settings extends SettingValues {
  /** Whether they are the arguments of an explicit `Provider`. */
  readonly isExplicit: boolean;
  /** The settings that the environment has set. */
  readonly namesFromEnvironment: readonly SettingName[];
}

/** Where a provider is, which is known even if other settings are not valid. */
export type ProviderAddress = Pick<Settings, "baseUrl" | "isExplicit" | "namesFromEnvironment">;

/** Valid settings, or one message per problem. */
export interface ConfigResult {
  readonly settings: Settings | undefined;
  /** `undefined` if the base URL is missing or not valid. */
  readonly address: ProviderAddress | undefined;
  readonly problems: readonly string[];
}

/** Where the settings of a provider come from. */
export interface ConfigSource {
  /** Returns a setting of the stack's configuration, or an argument of an explicit provider. */
  readonly get: (name: SettingName) => string | undefined;
  readonly isExplicit: () => boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the settings of an account.
 *
 * For the default provider the environment takes precedence over the stack's configuration, because
 * `destroy` and `refresh` use the configuration that the last `up` stored: after a key rotation the
 * environment is the only way to pass the new key. For an explicit `Provider` its own arguments take
 * precedence, so that two of them can differ. An empty variable counts as absent.
 */
export function readConfig(source: ConfigSource): ConfigResult {
  const isExplicit = source.isExplicit();
  const texts: Partial<Record<SettingName, string>> = {};
  const namesFromEnvironment: SettingName[] = [];
  for (const name of settingNames) {
    const setting = readSetting(source, name);
    if (setting !== undefined) {
      texts[name] = setting.text;
    }
    if (setting?.isFromEnvironment) {
      namesFromEnvironment.push(name);
    }
  }
  const prefix = isExplicit ? "" : `${namespace}:`;
  const problems = settingNames.flatMap((name) => {
    const variable = environmentVariables[name];
    const problem = validateSetting(name, texts);
    if (problem === undefined) {
      return [];
    }
    if (texts[name] === undefined) {
      const remedy = isExplicit ? `give ${name} to the Provider` : `run "${setCommands[name]}"`;
      return [`${prefix}${name}: ${problem}; ${remedy} or set ${variable}`];
    }
    const setBy = namesFromEnvironment.includes(name) ? `; ${variable} sets this value` : "";
    return [`${prefix}${name}: ${problem}${setBy}`];
  });
  const settings =
    problems.length === 0
      ? { ...parseSettings(texts), isExplicit, namesFromEnvironment }
      : undefined;
  const baseUrl = parseBaseUrl(texts.baseUrl);
  const address = baseUrl === undefined ? undefined : { baseUrl, isExplicit, namesFromEnvironment };
  return { settings, address, problems };
}

/** Reads one setting, which is not validated. Returns `undefined` if nothing sets it. */
export function readSetting(
  { get, environment, isExplicit }: ConfigSource,
  name: SettingName,
): { readonly text: string; readonly isFromEnvironment: boolean } | undefined {
  const variable = environment[environmentVariables[name]] || undefined;
  const given = get(name) || undefined;
  const isFromEnvironment = variable !== undefined && !(isExplicit() && given !== undefined);
  const text = isFromEnvironment ? variable : given;
  return text === undefined ? undefined : { text, isFromEnvironment };
}

function validateSetting(
  name: SettingName,
  texts: Partial<Record<SettingName, string>>,
): string | undefined {
  const rule: SettingRule<unknown> = settingRules[name];
  const text = texts[name];
  if (text === undefined) {
    return rule.defaultValue === undefined ? "is not set" : undefined;
  }
  return rule.validate(text, texts.allowInsecureBaseUrl === "true");
}

/** Returns the values of valid settings. */
function parseSettings(texts: Partial<Record<SettingName, string>>): SettingValues {
  const values = settingNames.map((name) => {
    const { parse, defaultValue }: SettingRule<unknown> = settingRules[name];
    const text = texts[name];
    return [name, text === undefined ? defaultValue : parse(text)];
  });
  return Object.fromEntries(values) as SettingValues;
}

function validateSeconds(least: number, most: number): (text: string) => string | undefined {
  return (text) => {
    const seconds = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
    return seconds >= least && seconds <= most
      ? undefined
      : `must be a number of seconds from ${least} to ${most}`;
  };
}

function validateFlag(text: string): string | undefined {
  return text === "true" || text === "false" ? undefined : "must be true or false";
}

function parseFlag(text: string): boolean {
  return text === "true";
}

function validateBaseUrlSetting(url: string, allowInsecureBaseUrl: boolean): string | undefined {
  const problem = validateBaseUrl(url, { allowInsecureBaseUrl });
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
