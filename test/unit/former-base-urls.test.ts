import { describe, expect, it } from "vitest";
import { delete as deleteWebhook, diff, read } from "../../src/dynamic/provider.ts";
import { errorBody, someArgs, someState } from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { startServer } from "../helpers/http-server.ts";
import { captureLines, configure } from "../helpers/provider.ts";

const former = "https://former.example.com/eu";
const state = someState({ baseUrl: former });

describe("a webhook that was created at a former base URL of the service", () => {
  it("is no difference", async () => {
    await configure({ formerBaseUrls: `https://older.example.com,${former}/` });

    const { result, lines } = await captureLines(() => diff("17", state, someArgs()));

    expect([result, lines]).toEqual([{ changes: false }, []]);
  });

  it("is replaced without the setting, and the line names both addresses and the way out", async () => {
    await configure();

    const { result, lines } = await captureLines(() => diff("17", state, someArgs()));

    expect(result).toEqual({ changes: true, replaces: ["baseUrl"] });
    expect(lines[0]).toContain(`from ${former} to https://tables.example.com`);
    expect(lines[0]).toContain("dbwebhooks:formerBaseUrls");
  });

  it("is deleted at today's base URL", async () => {
    await using server = await startServer({ body: { success: true } });
    await configure({ baseUrl: server.url, formerBaseUrls: former });

    await deleteWebhook("17", state);

    expect(server.requests).toMatchObject([
      { method: "DELETE", path: "/api/v1/bases/base_abc123/webhooks/17" },
    ]);
  });

  it("is gone when today's service does not have it", async () => {
    await using server = await startServer({ statusCode: 404, body: errorBody("NOT_FOUND") });
    await configure({ baseUrl: server.url, formerBaseUrls: former });

    const { lines } = await captureLines(() => deleteWebhook("17", state));

    expect(lines).toHaveLength(1);
  });

  it("is not gone when the address is no former one", async () => {
    await using server = await startServer({ statusCode: 404, body: errorBody("NOT_FOUND") });
    await configure({ formerBaseUrls: "https://another.example.com" });

    const error = await errorOf(deleteWebhook("17", someState({ baseUrl: server.url })));

    expect(error.message).toContain("404");
  });

  it("is looked up at today's base URL, and keeps its address", async () => {
    const listed = { id: 17, ...someArgs(), tableIds: null, active: true };
    await using server = await startServer({ body: { webhooks: [listed] } });
    await configure({ baseUrl: server.url, formerBaseUrls: former, listing: "true" });

    const { result, lines } = await captureLines(() => read("17", state));

    expect(server.requests).toHaveLength(1);
    expect(result).toMatchObject({ id: "17", props: { baseUrl: former } });
    expect(lines).toEqual([]);
  });
});
