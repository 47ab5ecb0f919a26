/** Where `serve` listens, and where `emit` looks for it, unless told otherwise. */
export const defaultPort = 8787;
/** The key that `serve` knows, and that `emit` sends, unless told otherwise. */
export const defaultApiKey = "local-api-key";
