/**
 * How long a client may take to send the head of a request, and all of it, in milliseconds. After that
 * the connection is answered with 408 and closed. Options of Node's server.
 */
export const requestLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
};
