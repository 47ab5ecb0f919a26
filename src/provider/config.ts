import * as z from "zod/mini";
import { isApiKey } from "../common/identifier.js";
import { parseJson } from "../common/json.js";
import {
  environmentVariables,
  namespace,
  type SettingName,
  settingNames,
} from "../common/setting-names.js";
import { normalizeBaseUrl, problemOfBaseUrl } from "../common/url.js";

// No message in this file repeats a received value: any value can be a credential.

/** The rules of the settings. Every value arrives as text. */
export const settingRules = (allowInsecureBaseUrl: boolean) =>
  z.object({
    baseUrl: z.pipe(
      z.string().check(
        z.refine((url) => problemOfApiBase(url, allowInsecureBaseUrl) === undefined, {
          error: ({ input }) => problemOfApiBase(input as string, allowInsecureBaseUrl),
        }),
      ),
      z.transform(normalizeBaseUrl),
    ),
    formerBaseUrls: z._default(baseUrlList(), []),
    apiKey: z
      .string()
      .check(
        z.refine(
          isApiKey,
          "must be the key alone: visible ASCII characters, without white space or line breaks",
        ),
      ),
    timeoutSeconds: z._default(numberText("a number of seconds", 0.001, 3_600), 30),
    retrySeconds: z._default(numberText("a number of seconds", 0, 86_400), 120),
    maxConcurrentRequests: z.optional(numberText("a whole number", 1, 1_000, true)),
    requestsPerSecond: z.optional(numberText("a number", 0.001, 10_000)),
    listing: z._default(flagText(), false),
    allowInsecureBaseUrl: z._default(flagText(), false),
  });

/** The settings of one account, validated, and where they come from. */
export interface Settings extends Readonly<z.infer<ReturnType<typeof settingRules>>> {
  /** Whether they are the arguments of an explicit `Provider`. */
  readonly isExplicit: boolean;
  /** The settings that the environment has set. */
  readonly fromEnvironment: readonly SettingName[];
}

/** Valid settings, or one message per problem. */
export interface ConfigResult {
  readonly settings?: Settings;
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
 * environment is the only way in. For an explicit `Provider` its own arguments take precedence, so that
 * two of them can differ. An empty variable counts as absent.
 */
export function readConfig({ get, environment, ...source }: ConfigSource): ConfigResult {
  const isExplicit = source.isExplicit();
  const values: Partial<Record<SettingName, string>> = {};
  const fromEnvironment: SettingName[] = [];
  for (const name of settingNames) {
    const variable = environment[environmentVariables[name]] || undefined;
    const given = get(name) || undefined;
    const value = isExplicit ? (given ?? variable) : (variable ?? given);
    if (value !== undefined) {
      values[name] = value;
      if (value === variable && value !== given) {
        fromEnvironment.push(name);
      }
    }
  }
  const { data, error } = settingRules(values.allowInsecureBaseUrl === "true").safeParse(values);
  if (data !== undefined) {
    return { settings: { ...data, isExplicit, fromEnvironment }, problems: [] };
  }
  const problems = error.issues.map(({ path, message }) => {
    const name = path[0] as SettingName;
    const variable = environmentVariables[name];
    if (values[name] === undefined) {
      const remedy = isExplicit ? `give ${name} to the Provider` : `run "${commands[name]}"`;
      return `${namespace}:${name}: is not set; ${remedy} or set ${variable}`;
    }
    const origin = fromEnvironment.includes(name) ? `; ${variable} sets this value` : "";
    return `${namespace}:${name}: ${message}${origin}`;
  });
  return { problems };
}

const commands: { readonly [Name in SettingName]?: string } = {
  baseUrl: `pulumi config set ${namespace}:baseUrl https://tables.example.com`,
  apiKey: `pulumi config set --secret ${namespace}:apiKey`,
};

function problemOfApiBase(url: string, allowInsecureBaseUrl: boolean): string | undefined {
  const problem = problemOfBaseUrl(url, allowInsecureBaseUrl);
  if (problem === undefined && /\/api\/v1\/*$/i.test(new URL(url).pathname)) {
    return "must not end in /api/v1, which is added to it: leave it out";
  }
  return problem;
}

/**
 * A list of base URLs: JSON, as Pulumi writes lists into configuration, or separated by commas. Nothing is
 * sent to them, so they may use `http:`.
 */
function baseUrlList() {
  const listOf = (text: string) =>
    (text.trimStart().startsWith("[") ? parseJson(text) : text.split(",")) as unknown;
  const isBaseUrl = (url: unknown) => problemOfBaseUrl(String(url).trim(), true) === undefined;
  return z.pipe(
    z.string().check(
      z.refine((text) => {
        const urls = listOf(text);
        return Array.isArray(urls) && urls.every(isBaseUrl);
      }, 'must be base URLs separated by commas, such as "https://old.example.com"'),
    ),
    z.transform((text) =>
      (listOf(text) as unknown[]).map((url) => normalizeBaseUrl(String(url).trim())),
    ),
  );
}

function flagText() {
  return z.pipe(
    z.enum(["true", "false"], "must be true or false"),
    z.transform((text) => text === "true"),
  );
}

function numberText(what: string, least: number, most: number, isWhole = false) {
  const message = `must be ${what} from ${least} to ${most}`;
  return z.pipe(
    z.string().check(
      z.refine((text) => {
        const value = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
        return value >= least && value <= most && (!isWhole || Number.isInteger(value));
      }, message),
    ),
    z.transform(Number),
  );
}
