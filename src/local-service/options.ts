/** The API key of a service that is given none. */
export const defaultApiKey = "local-api-key";

/** How a local service starts, on 127.0.0.1. No option is required. */
export interface LocalServiceOptions {
  /** TCP port, 0 to 65,535. Default: 0, any free one. */
  readonly port?: number | undefined;
  /**
   * The API keys that the service knows. Each may use every database, and every database exists.
   * Default: `["local-api-key"]`.
   */
  readonly apiKeys?: readonly string[] | undefined;
  /**
   * Accepts event types other than the nine documented ones, of 1 to 256 visible ASCII characters.
   * Default: `false`, the response to them is 400.
   */
  readonly allowUnknownEvents?: boolean | undefined;
  /**
   * Supports the list operation, `GET …/webhooks`. Default: `true`. With `false`, the response to
   * it is 405.
   */
  readonly listing?: boolean | undefined;
  /**
   * Origin that receives every notification, such as `http://127.0.0.1:9000`, in place of the
   * origin and the user info of the webhook's `url`; path and query stay. For tests that must not
   * reach the real receivers. Default: the `url` of each webhook.
   */
  readonly deliverTo?: string | undefined;
}
