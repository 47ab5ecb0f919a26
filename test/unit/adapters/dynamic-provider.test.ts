import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as provider from "../../../src/adapters/dynamic.ts";
import {
  listed,
  listOf,
  secret,
  someArgs,
  someProviderText,
  someState,
  wrapped,
} from "../../helpers/builders.ts";
import { errorOf, kindOf } from "../../helpers/errors.ts";
import { holdCreations } from "../../helpers/faults/faults.mts";
import { startServer } from "../../helpers/http-server.ts";
import { startService } from "../../helpers/local-service.ts";
import { configure } from "../../helpers/provider.ts";

// The dynamic adapter translates Pulumi's types, and removes or adds `__provider`, the serialized
// provider.

const withProviderText = (properties: object) => ({ ...properties, __provider: someProviderText });

describe("The dynamic provider's check", () => {
  it("returns the arguments without the serialized provider", async () => {
    await configure();
    const news = someArgs({ tableId: "t" });

    expect(await provider.check({}, withProviderText(news))).toStrictEqual({
      inputs: news,
      failures: [],
    });
  });

  it("names the property of a failure in the reason alone, because Pulumi would print its value", async () => {
    await configure();

    const { failures } = await provider.check({}, someArgs({ url: "nowhere", tableId: true }));

    expect(failures).toEqual([
      { property: "", reason: expect.stringMatching(/^url: /) },
      { property: "", reason: expect.stringMatching(/^tableId: /) },
    ]);
  });

  it("prefers a Provider's arguments to the environment, and that to the stack's configuration", async () => {
    vi.stubEnv("DBWEBHOOKS_LISTING", "not a flag");

    await configure({ listing: "true" });
    const { failures } = await provider.check({}, someArgs());
    await configure({ listing: "true", isExplicit: "true" });
    const { failures: explicitFailures } = await provider.check({}, someArgs());

    expect(failures).toHaveLength(1);
    expect(explicitFailures).toEqual([]);
  });
});

describe("The dynamic provider's diff", () => {
  it("returns no change when only allowInsecureUrl and the serialized provider differ", async () => {
    await configure();
    const news = { ...someArgs({ allowInsecureUrl: true }), __provider: "another version" };

    expect(await provider.diff("17", someState(), news)).toStrictEqual({ changes: false });
  });

  it("returns the arguments that force a replacement, and warns of it on stderr", async () => {
    await configure();
    const news = someArgs({ url: "https://example.com/other", tableId: "t" });

    const { result, lines } = await captureLines(() => provider.diff("17", someState(), news));

    expect(result).toStrictEqual({ changes: true, replaces: ["url", "tableId"] });
    expect(lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 .*\n$/)]);
  });
});

describe("The dynamic provider", () => {
  it("keeps the state and wraps its secret in a read and an update", async () => {
    await configure({});
    const state = someState({ propertyOfAnotherVersion: [1] });
    const stored = { ...state, secret: wrapped(secret) };

    expect(await provider.read("17", state)).toStrictEqual({ id: "17", props: stored });
    expect(await provider.update("17", state)).toStrictEqual({ outs: stored });
  });

  it("returns an empty id when it reads a webhook that is gone", async () => {
    await using server = await startServer(listOf(listed()));
    await configure({ baseUrl: server.url, listing: "true" });
    const state = someState({ baseUrl: server.url });

    const present = await provider.read("17", state);
    const { result: gone } = await captureLines(() => provider.read("18", state));

    expect(present.id).toBe("17");
    expect(gone).toStrictEqual({ id: "", props: {} });
  });
});

it("All providers of one process stop when a signal says that Pulumi stores nothing more", async () => {
  vi.resetModules();
  const module = await import("../../../src/adapters/dynamic.ts");
  const spies = [
    vi.spyOn(process, "exit").mockReturnValue(undefined as never),
    vi.spyOn(process.stderr, "write").mockReturnValue(true),
  ];
  onTestFinished(() => spies.forEach((spy) => void spy.mockRestore()));
  const listenersBefore = process.rawListeners("SIGINT");
  const service = await startService();
  const { committed, release } = holdCreations(service, 2);
  const config = { baseUrl: service.baseUrl, apiKey: service.apiKey };
  const get = (key: string) => config[key.replace("dbwebhooks:", "") as "baseUrl"];
  const configureProvider = () => module.configure({ config: { get, require: get } });
  await configureProvider();
  const first = errorOf(module.create(someArgs()));
  await committed;

  await configureProvider();
  for (const handler of process.rawListeners("SIGINT")) {
    if (!listenersBefore.includes(handler)) {
      handler("SIGINT");
    }
  }
  const second = await errorOf(module.create(someArgs()));
  release();

  expect([await first, second].map(kindOf)).toEqual(["undone", "notCreated"]);
  expect(service.webhooks).toEqual([]);
});

/** Returns the lines that `run` writes for the user, and its result. */
async function captureLines<Result>(run: () => Promise<Result>) {
  using write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const result = await run();
  return { lines: write.mock.calls.map(([line]) => String(line)), result };
}
