import { type AccountSettings, accountSettings, type problemsOf } from "./schema.js";

/** Prefix of this package's keys in a stack's configuration. */
const namespace = "dbwebhooks";

/**
 * The settings of an account and the environment variable of each. What they mean is with
 * `ProviderArgs`; their defaults and limits are in `schema.ts`.
 */
export const environmentVariables = {
  baseUrl: "DBWEBHOOKS_BASE_URL",
  apiKey: "DBWEBHOOKS_API_KEY",
  timeoutSeconds: "DBWEBHOOKS_TIMEOUT_SECONDS",
  retrySeconds: "DBWEBHOOKS_RETRY_SECONDS",
  maxConcurrentRequests: "DBWEBHOOKS_MAX_CONCURRENT_REQUESTS",
  requestsPerSecond: "DBWEBHOOKS_REQUESTS_PER_SECOND",
  listing: "DBWEBHOOKS_LISTING",
  allowInsecureBaseUrl: "DBWEBHOOKS_ALLOW_INSECURE_BASE_URL",
} as const satisfies Record<keyof AccountSettings, string>;

type SettingName = keyof typeof environmentVariables;

/** Settings that are all right, or everything that is wrong with them, one line a problem. */
export type ConfigResult =
  | { readonly settings: AccountSettings; readonly problems?: undefined }
  | { readonly problems: readonly string[]; readonly settings?: undefined };

/**
 * Reads the settings of the default provider. The environment wins over the stack's configuration,
 * because `destroy` and `refresh` see the configuration of the last `up`, not today's: after a key
 * rotation the environment is the only way in. An empty variable counts as absent.
 */
export function readConfig(
  stackConfig: (key: string) => string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): ConfigResult {
  const values: Partial<Record<SettingName, string>> = {};
  for (const name of Object.keys(environmentVariables) as SettingName[]) {
    const value = environment[environmentVariables[name]] || stackConfig(`${namespace}:${name}`);
    if (value !== undefined && value !== "") {
      values[name] = value;
    }
  }
  const { data, error } = accountSettings(values.allowInsecureBaseUrl === "true").safeParse(values);
  return data === undefined
    ? { problems: [...missingSettings(values), ...invalidSettings(values, error)] }
    : { settings: data };
}

function missingSettings(values: Partial<Record<SettingName, string>>): string[] {
  const commands = {
    baseUrl: `pulumi config set ${namespace}:baseUrl https://tables.example.com`,
    apiKey: `pulumi config set --secret ${namespace}:apiKey`,
  };
  return (["baseUrl", "apiKey"] as const)
    .filter((name) => values[name] === undefined)
    .map(
      (name) =>
        `${namespace}:${name}: is not set; run "${commands[name]}" or set ${environmentVariables[name]}`,
    );
}

function invalidSettings(
  values: Partial<Record<SettingName, string>>,
  error: Parameters<typeof problemsOf>[0],
): string[] {
  return (error?.issues ?? [])
    .filter((issue) => values[issue.path[0] as SettingName] !== undefined)
    .map((issue) => `${namespace}:${String(issue.path[0])}: ${issue.message}`);
}
