/** The default port of `serve`, also for `emit`. */
export const defaultPort = 8787;
/** The default API key of `serve`, also for `emit`. */
export const defaultApiKey = "local-api-key";
/** The environment variable with the API keys of `serve`: everybody can see the words of a command. */
export const apiKeysVariable = "DBWEBHOOKS_SERVE_API_KEYS";
