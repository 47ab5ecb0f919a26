import { beforeEach, describe, expect, it } from "vitest";
import { read, update } from "../../src/dynamic/provider.ts";
import { secretEnvelope, someArgs, someState } from "../helpers/builders.ts";
import { startServer } from "../helpers/http-server.ts";
import { configure } from "../helpers/provider.ts";

beforeEach(() => configure());

describe("read", () => {
  it("returns the state as it is, with its secret marked", async () => {
    const state = someState({ tableId: "tbl_orders", ofAnotherVersion: [1] });

    const result = await read("17", state);

    expect(result).toStrictEqual({ id: "17", props: { ...state, secret: secretEnvelope } });
  });

  it("returns a state without a secret as it is", async () => {
    const { secret: _, ...state } = someState();

    const result = await read("17", state);

    expect(result).toStrictEqual({ id: "17", props: state });
  });

  it("needs no settings", async () => {
    await configure({ baseUrl: undefined, apiKey: undefined });

    const { id } = await read("17", someState());

    expect(id).toBe("17");
  });

  it("sends nothing", async () => {
    await using server = await startServer({});
    await configure({ baseUrl: server.url });

    await read("17", someState({ baseUrl: server.url }));

    expect(server.requests).toEqual([]);
  });
});

describe("update", () => {
  it("keeps the old outputs, with the secret marked", async () => {
    const olds = someState({ tableId: "tbl_orders" });

    const result = await update("17", olds, someArgs());

    expect(result).toStrictEqual({ outs: { ...olds, secret: secretEnvelope } });
  });

  it("takes over no argument that the service would have to know", async () => {
    const news = {
      databaseId: "b",
      url: "https://b.example",
      events: [],
      tableId: "t",
      secret: "s",
    };

    const result = await update("17", someState(), news);

    expect(result).toStrictEqual({ outs: { ...someState(), secret: secretEnvelope } });
  });

  it("takes over the arguments that stay here", async () => {
    const olds = someState({ allowInsecureUrl: true, allowUnknownEvents: true });

    const { outs } = await update("17", olds, someArgs({ allowInsecureUrl: false }));

    expect(outs).toStrictEqual({
      ...someState(),
      secret: secretEnvelope,
      allowInsecureUrl: false,
    });
  });

  it("takes over nothing that is not given", async () => {
    const { outs } = await update("17", someState(), someArgs({ allowInsecureUrl: undefined }));

    expect(outs).not.toHaveProperty("allowInsecureUrl");
  });

  it("sends nothing", async () => {
    await using server = await startServer({});
    await configure({ baseUrl: server.url });

    await update("17", someState({ baseUrl: server.url }), someArgs({ url: "https://b.example" }));

    expect(server.requests).toEqual([]);
  });
});
