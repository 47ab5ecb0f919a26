import { serveApiKeysVariable } from "../common/setting-names.js";
import { defaultApiKey } from "../local-service/options.js";

/** The default port of `serve`. */
export const defaultPort = 8787;
/** What is wrong with API keys that `serve` cannot use. */
export const apiKeysProblem = `--api-key (or ${serveApiKeysVariable}): must be KEY or KEY=DATABASE,DATABASE, each KEY once, in visible ASCII characters without "=".`;

/** An invalid argument of a command: the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Reads the API keys of the local service, each with its databases. White space separates the keys
 * in the environment variable. The provider's key is never read, because it belongs to the real
 * service.
 *
 * @param texts The values of `--api-key`: `KEY` for all databases, or `KEY=DATABASE,DATABASE`.
 */
export function readApiKeys(
  texts: readonly string[] = process.env[serveApiKeysVariable]?.match(/\S+/g) ?? [defaultApiKey],
): Map<string, readonly string[] | "*"> {
  const databasesOf = new Map<string, readonly string[] | "*">();
  for (const text of texts) {
    const [key = "", databases, ...more] = text.split("=");
    const ids = databases?.split(",");
    if (ids?.includes("") || more.length > 0 || databasesOf.has(key)) {
      throw new UsageError(apiKeysProblem);
    }
    databasesOf.set(key, ids ?? "*");
  }
  return databasesOf;
}
