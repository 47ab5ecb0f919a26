/** The default port of `serve`, also for `emit`. */
export const defaultPort = 8787;
/** The default API key of `serve`, also for `emit`. */
export const defaultApiKey = "local-api-key";
