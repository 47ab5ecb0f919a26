import { describe, expect, it } from "vitest";
import { errorBody, listed, listOf, someState } from "../helpers/builders.js";
import { startServer } from "../helpers/http-server.js";
import { startProvider } from "../helpers/provider.js";

// Nothing is sent there, so it may be without encryption.
const former = "http://former.example.com/eu";
const state = someState({ baseUrl: former });

describe("a webhook that was created at a former base URL of the service", () => {
  it.each([
    ["is deleted at today's", { body: { success: true } }, 0],
    [
      "is gone when today's service does not have it",
      { statusCode: 404, body: errorBody("NOT_FOUND") },
      1,
    ],
  ])("%s", async (_case, answer, warnings) => {
    await using server = await startServer(answer);
    const run = startProvider({
      baseUrl: server.url,
      formerBaseUrls: `https://a.example,${former}/`,
    });

    await run.delete("17", state);

    expect(server.requests).toMatchObject([
      { method: "DELETE", path: "/api/v1/bases/base_abc123/webhooks/17" },
    ]);
    expect(run.lines).toHaveLength(warnings);
  });

  it("is looked up at today's, and keeps its address", async () => {
    await using server = await startServer(listOf(listed()));
    const { read, lines } = startProvider({
      baseUrl: server.url,
      formerBaseUrls: former,
      listing: "true",
    });

    expect(await read("17", state)).toMatchObject({ id: "17", properties: { baseUrl: former } });
    expect(server.requests).toHaveLength(1);
    expect(lines).toEqual([]);
  });
});
