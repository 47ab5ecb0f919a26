/** What the client needs to know of an account of the service. */
export interface AccountSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutSeconds: number;
  readonly retrySeconds: number;
  readonly maxConcurrentRequests?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
}
