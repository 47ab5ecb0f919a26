import { describe, expect, it } from "vitest";
import { Engine } from "../../src/provider/engine.js";
import { WebhookProvider } from "../../src/provider/provider.js";
import { listed, listOf, secret, someArgs, someState } from "../helpers/builders.js";
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
    const provider = new WebhookProvider(source, new Engine(undefined, () => {}));
    const options = { notify: () => {} };
    const hidden = { url: "https://example.com/hooks/T0K3N-of-the-receiver" };

    const errors = await Promise.all([
      errorOf(provider.check({}, someArgs(hidden), options)),
      errorOf(provider.diff("17", someState(hidden), someArgs(hidden), options)),
      errorOf(provider.create(someArgs(hidden), options)),
      errorOf(provider.read("17", someState(hidden), options)),
      errorOf(provider.delete("17", someState(hidden), options)),
    ]);

    expect(errors.map(kindOf)).toEqual(Array(5).fill("fault"));
    for (const { message, stack } of errors) {
      expect(message).toContain("failed unexpectedly ([withheld:");
      expect(stack).toBe("");
    }
  });
});

describe("Two providers in one process", () => {
  it("send requests to their own services with their own keys", async () => {
    await using first = await startServer({ body: { id: 1, secret } }, { body: { id: 3, secret } });
    await using second = await startServer({ body: { id: 2, secret } });
    const one = startProvider({ baseUrl: first.url, apiKey: "key-one" });
    const two = startProvider({ baseUrl: second.url, apiKey: "key-two" });

    const results = await Promise.all([one, two, one].map(({ create }) => create(someArgs())));

    expect(results.map(({ id }) => id)).toEqual(["1", "2", "3"]);
    const keysAt = ({ requests }: typeof first) =>
      requests.map(({ headers }) => headers.authorization);
    expect(keysAt(first)).toEqual(["Bearer key-one", "Bearer key-one"]);
    expect(keysAt(second)).toEqual(["Bearer key-two"]);
  });

  it("share no webhooks, adoptions and refreshes", async () => {
    await using server = await startServer({ statusCode: 500 }, listOf(listed({ id: 7_000_099 })));
    const one = startProvider();
    const two = startProvider({ baseUrl: server.url, listing: "true", retrySeconds: "0" });
    const offline = startProvider();
    const changed = someArgs({ url: "https://example.com/other" });
    await one.diff("7000099", someState(), someArgs());
    await one.create(someArgs({ adopt: { id: "17", secret } }));
    await one.read("17", someState());

    const { message } = await errorOf(two.create(someArgs()));
    await offline.create(someArgs({ adopt: { id: "17", secret } }));
    await offline.diff("18", someState(), changed);

    expect(message).toContain("7000099");
    expect(offline.lines).toHaveLength(2);
  });
});
