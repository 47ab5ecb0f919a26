import { describe, expect, it } from "vitest";
import { EngineMonitor } from "../../src/provider/engine.js";
import { WebhookProvider } from "../../src/provider/provider.js";
import { secret, someArgs, someState } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { startServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { startProvider } from "../helpers/provider.js";

describe("A provider", () => {
  it("reports an unexpected error as a fault, redacted and without a stack trace", async () => {
    const get = () => {
      throw new Error("no configuration, T0K3N-of-the-receiver");
    };
    const source = { get, isExplicit: () => false, environment: {} };
    const provider = new WebhookProvider(source, new EngineMonitor(undefined, () => {}));
    const options = { notify: () => {} };
    const secretUrl = { url: "https://example.com/hooks/T0K3N-of-the-receiver" };

    const errors = await Promise.all([
      errorOf(provider.check({}, someArgs(secretUrl), options)),
      errorOf(provider.diff("17", someState(secretUrl), someArgs(secretUrl), options)),
      errorOf(provider.create(someArgs(secretUrl), options)),
      errorOf(provider.read("17", someState(secretUrl), options)),
      errorOf(provider.delete("17", someState(secretUrl), options)),
    ]);

    for (const error of errors) {
      expect(kindOf(error)).toBe("fault");
      expect(error.message).toContain("[withheld:");
      expect(error.stack).toBe("");
    }
  });
});

describe("Two providers in one process", () => {
  it("send requests to their own services with their own keys", async () => {
    await using first = await startServer({ body: { id: 1, secret } });
    await using second = await startServer({ body: { id: 2, secret } });
    const one = startProvider({ baseUrl: first.url, apiKey: "key-one" });
    const two = startProvider({ baseUrl: second.url, apiKey: "key-two" });

    await Promise.all([one.create(someArgs()), two.create(someArgs())]);

    expect(first.requests).toMatchObject([{ headers: { authorization: "Bearer key-one" } }]);
    expect(second.requests).toMatchObject([{ headers: { authorization: "Bearer key-two" } }]);
  });

  it("do not share which webhooks they know", async () => {
    await using server = await startServer({ body: { id: 17, secret } });
    const one = startProvider({ baseUrl: server.url });
    const two = startProvider({ baseUrl: server.url });
    await one.diff("17", someState({ baseUrl: server.url }), someArgs());

    // The service returns webhook 17, which only one provider knows, as a new one.
    const error = await errorOf(one.create(someArgs()));
    const { id } = await two.create(someArgs());

    expect(kindOf(error)).toBe("notCreated");
    expect(id).toBe("17");
  });
});
