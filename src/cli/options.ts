/** The default port of `serve`, to which `emit` connects. */
export const defaultPort = 8787;
/** The default API key of `serve`, which `emit` sends. */
export const defaultApiKey = "local-api-key";

/** An invalid argument of a command: the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
