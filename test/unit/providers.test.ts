import { describe, expect, it } from "vitest";
import { EngineMonitor } from "../../src/provider/engine.js";
import { WebhookProvider } from "../../src/provider/provider.js";
import { secret, someArgs, someState } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { startProvider } from "../helpers/provider.js";
import { startWithService } from "../helpers/provider-with-service.js";

describe("A provider", () => {
  it("reports an unexpected error as a fault, redacted and without a stack trace", async () => {
    const get = () => {
      throw new Error("no configuration, T0K3N-of-the-receiver");
    };
    const source = { get, isExplicit: () => false, environment: {} };
    const provider = new WebhookProvider(source, new EngineMonitor(undefined, () => {}));
    const options = { notify: () => {} };
    const url = "https://example.com/hooks/T0K3N-of-the-receiver";

    const errors = await Promise.all([
      errorOf(provider.check({}, someArgs({ url }), options)),
      errorOf(provider.diff("17", someState({ url }), someArgs({ url }), options)),
      errorOf(provider.create(someArgs({ url }), options)),
      errorOf(provider.read("17", someState({ url }), options)),
      errorOf(provider.delete("17", someState({ url }), options)),
    ]);

    const message = expect.stringContaining("[withheld:");
    expect(errors).toMatchObject(Array(5).fill({ kind: "fault", message, stack: "" }));
  });
});

describe("Two providers in one process", () => {
  const created = { body: { id: 17, secret } };

  it("send requests to their own services with their own keys", async () => {
    const one = await startWithService(created, { apiKey: "key-one" });
    const two = await startWithService(created, { apiKey: "key-two" });

    await Promise.all([one.create(someArgs()), two.create(someArgs())]);

    expect(one.requests).toMatchObject([{ headers: { authorization: "Bearer key-one" } }]);
    expect(two.requests).toMatchObject([{ headers: { authorization: "Bearer key-two" } }]);
  });

  it("do not share which webhooks they know", async () => {
    const { baseUrl, diff, state } = await startWithService(created);
    await diff("17", state, someArgs());

    const { id } = await startProvider({ baseUrl }).create(someArgs());

    expect(id).toBe("17");
  });
});
