import * as z from "zod/mini";
import { isApiKey } from "../common/api-key.js";
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
export type AccountSettings = z.infer<ReturnType<typeof accountSettings>>;

/** The path of the interface's version is added to the base URL: with it, every answer would be a 404. */
function problemOfApiPath(baseUrl: string): string | undefined {
  return /\/api\/v1\/*$/i.test(baseUrl)
    ? "must not end in /api/v1, which is added to it: write what stands before it"
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
