import { describe, expect, it } from "vitest";
import { secret, someArgs } from "../helpers/builders.js";
import { startProvider } from "../helpers/provider.js";
import { startWithService } from "../helpers/provider-with-service.js";

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
