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
  it("ignores the text of the provider among old and new arguments", async () => {
    await configure();
    const news = someArgs({ tableId: "t" });

    const checked = await provider.check(withText(news), withText(news));

    expect(checked).toStrictEqual({ inputs: news });
  });

  it("names no property in a failure, because Pulumi would print its value", async () => {
    await configure();

    const { failures } = await provider.check({}, someArgs({ url: "nowhere", tableId: 7 }));

    expect(failures).toEqual([
      { property: "", reason: expect.stringMatching(/^url: /) },
      { property: "", reason: expect.stringMatching(/^tableId: /) },
    ]);
  });

  it("lets the arguments of an explicit provider take precedence over the environment", async () => {
    vi.stubEnv("DBWEBHOOKS_LISTING", "maybe");
    const failuresFor = async (isExplicit?: string) => {
      await configure({ listing: "true", isExplicit });
      return (await provider.check({}, someArgs())).failures;
    };

    expect(await failuresFor("true")).toBeUndefined();
    expect(await failuresFor()).toHaveLength(1);
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
    expect(lines).toEqual([expect.stringMatching(/^warning: Replacing webhook 17 .*\n$/)]);
  });
});

describe("The dynamic provider's create", () => {
  it("stores the arguments that were sent, the base URL and the secret", async () => {
    await using server = await startServer({ body: { id: 17, secret, active: true } });
    await configure({ baseUrl: server.url });
    const args = withText(
      someArgs({ tableId: "t", allowInsecureUrl: true, allowUnknownEvents: false }),
    );

    expect(await provider.create(args)).toStrictEqual({
      id: "17",
      outs: { ...someArgs({ tableId: "t" }), baseUrl: server.url, secret: secretEnvelope },
    });
  });

  it("adds the text to a partial creation, because Pulumi does not", async () => {
    await using server = await startServer({ body: { id: 17 } }, { statusCode: 403 });
    await configure({ baseUrl: server.url });

    const error = await errorOf(provider.create(withText(someArgs())));

    expect(error).toMatchObject({
      id: "17",
      properties: { ...someArgs(), baseUrl: server.url, __provider: providerText },
      reasons: [error.message],
    });
  });
});

describe("The dynamic provider's read, update and delete", () => {
  const state = someState({ tableId: "t", ofAnotherVersion: [1] });

  it("keep the state and wrap its secret, without settings and without a request", async () => {
    await configure({ baseUrl: undefined, apiKey: undefined });
    const kept = { ...state, secret: secretEnvelope };
    const { secret: _, ...withoutSecret } = state;

    expect(await provider.read("17", state)).toStrictEqual({ id: "17", props: kept });
    expect(await provider.read("17", withoutSecret)).toStrictEqual({
      id: "17",
      props: withoutSecret,
    });
    expect(await provider.update("17", state)).toStrictEqual({ outs: kept });
  });

  it("return no id for a webhook that is gone, and send a deletion", async () => {
    await using server = await startServer({ body: { webhooks: [] } }, { body: { success: true } });
    await configure({ baseUrl: server.url, listing: "true" });
    const webhook = { ...state, baseUrl: server.url };

    const { result } = await captureLines(() => provider.read("17", webhook));
    await provider.delete("17", webhook);

    expect(result).toStrictEqual({ id: "", props: {} });
    expect(server.requests.map(({ method }) => method)).toEqual(["GET", "DELETE"]);
  });
});
