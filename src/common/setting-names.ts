/** Prefix of this package's keys in a stack's configuration. */
export const namespace = "dbwebhooks";

/**
 * The input that marks an explicit `Provider` of the dynamic adapter. The plugin goes by its name.
 */
export const explicitProviderKey = `${namespace}:isExplicit`;

/** The environment variable of each setting. `sdk/args.ts` says what the settings mean. */
export const environmentVariables = {
  baseUrl: "DBWEBHOOKS_BASE_URL",
  apiKey: "DBWEBHOOKS_API_KEY",
  timeoutSeconds: "DBWEBHOOKS_TIMEOUT_SECONDS",
  retrySeconds: "DBWEBHOOKS_RETRY_SECONDS",
  listing: "DBWEBHOOKS_LISTING",
} as const;

/** The name of a setting, without its prefix. */
export type SettingName = keyof typeof environmentVariables;

/** The names of all settings. */
export const settingNames = Object.keys(environmentVariables) as readonly SettingName[];

const requiredSettings = ["baseUrl", "apiKey"] as const satisfies readonly SettingName[];

/** A setting that must be given. An explicit provider takes it from its arguments alone. */
export type RequiredSetting = (typeof requiredSettings)[number];

/** Whether a setting must be given. */
export function isRequiredSetting(name: string): name is RequiredSetting {
  return (requiredSettings as readonly string[]).includes(name);
}

/** The environment variable that describes the webhooks to import. */
export const importVariable = "DBWEBHOOKS_IMPORT";

/**
 * Whether Pulumi gives this name to a default provider: `default`, and the version or the address
 * of the plugin behind it, such as `default_1_2_3` or `default_https_/…`
 * (`ProviderRequest.DefaultName` in `pkg/resource/deploy/providers` of pulumi/pulumi).
 */
export function isDefaultProviderName(name: string): boolean {
  return /^default($|_\d+_\d+_\d+|_\w+_\/)/.test(name);
}
