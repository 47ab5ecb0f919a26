/** The default port of `serve`, to which `emit` connects. */
export const defaultPort = 8787;
/** The default API key of `serve`, which `emit` sends. */
export const defaultApiKey = "local-api-key";
/** The variable with the API keys of `serve`. Other users of a machine can read arguments, but not it. */
export const apiKeysVariable = "DBWEBHOOKS_SERVE_API_KEYS";

/** An invalid argument of a command: the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
