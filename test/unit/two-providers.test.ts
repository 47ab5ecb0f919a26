import { describe, expect, it } from "vitest";
import { Engine } from "../../src/core/engine.ts";
import { WebhookProvider } from "../../src/core/provider.ts";
import { secret, someArgs, someState } from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { type Answer, startServer } from "../helpers/http-server.ts";

/** A provider of its own in this process, with what it says. */
function startProvider(settings: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  const notify = (line: string) => void lines.push(line);
  const source = {
    get: (name: string) => settings[name],
    isExplicit: () => false,
    environment: {},
  };
  return { provider: new WebhookProvider(source, new Engine(undefined, notify)), notify, lines };
}

const created = (id: number): Answer => ({ statusCode: 201, body: { id, secret } });
const listOf = (...ids: number[]): Answer => ({
  body: {
    webhooks: ids.map((id) => ({ id, ...someArgs(), tableIds: null, active: true })),
  },
});

describe("a provider whose configuration cannot be read", () => {
  it("presents that as its own fault, in every operation and without a stack", async () => {
    const source = {
      get: () => {
        throw new Error("no configuration");
      },
      isExplicit: () => false,
      environment: {},
    };
    const provider = new WebhookProvider(source, new Engine(undefined, () => {}));
    const notify = () => {};

    const errors = await Promise.all([
      errorOf(provider.check({}, someArgs(), notify)),
      errorOf(provider.diff("17", someState(), someArgs(), notify)),
      errorOf(provider.create(someArgs(), notify)),
      errorOf(provider.read("17", someState(), notify)),
      errorOf(provider.delete("17", someState(), notify)),
    ]);

    for (const { message, stack } of errors) {
      expect(message).toContain("failed unexpectedly (no configuration)");
      expect(stack).toBe("");
    }
  });
});

describe("two providers in one process, interleaved", () => {
  it("send each to its own service, with its own key", async () => {
    await using first = await startServer(created(1));
    await using second = await startServer(created(2));
    const one = startProvider({ baseUrl: first.url, apiKey: "key-one" });
    const two = startProvider({ baseUrl: second.url, apiKey: "key-two" });

    const results = await Promise.all([
      one.provider.create(someArgs(), one.notify),
      two.provider.create(someArgs(), two.notify),
      one.provider.create(someArgs(), one.notify),
    ]);

    expect(results.map(({ id }) => id)).toEqual(["1", "2", "1"]);
    const keysAt = (server: typeof first) =>
      server.requests.map(({ headers }) => headers.authorization);
    expect(keysAt(first)).toEqual(["Bearer key-one", "Bearer key-one"]);
    expect(keysAt(second)).toEqual(["Bearer key-two"]);
  });

  it("do not know of each other's webhooks", async () => {
    const doubtful: Answer = { statusCode: 500 };
    await using server = await startServer(doubtful, listOf(7), doubtful, listOf(7));
    const settings = { baseUrl: server.url, apiKey: "key", listing: "true", retrySeconds: "0" };
    const one = startProvider(settings);
    const two = startProvider(settings);
    await one.provider.diff("7", someState({ baseUrl: server.url }), someArgs(), one.notify);

    const ofOne = await errorOf(one.provider.create(someArgs(), one.notify));
    const ofTwo = await errorOf(two.provider.create(someArgs(), two.notify));

    // An address holds numbers too.
    const numbersIn = ({ message }: Error) => message.replace(/https?:\S+/g, "").match(/\b\d+\b/g);
    expect(numbersIn(ofOne)).not.toContain("7");
    expect(numbersIn(ofTwo)).toContain("7");
  });

  it("do not know of each other's adoptions", async () => {
    const settings = { baseUrl: "https://tables.example.com", apiKey: "key" };
    const one = startProvider(settings);
    const two = startProvider(settings);
    const adopting = someArgs({ adopt: { id: "17", secret } });
    await one.provider.create(adopting, one.notify);

    const ofTwo = await two.provider.create(adopting, two.notify);
    const again = await errorOf(one.provider.create(adopting, one.notify));

    expect(ofTwo.id).toBe("17");
    expect(again.message).toContain("17");
  });

  it("do not know that the other one refreshes", async () => {
    const settings = { baseUrl: "https://tables.example.com", apiKey: "key" };
    const one = startProvider(settings);
    const two = startProvider(settings);
    const news = someArgs({ url: "https://example.com/other" });
    await one.provider.read("17", someState(), one.notify);

    await one.provider.diff("17", someState(), news, one.notify);
    await two.provider.diff("17", someState(), news, two.notify);

    expect(one.lines).toEqual([]);
    expect(two.lines).toEqual([expect.stringMatching(/\burl\b/)]);
  });
});
