import { onTestFinished } from "vitest";
import type { EngineMonitor } from "../../src/provider/engine.js";
import { someState } from "./builders.js";
import { type StubResponse, startServer } from "./http-server.js";
import { startProvider, type Texts } from "./provider.js";

/** Starts a service with these responses, a provider of it, and the state of a webhook there. */
export async function startWithService(
  responses: StubResponse | readonly StubResponse[],
  settings: Texts = {},
  engine?: EngineMonitor,
  environment?: Texts,
) {
  const {
    requests,
    url,
    [Symbol.asyncDispose]: dispose,
  } = await startServer(...[responses].flat());
  onTestFinished(dispose);
  const baseUrl = `${url}/eu`;
  const run = startProvider({ baseUrl, retrySeconds: "0", ...settings }, engine, environment);
  const methods = () => requests.map(({ method }) => method);
  return { ...run, baseUrl, requests, methods, state: someState({ baseUrl }) };
}
