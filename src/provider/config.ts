// The settings of one account: their rules, and where each value comes from. No message repeats a received
// value: any value can be a credential.
import * as z from "zod/mini";
import { apiPath } from "../api/client.js";
import { isApiKey } from "../common/identifier.js";
import { parseJson } from "../common/json.js";
import {
  environmentVariables,
  namespace,
  type SettingName,
  settingNames,
} from "../common/setting-names.js";
import { normalizeBaseUrl, validateBaseUrl } from "./urls.js";

const setCommands: { readonly [Name in SettingName]?: string } = {
  baseUrl: `pulumi config set ${namespace}:baseUrl https://tables.example.com`,
  apiKey: `pulumi config set --secret ${namespace}:apiKey`,
};

/** The rules of the settings. Every value arrives as text. */
export const settingRules = (allowInsecureBaseUrl: boolean) =>
  z.object({
    baseUrl: z.pipe(
      text((url) => validateBaseUrlSetting(url, allowInsecureBaseUrl)),
      z.transform(normalizeBaseUrl),
    ),
    formerBaseUrls: z._default(
      z.pipe(text(validateFormerBaseUrls), z.transform(parseFormerBaseUrls)),
      [],
    ),
    apiKey: text(validateApiKey),
    timeoutSeconds: z._default(number("a number of seconds", 0.001, 3_600), 30),
    retrySeconds: z._default(number("a number of seconds", 0, 86_400), 120),
    maxConcurrentRequests: z.optional(number("a whole number", 1, 1_000)),
    requestsPerSecond: z.optional(number("a number", 0.001, 10_000)),
    listing: z._default(flag(), false),
    allowInsecureBaseUrl: z._default(flag(), false),
  });

/** The settings of one account, validated, and where they come from. */
export interface Settings extends Readonly<z.infer<ReturnType<typeof settingRules>>> {
  /** Whether they are the arguments of an explicit `Provider`. */
  readonly isExplicit: boolean;
  /** The settings that the environment has set. */
  readonly namesFromEnvironment: readonly SettingName[];
}

/** Valid settings, or one message per problem. */
export interface ConfigResult {
  readonly settings: Settings | undefined;
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
export function readConfig({ get, environment, ...source }: ConfigSource): ConfigResult {
  const isExplicit = source.isExplicit();
  const values: Partial<Record<SettingName, string>> = {};
  const namesFromEnvironment: SettingName[] = [];
  for (const name of settingNames) {
    const variable = environment[environmentVariables[name]] || undefined;
    const given = get(name) || undefined;
    const isFromEnvironment = variable !== undefined && !(isExplicit && given !== undefined);
    const value = isFromEnvironment ? variable : given;
    if (value !== undefined) {
      values[name] = value;
    }
    if (isFromEnvironment) {
      namesFromEnvironment.push(name);
    }
  }
  const { data, error } = settingRules(values.allowInsecureBaseUrl === "true").safeParse(values);
  const settings = data && { ...data, isExplicit, namesFromEnvironment };
  const problems = error?.issues.map(({ path, message }) => {
    const name = path[0] as SettingName;
    const variable = environmentVariables[name];
    if (values[name] === undefined) {
      const remedy = isExplicit ? `give ${name} to the Provider` : `run "${setCommands[name]}"`;
      return `${namespace}:${name}: is not set; ${remedy} or set ${variable}`;
    }
    const setBy = namesFromEnvironment.includes(name) ? `; ${variable} sets this value` : "";
    return `${namespace}:${name}: ${message}${setBy}`;
  });
  return { settings, problems: problems ?? [] };
}

/** A text that `validate` finds nothing wrong with. */
function text(validate: (text: string) => string | undefined) {
  const isValid = (value: string) => validate(value) === undefined;
  return z.string().check(z.refine(isValid, { error: ({ input }) => validate(String(input)) }));
}

function number(
  what: "a number" | "a number of seconds" | "a whole number",
  least: number,
  most: number,
) {
  const isWhole = what === "a whole number";
  const validate = (value: string) => {
    const parsed = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : Number.NaN;
    return parsed >= least && parsed <= most && (!isWhole || Number.isInteger(parsed))
      ? undefined
      : `must be ${what} from ${least} to ${most}`;
  };
  return z.pipe(text(validate), z.transform(Number));
}

function flag() {
  return z.pipe(
    z.enum(["true", "false"], "must be true or false"),
    z.transform((value) => value === "true"),
  );
}

function validateBaseUrlSetting(url: string, allowInsecureBaseUrl: boolean): string | undefined {
  const problem = validateBaseUrl(url, { allowInsecureBaseUrl });
  return problem === undefined &&
    new URL(normalizeBaseUrl(url)).pathname.toLowerCase().endsWith(apiPath)
    ? `must not end in ${apiPath}, which is added to it: leave it out`
    : problem;
}

function validateApiKey(key: string): string | undefined {
  return isApiKey(key)
    ? undefined
    : "must be the key alone: visible ASCII characters, without white space or line breaks";
}

/** Nothing is sent to former base URLs, so they may use `http:`. */
function validateFormerBaseUrls(list: string): string | undefined {
  const urls = splitList(list);
  return Array.isArray(urls) &&
    urls.every((url) => validateBaseUrl(url, { allowInsecureBaseUrl: true }) === undefined)
    ? undefined
    : 'must be base URLs separated by commas, such as "https://old.example.com"';
}

function parseFormerBaseUrls(list: string): string[] {
  return splitList(list)?.map(normalizeBaseUrl) ?? [];
}

/** Splits a list that is separated by commas, or that is JSON, as Pulumi writes lists into configuration. */
function splitList(list: string): string[] | undefined {
  const entries = list.trimStart().startsWith("[") ? parseJson(list) : list.split(",");
  return Array.isArray(entries) ? entries.map((entry) => String(entry).trim()) : undefined;
}
