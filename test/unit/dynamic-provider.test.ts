import { afterEach, describe, expect, it, vi } from "vitest";
import * as provider from "../../src/adapters/dynamic.js";
import {
  providerText,
  secret,
  secretEnvelope,
  someArgs,
  someState,
  unknownMarkers,
} from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { startServer } from "../helpers/http-server.js";
import { captureLines, configure } from "../helpers/provider.js";

// The dynamic adapter adds two things to the rules: Pulumi's types and the text of a dynamic provider.

afterEach(() => void vi.unstubAllEnvs());

const withText = (properties: object) => ({ ...properties, __provider: providerText });

describe("The dynamic provider's check", () => {
  it("returns the arguments without the text of the provider", async () => {
    await configure();
    const news = someArgs({ tableId: "t" });

    expect(await provider.check({}, withText(news))).toStrictEqual({ inputs: news });
  });

  it("takes arguments with a text alone for those of a new webhook", async () => {
    await configure();
    const adopt = { id: "17", secret };

    const { lines } = await captureLines(() =>
      provider.check(withText({}), withText(someArgs({ adopt }))),
    );

    expect(lines).toEqual([expect.stringMatching(/^(?!warning).*webhook 17 .*\n$/)]);
  });

  it("names no property in a failure, because Pulumi would print its value", async () => {
    await configure();

    const { failures } = await provider.check({}, someArgs({ url: "nowhere", tableId: 7 }));

    expect(failures).toEqual([
      { property: "", reason: expect.stringMatching(/^url: /) },
      { property: "", reason: expect.stringMatching(/^tableId: /) },
    ]);
  });

  it.each([
    ["wins over the stack's configuration", undefined, [expect.anything()]],
    ["yields to the arguments of an explicit provider", "true", undefined],
  ])("uses an environment that %s", async (_fact, isExplicit, failures) => {
    vi.stubEnv("DBWEBHOOKS_LISTING", "maybe");
    await configure({ listing: "true", isExplicit });

    expect((await provider.check({}, someArgs())).failures).toEqual(failures);
  });
});

describe("The dynamic provider's diff", () => {
  it("returns explicitly that nothing changes, whatever the text is", async () => {
    await configure();
    const news = { ...someArgs({ allowInsecureUrl: true }), __provider: "new" };

    expect(await provider.diff("17", someState(), news)).toStrictEqual({ changes: false });
  });

  it("returns the arguments that force a replacement, and writes a line", async () => {
    await configure();
    const news = someArgs({ url: unknownMarkers.string, tableId: "t" });

    const { result, lines } = await captureLines(() => provider.diff("17", someState(), news));

    expect(result).toStrictEqual({ changes: true, replaces: ["url", "tableId"] });
    expect(lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 .*\n$/)]);
  });
});

describe("The dynamic provider's create", () => {
  it("returns the arguments that were sent, the base URL and the secret", async () => {
    await using server = await startServer({ body: { id: 17, secret } });
    await configure({ baseUrl: server.url });

    expect(await provider.create(withText(someArgs({ allowInsecureUrl: true })))).toStrictEqual({
      id: "17",
      outs: { ...someArgs(), baseUrl: server.url, secret: secretEnvelope },
    });
  });

  it("adds the text to a partial creation, because Pulumi does not", async () => {
    await using server = await startServer({ body: { id: 17 } }, { statusCode: 403 });
    await configure({ baseUrl: server.url });

    const error = await errorOf(provider.create(withText(someArgs())));

    const properties = withText({ ...someArgs(), baseUrl: server.url });
    expect(error).toMatchObject({ id: "17", properties, reasons: [error.message] });
  });
});

describe("The dynamic provider's read, update and delete", () => {
  it("keep the state and wrap its secret, without settings and without a request", async () => {
    await configure({ baseUrl: undefined, apiKey: undefined });
    const state = someState({ ofAnotherVersion: [1] });
    const kept = { ...state, secret: secretEnvelope };

    expect(await provider.read("17", state)).toStrictEqual({ id: "17", props: kept });
    expect(await provider.update("17", state)).toStrictEqual({ outs: kept });
  });

  it("return no id for a webhook that is gone, and send a deletion", async () => {
    await using server = await startServer({ body: { webhooks: [] } }, { body: { success: true } });
    await configure({ baseUrl: server.url, listing: "true" });
    const state = someState({ baseUrl: server.url });

    const { result } = await captureLines(() => provider.read("17", state));
    await provider.delete("17", state);

    expect(result).toStrictEqual({ id: "", props: {} });
    expect(server.requests).toMatchObject([{ method: "GET" }, { method: "DELETE" }]);
  });
});
