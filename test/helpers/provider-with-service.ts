import { onTestFinished } from "vitest";
import { someState } from "./builders.ts";
import { type StubResponse, startServer } from "./http-server.ts";
import { type ProviderOptions, startProvider, type Texts } from "./provider.ts";

/**
 * Starts a service that sends these responses, a provider of it, and the state of a webhook there.
 */
export async function startWithService(
  responses: StubResponse | readonly StubResponse[],
  settings: Texts = {},
  options: ProviderOptions = {},
) {
  const server = await startServer(...[responses].flat());
  onTestFinished(server[Symbol.asyncDispose]);
  const { requests } = server;
  const baseUrl = `${server.url}/eu`;
  const provider = startProvider({ baseUrl, retrySeconds: "0", ...settings }, options);
  const methods = () => requests.map(({ method }) => method);
  return { ...provider, baseUrl, requests, methods, state: someState({ baseUrl }) };
}
