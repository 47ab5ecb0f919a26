import { adviceForUnknownName } from "./nearest-name.js";

/** Prefix of this package's keys in a stack's configuration. */
export const namespace = "dbwebhooks";

/** Key by which an explicit `Provider` tells that its settings are its own arguments. */
export const explicitKey = `${namespace}:isExplicit`;

/**
 * The settings of an account and the environment variable of each. What they mean is with
 * `ProviderArgs`; their defaults and limits are in `service/settings.ts`.
 */
export const environmentVariables = {
  baseUrl: "DBWEBHOOKS_BASE_URL",
  formerBaseUrls: "DBWEBHOOKS_FORMER_BASE_URLS",
  apiKey: "DBWEBHOOKS_API_KEY",
  timeoutSeconds: "DBWEBHOOKS_TIMEOUT_SECONDS",
  retrySeconds: "DBWEBHOOKS_RETRY_SECONDS",
  maxConcurrentRequests: "DBWEBHOOKS_MAX_CONCURRENT_REQUESTS",
  requestsPerSecond: "DBWEBHOOKS_REQUESTS_PER_SECOND",
  listing: "DBWEBHOOKS_LISTING",
  allowInsecureBaseUrl: "DBWEBHOOKS_ALLOW_INSECURE_BASE_URL",
} as const;

/** The name of a setting, without its prefix. */
export type SettingName = keyof typeof environmentVariables;

/** All names of settings. */
export const settingNames = Object.keys(environmentVariables) as readonly SettingName[];

/** Says of each name that is no setting what to write instead. */
export function problemsOfSettingNames(names: readonly string[]): string[] {
  return names
    .filter((name) => !settingNames.some((known) => known === name))
    .map((name) => `${name}: ${adviceForUnknownName(name, settingNames)}`);
}
