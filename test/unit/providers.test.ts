import { describe, expect, it } from "vitest";
import { EngineMonitor } from "../../src/provider/engine.js";
import { WebhookProvider } from "../../src/provider/provider.js";
import { secret, someArgs, someState } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { startServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { startProvider } from "../helpers/provider.js";

describe("A provider", () => {
  it("reports an unexpected error as a fault, without a stack, in every operation", async () => {
    const get = () => {
      throw new Error("no configuration, T0K3N-of-the-receiver");
    };
    const source = { get, isExplicit: () => false, environment: {} };
    const provider = new WebhookProvider(source, new EngineMonitor(undefined, () => {}));
    const options = { notify: () => {} };
    const hidden = { url: "https://example.com/hooks/T0K3N-of-the-receiver" };

    const errors = await Promise.all([
      errorOf(provider.check({}, someArgs(hidden), options)),
      errorOf(provider.diff("17", someState(hidden), someArgs(hidden), options)),
      errorOf(provider.create(someArgs(hidden), options)),
      errorOf(provider.read("17", someState(hidden), options)),
      errorOf(provider.delete("17", someState(hidden), options)),
    ]);

    expect(errors).toHaveLength(5);
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

  it("do not share what they know of a run: a webhook of one is new to the other", async () => {
    await using server = await startServer({ body: { id: 17, secret } });
    const one = startProvider({ baseUrl: server.url });
    const two = startProvider({ baseUrl: server.url });
    await one.diff("17", someState({ baseUrl: server.url }), someArgs());

    const refusal = await errorOf(one.create(someArgs()));
    const { id } = await two.create(someArgs());

    expect(kindOf(refusal)).toBe("notCreated");
    expect(id).toBe("17");
  });
});
