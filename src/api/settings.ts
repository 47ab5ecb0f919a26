import * as z from "zod/mini";
import { isApiKey } from "../common/identifier.js";
import { parseJson } from "../common/json.js";
import { normalizeBaseUrl, problemOfBaseUrl } from "../common/url.js";

// No message in this file repeats a received value: any of them can be a credential.

/** The rules of the settings of one account. Every value arrives as text. */
export const accountSettings = (allowInsecureBaseUrl: boolean) =>
  z.object({
    baseUrl: z.pipe(
      z
        .string()
        .check(
          withoutProblem(
            (url) => problemOfBaseUrl(url, allowInsecureBaseUrl) ?? problemOfApiPath(url),
          ),
        ),
      z.transform(normalizeBaseUrl),
    ),
    // Nothing is sent there, so they may be unencrypted.
    formerBaseUrls: z._default(baseUrls(true), []),
    otherBaseUrls: z._default(baseUrls(allowInsecureBaseUrl), []),
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

/** The settings of one account, checked. */
export type AccountSettings = Readonly<z.infer<ReturnType<typeof accountSettings>>>;

/** Makes a zod check of a function that says what is wrong with a value, and nothing when all is well. */
export function withoutProblem(
  problemOf: (value: string) => string | undefined,
): z.core.$ZodCheck<string> {
  return z.refine((value: string) => problemOf(value) === undefined, {
    error: (issue) => problemOf(issue.input as string),
  });
}

/** A list, in JSON as Pulumi writes lists into configuration, or with commas. */
function baseUrls(allowInsecure: boolean) {
  const listOf = (text: string) =>
    (text.trimStart().startsWith("[") ? parseJson(text) : text.split(",")) as unknown;
  const isBaseUrl = (url: unknown) =>
    problemOfBaseUrl(String(url).trim(), allowInsecure) === undefined;
  return z.pipe(
    z.string().check(
      z.refine(
        (text) => {
          const urls = listOf(text);
          return Array.isArray(urls) && urls.every(isBaseUrl);
        },
        `must be base URLs with commas between them, such as "https://old.example.com"${allowInsecure ? "" : " (http:// only for a loopback host)"}`,
      ),
    ),
    z.transform((text) =>
      (listOf(text) as unknown[]).map((url) => normalizeBaseUrl(String(url).trim())),
    ),
  );
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
