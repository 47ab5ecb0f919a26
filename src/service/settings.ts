import * as z from "zod/mini";
import { isApiKey } from "../common/api-key.js";
import { parseJson } from "../common/json.js";
import { environmentVariables, namespace, type SettingName } from "../common/setting-names.js";
import { normalizeBaseUrl, problemOfBaseUrl } from "../common/url.js";
import { hasNo } from "./problem-check.js";

// No message in this file repeats a received value: any of them can be a credential.

/** The settings of one account. Every value arrives as text, from Pulumi or the environment. */
export const accountSettings = (allowInsecureBaseUrl: boolean) =>
  z.object({
    baseUrl: z.pipe(
      z
        .string()
        .check(
          hasNo((url) => problemOfBaseUrl(url, allowInsecureBaseUrl) ?? problemOfApiPath(url)),
        ),
      z.transform(normalizeBaseUrl),
    ),
    formerBaseUrls: z._default(formerBaseUrls(), []),
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
    maxConcurrentRequests: z._default(numberText("a whole number", 1, 1_000, true), 16),
    requestsPerSecond: z.optional(numberText("a number", 0.001, 10_000)),
    listing: z._default(flagText(), false),
    allowInsecureBaseUrl: z._default(flagText(), false),
  });

/** The settings of one account, checked. */
export interface AccountSettings extends z.infer<ReturnType<typeof accountSettings>> {
  /** Those that the environment has set. */
  readonly fromEnvironment: readonly SettingName[];
}

/** How messages call a setting: with its variable, where the environment has set it. */
export function nameOfSetting(
  { fromEnvironment }: Pick<AccountSettings, "fromEnvironment">,
  name: SettingName,
): string {
  const key = `${namespace}:${name}`;
  return fromEnvironment.includes(name) ? `${key} (set by ${environmentVariables[name]})` : key;
}

/** A list, in JSON as Pulumi writes lists into configuration, or with commas. */
function formerBaseUrls() {
  const listOf = (text: string) =>
    (text.trimStart().startsWith("[") ? parseJson(text) : text.split(",")) as unknown;
  return z.pipe(
    z.string().check(
      z.refine((text) => {
        const urls = listOf(text);
        return Array.isArray(urls) && urls.every((url) => isBaseUrl(String(url).trim()));
      }, 'must be base URLs with commas between them, such as "https://old.example.com"'),
    ),
    z.transform((text) =>
      (listOf(text) as unknown[]).map((url) => normalizeBaseUrl(String(url).trim())),
    ),
  );
}

function isBaseUrl(url: string): boolean {
  // Nothing is sent there, so it may be unencrypted.
  return problemOfBaseUrl(url, true) === undefined;
}

/** The path of the interface's version is added to the base URL: with it, every answer would be a 404. */
function problemOfApiPath(baseUrl: string): string | undefined {
  return URL.canParse(baseUrl) && /\/api\/v1\/*$/i.test(new URL(baseUrl).pathname)
    ? "must not end in /api/v1, which is added to it: leave it out"
    : undefined;
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
