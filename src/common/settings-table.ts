// The settings of an account: their names, variables and rules. `sdk/args.ts` says what they mean.
// No problem repeats a value: any value can be a credential.
import { isApiKey } from "./identifier.js";
import { normalizeBaseUrl, validateBaseUrl } from "./url-rules.js";

/** Prefix of this package's keys in a stack's configuration. */
export const namespace = "dbwebhooks";

/**
 * The input that marks an explicit `Provider` of the dynamic adapter. The plugin goes by its name.
 */
export const explicitProviderKey = `${namespace}:isExplicit`;

/** The environment variable that describes the webhooks to import. */
export const importVariable = "DBWEBHOOKS_IMPORT";

/** A setting, whose value is read as text. */
interface Setting<Value> {
  /** The environment variable. */
  readonly variable: string;
  /** Whether it must be given. An explicit provider takes it from its arguments alone. */
  readonly isRequired: boolean;
  /** What `pulumi config` needs to set it, if it must be given. */
  readonly setArguments?: string;
  /** Returns the problems of a text: what is wrong, and what to write instead. */
  readonly validate: (text: string) => readonly string[];
  readonly parse: (text: string) => Value;
  /** The value of a setting that is not given. */
  readonly defaultValue?: Value;
}

/** Every setting. */
export const settingsTable = {
  baseUrl: {
    variable: "DBWEBHOOKS_BASE_URL",
    isRequired: true,
    setArguments: `${namespace}:baseUrl https://tables.example.com`,
    validate: validateBaseUrl,
    parse: normalizeBaseUrl,
  },
  apiKey: {
    variable: "DBWEBHOOKS_API_KEY",
    isRequired: true,
    setArguments: `--secret ${namespace}:apiKey`,
    validate: validateApiKey,
    parse: String,
  },
  timeoutSeconds: {
    variable: "DBWEBHOOKS_TIMEOUT_SECONDS",
    isRequired: false,
    validate: validateSeconds(0.001, 3_600),
    parse: Number,
    defaultValue: 30,
  },
  retrySeconds: {
    variable: "DBWEBHOOKS_RETRY_SECONDS",
    isRequired: false,
    validate: validateSeconds(0, 86_400),
    parse: Number,
    defaultValue: 120,
  },
  // Without a default: absent, it has a third meaning.
  listing: {
    variable: "DBWEBHOOKS_LISTING",
    isRequired: false,
    validate: validateFlagText,
    parse: parseFlag,
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

type Table = typeof settingsTable;

/** The name of a setting, without its prefix. */
export type SettingName = keyof Table;

/** A setting that must be given. */
export type RequiredSetting = {
  [Name in SettingName]: Table[Name]["isRequired"] extends true ? Name : never;
}[SettingName];

/** The values of valid settings; `undefined` where there is neither a value nor a default. */
export type SettingValues = {
  readonly [Name in SettingName]:
    | ReturnType<Table[Name]["parse"]>
    | (Table[Name] extends { isRequired: true } | { defaultValue: unknown } ? never : undefined);
};

/** The names of all settings. */
export const settingNames = Object.keys(settingsTable) as readonly SettingName[];

/** Returns a setting as one type, whatever the type of its value. */
export function settingOf(name: SettingName): Setting<unknown> {
  return settingsTable[name];
}

/** Whether a setting must be given. */
export function isRequiredSetting(name: SettingName): name is RequiredSetting {
  return settingOf(name).isRequired;
}

/** Returns the problems of a value that is given for a setting. It may be no text. */
export function validateSetting(name: SettingName, value: unknown): readonly string[] {
  return isRequiredSetting(name) && typeof value !== "string"
    ? ["must be text: put it in quotes; in YAML, write fn::toJSON around a configuration value"]
    : settingsTable[name].validate(String(value));
}

/** Returns the problems of an argument of an explicit `Provider`, which may be absent. */
export function validateProviderArgument(name: SettingName, value: unknown): readonly string[] {
  if ((value ?? "") === "") {
    return isRequiredSetting(name) ? [`${name}: is not set; give ${name} to the Provider`] : [];
  }
  return validateSetting(name, value).map((problem) => `${name}: ${problem}`);
}

function validateSeconds(least: number, most: number): (text: string) => readonly string[] {
  return (text) => {
    const seconds = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
    return seconds >= least && seconds <= most
      ? []
      : [`must be a number of seconds from ${least} to ${most}`];
  };
}

function validateFlagText(text: string): readonly string[] {
  return text === "true" || text === "false" ? [] : ["must be true or false"];
}

function parseFlag(text: string): boolean {
  return text === "true";
}

function validateApiKey(key: string): readonly string[] {
  return isApiKey(key) && !/^(["'`]).*\1$/.test(key)
    ? []
    : [
        "must be the key alone: visible ASCII characters, without quotes around it, white space or line breaks",
      ];
}
