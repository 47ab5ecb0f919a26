// The settings of an account: their names, variables and rules. `sdk/args.ts` says what they mean.
// No problem repeats a value: any value can be a credential.
import { validateBaseUrl } from "./url-rules.js";

/** Prefix of this package's keys in a stack's configuration. */
export const namespace = "dbwebhooks";

/**
 * The input that marks an explicit `Provider` of the dynamic adapter. The plugin goes by its name.
 */
export const explicitProviderKey = `${namespace}:isExplicit`;

/** The names of all settings, without their prefix. */
export const settingNames = [
  "baseUrl",
  "apiKey",
  "timeoutSeconds",
  "retrySeconds",
  "listing",
] as const;

export type SettingName = (typeof settingNames)[number];

/** The facts about a setting, whose value is read as text. */
interface SettingRule {
  /** The environment variable. */
  readonly variable: string;
  /** Whether it must be given. An explicit provider takes it from its arguments alone. */
  readonly isRequired: boolean;
  /** The value in the command that stores the setting. Without one, Pulumi asks for it. */
  readonly exampleValue?: string;
  /** The value of a setting that is not given. */
  readonly defaultValue?: number;
  /** Returns the problems of a text: what is wrong, and what to write instead. */
  readonly validate: (text: string) => readonly string[];
}

/** The rule of every setting. */
export const settingsTable: Readonly<Record<SettingName, SettingRule>> = {
  baseUrl: {
    variable: "DBWEBHOOKS_BASE_URL",
    isRequired: true,
    exampleValue: "https://tables.example.com",
    validate: validateBaseUrl,
  },
  apiKey: {
    variable: "DBWEBHOOKS_API_KEY",
    isRequired: true,
    validate: validateApiKey,
  },
  timeoutSeconds: {
    variable: "DBWEBHOOKS_TIMEOUT_SECONDS",
    isRequired: false,
    defaultValue: 30,
    validate: validateSeconds(0.001, 3_600),
  },
  retrySeconds: {
    variable: "DBWEBHOOKS_RETRY_SECONDS",
    isRequired: false,
    defaultValue: 120,
    validate: validateSeconds(0, 86_400),
  },
  // Without a default: absent, it has a third meaning.
  listing: {
    variable: "DBWEBHOOKS_LISTING",
    isRequired: false,
    validate: validateFlag,
  },
};

/** Returns the command that stores a setting in the configuration of a stack. */
export function settingCommand(
  name: SettingName,
  value = settingsTable[name].exampleValue,
): string {
  const flag = name === "apiKey" ? " --secret" : "";
  return `pulumi config set${flag} ${namespace}:${name}${value === undefined ? "" : ` ${value}`}`;
}

/**
 * Says how a configuration value of digits reaches the provider from YAML unchanged. Pulumi makes a
 * number of it before the program can make a text of it.
 *
 * @param command The command that stores the value.
 */
export function quotesAdvice(command: string): string {
  return `put it in quotes; a configuration value in YAML needs quotes inside it: ${command} '"7"'`;
}

/** Returns the problems of a value that is given for a setting. It may be no text. */
export function validateSetting(name: SettingName, value: unknown): readonly string[] {
  const { isRequired, validate } = settingsTable[name];
  if (isRequired && typeof value !== "string") {
    return [
      `must be text: ${quotesAdvice(`pulumi config set${name === "apiKey" ? " --secret" : ""} NAME`)}`,
    ];
  }
  // A list of one number has the text of a number. No rule accepts an empty text.
  const isScalar = ["string", "number", "boolean"].includes(typeof value);
  return validate(isScalar ? String(value) : "");
}

/** Returns the problems of an argument of an explicit `Provider`, which may be absent. */
export function validateProviderArgument(name: SettingName, value: unknown): readonly string[] {
  if ((value ?? "") === "") {
    return settingsTable[name].isRequired
      ? [`${name}: is not set; give ${name} to the Provider`]
      : [];
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

function validateFlag(text: string): readonly string[] {
  return text === "true" || text === "false" ? [] : ["must be true or false"];
}

/**
 * A key travels in the header `Authorization` (docs/api/README.md#authentication; RFC 9110, section
 * 5.5).
 */
function validateApiKey(key: string): readonly string[] {
  return /^[\x21-\x7e]+$/.test(key) && !/^(["'`]).*\1$/.test(key)
    ? []
    : [
        "must be the key alone: visible ASCII characters, without quotes around it, white space or line breaks",
      ];
}
