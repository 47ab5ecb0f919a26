import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { type Choose, oneOf, someOf } from "./random.ts";
import type { ProviderName } from "./walk-program.ts";

/** The address and the key of a provider. */
export interface Account {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** What gives each provider its account. */
export interface Accounts {
  /** The stack's configuration, for the default provider. */
  readonly configuration: Partial<Account>;
  /** The environment of the commands, which takes precedence for the default provider. */
  readonly environment: Partial<Account>;
  readonly explicit: Readonly<Record<ProviderName, Account>>;
}

/** The first service is that of the default provider and of the Provider `same`. */
export interface WalkServices {
  readonly first: LocalService;
  readonly second: LocalService;
}

/** The keys that the services accept. */
export const apiKeys = {
  first: ["local-api-key", "next-key-of-the-first-service"],
  second: ["key-of-the-second-service", "next-key-of-the-second-service"],
} as const satisfies Record<keyof WalkServices, readonly string[]>;

export function firstAccounts({ first, second }: WalkServices): Accounts {
  const { baseUrl } = first;
  const [apiKey] = apiKeys.first;
  return {
    configuration: { baseUrl, apiKey },
    environment: {},
    explicit: {
      same: { baseUrl, apiKey },
      second: { baseUrl: second.baseUrl, apiKey: apiKeys.second[0] },
    },
  };
}

/** Gives the providers other keys, or the default provider its account from another place. Nothing may change by it. */
export function changeAccounts(choose: Choose, before: Accounts): Accounts {
  const { explicit } = before;
  const key = oneOf(choose, apiKeys.first);
  const account = { ...defaultAccountOf(before), apiKey: key } as Account;
  const names = someOf<keyof Account>(choose, ["baseUrl", "apiKey"]);
  const pick = (isPicked: boolean): Partial<Account> =>
    Object.fromEntries(
      Object.entries(account).filter(([name]) => names.some((one) => one === name) === isPicked),
    );
  return {
    configuration: pick(false),
    environment: pick(true),
    explicit: {
      same: { ...explicit.same, apiKey: oneOf(choose, apiKeys.first) },
      second: { ...explicit.second, apiKey: oneOf(choose, apiKeys.second) },
    },
  };
}

export function defaultAccountOf({ configuration, environment }: Accounts): Partial<Account> {
  return { ...configuration, ...environment };
}

/** Returns the changes of the stack's configuration. */
export function configurationOf({ configuration }: Accounts) {
  const { baseUrl, apiKey } = configuration;
  return { "dbwebhooks:baseUrl": baseUrl, "dbwebhooks:apiKey": apiKey };
}

/** Returns the variables of a command. */
export function variablesOf({ environment: { baseUrl, apiKey } }: Accounts) {
  return {
    ...(baseUrl !== undefined && { DBWEBHOOKS_BASE_URL: baseUrl }),
    ...(apiKey !== undefined && { DBWEBHOOKS_API_KEY: apiKey }),
  };
}

/** Whether the service at the address of an account accepts its key. */
export function isPair({ baseUrl, apiKey }: Partial<Account>, { first }: WalkServices): boolean {
  const keys: readonly string[] = baseUrl === first.baseUrl ? apiKeys.first : apiKeys.second;
  return apiKey !== undefined && keys.includes(apiKey);
}
