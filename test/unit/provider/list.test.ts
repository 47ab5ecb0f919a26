import { describe, expect, it } from "vitest";
import type { DatabaseList } from "../../../src/provider/list.ts";
import type { StackResource, StackState } from "../../../src/provider/rules/exported-state.ts";
import { apiKey, errorBody, listed, listOf, someArgs } from "../../helpers/builders.ts";
import { errorOf } from "../../helpers/errors.ts";
import type { StubResponse } from "../../helpers/http-server.ts";
import { startProvider } from "../../helpers/provider.ts";
import { startWithService } from "../../helpers/provider-with-service.ts";

const { databaseId } = someArgs();
const elsewhere = "https://old.example.com";

function resource(id: string, baseUrl: string, inDatabase = databaseId): StackResource {
  const address = { baseUrl, databaseId: inDatabase, id };
  return { urn: `urn:${inDatabase}:${id}`, address, isPendingDeletion: false };
}

const stateOf = (
  resources: readonly StackResource[],
  pendingCreations: StackState["pendingCreations"] = [],
): StackState => ({ resources, pendingCreations });

/** How each webhook of a database is listed, and the resources that have it. */
const overview = (database: DatabaseList | undefined) =>
  database?.rows?.map(({ id, listed: webhook, holders }) => [
    id,
    typeof webhook === "string" ? webhook : "listed",
    ...holders.map(({ urn }) => urn),
  ]);

describe("A list of webhooks", () => {
  it("has the webhooks of a database, with their tables", async () => {
    const { list, requests } = await startWithService(
      listOf(
        listed({ id: 17 }),
        listed({ id: "18", tableIds: ["t1", "t2"], active: false }),
        listed({ id: 19, tableIds: undefined }),
      ),
    );

    const lists = await list({ databaseIds: [databaseId, databaseId] });

    const { url, events } = someArgs();
    expect(lists).toMatchObject([{ databaseId, isComplete: true }]);
    const [all, several, unknown] = lists[0]?.rows?.map((row) => row.listed) ?? [];
    expect(all).toMatchObject({ id: "17", url, events, tables: [], active: true });
    expect(several).toMatchObject({ id: "18", tables: ["t1", "t2"], active: false });
    expect(unknown).not.toHaveProperty("tables");
    expect(requests.map(({ path }) => path)).toEqual([`/eu/api/v1/bases/${databaseId}/webhooks`]);
  });

  it("has the resources of each webhook, and those whose webhook the service does not have", async () => {
    const { list, baseUrl } = await startWithService(
      listOf(listed({ id: 17 }), listed({ id: 18 })),
    );
    const orders = resource("17", baseUrl);
    const tasks = { ...orders, urn: "urn:tasks" };
    const lost = resource("20", baseUrl);

    const [database] = await list({ states: [stateOf([orders]), stateOf([tasks, lost])] });

    expect(overview(database)).toEqual([
      ["17", "listed", orders.urn, tasks.urn],
      ["18", "listed"],
      ["20", "missing", lost.urn],
    ]);
  });

  it("counts a resource at another base URL as the holder of its webhook, requests nothing for it, and never misses it", async () => {
    const { list, lines, methods } = await startWithService(listOf(listed({ id: 17 })));
    const [renamed, moved] = [resource("17", elsewhere), resource("20", elsewhere)];
    const other = resource("17", elsewhere, "base_other");

    const lists = await list({
      databaseIds: [databaseId],
      states: [stateOf([renamed, moved, other])],
    });

    expect(lists.map(overview)).toEqual([[["17", "listed", renamed.urn]]]);
    expect(lists[0]?.rows?.[0]?.holders).toMatchObject([{ isElsewhere: true }]);
    expect(methods()).toEqual(["GET"]);
    expect(lines).toEqual([expect.stringMatching(`warning: .* 3 webhooks .*${elsewhere}`)]);
  });

  it("says which creation was in flight, and lists its database", async () => {
    const { list, lines, methods } = await startWithService([listOf(), listOf()]);
    const pending = [
      { urn: "urn:orders", databaseId },
      { urn: "urn:hidden", databaseId: undefined },
    ];

    const lists = await list({ databaseIds: ["base_other"], states: [stateOf([], pending)] });

    expect(lists.map((one) => one.databaseId)).toEqual(["base_other", databaseId]);
    expect(methods()).toEqual(["GET", "GET"]);
    expect(lines).toEqual([
      expect.stringMatching(`warning: .*urn:orders in database ${databaseId} was in flight`),
      expect.stringMatching("warning: .*urn:hidden was in flight"),
    ]);
  });

  it.each<[string, StubResponse]>([
    ["further fields", { body: { webhooks: [listed({ id: 17 })], next: "page 2" } }],
    ["an age", { ...listOf(listed({ id: 17 })), headers: { age: "59" } }],
  ])("misses no webhook that a list with %s does not show", async (_part, response) => {
    const { list, baseUrl, lines } = await startWithService(response);

    const missing = resource("18", baseUrl);

    const [database] = await list({ states: [stateOf([missing])] });

    expect(database).toMatchObject({ isComplete: false });
    expect(overview(database)).toEqual([
      ["17", "listed"],
      ["18", "unknown", missing.urn],
    ]);
    expect(lines).toEqual([expect.stringMatching(`warning: .*part .* ${databaseId}\\b`)]);
  });

  it.each<[string, StubResponse, text: string]>([
    ["gets 401", { statusCode: 401, body: errorBody("UNAUTHORIZED") }, "401"],
    ["gets NOT_FOUND", { statusCode: 404, body: errorBody("NOT_FOUND") }, "databaseId"],
    ["is none", { body: { items: [] } }, "something other than a list"],
    ["has an error", { body: { webhooks: [], error: { code: "NO" } } }, "other than a list"],
    ["holds an odd entry", listOf(listed(), listed({ id: 18, active: 1 })), "unusable entry"],
    ["holds an id twice", listOf(listed(), listed()), "unusable entry"],
    ["holds a control character", listOf(listed({ url: "https://a.test/\u001b[2J" })), "unusable"],
  ])(
    "has an error in place of webhooks if it %s, and shows other databases",
    async (_case, response, text) => {
      const { list, baseUrl } = await startWithService([response, listOf(listed())]);
      const states = [stateOf([resource("18", baseUrl)])];

      const [failed, shown] = await list({ databaseIds: [databaseId, "base_other"], states });

      expect(failed?.rows).toBeUndefined();
      expect(failed?.error).toMatchObject({ kind: "unchanged" });
      expect(failed?.error?.message).toContain(text);
      expect(shown).toMatchObject({ databaseId: "base_other", rows: [{ id: "17" }] });
    },
  );

  it("fails without valid settings, whatever is to be listed", async () => {
    const { list } = startProvider({ apiKey: "", baseUrl: `https://a:${apiKey}@b.test` });

    const { message } = await errorOf(list({}));

    expect(message).toMatch(/baseUrl.*apiKey/);
    expect(message).not.toContain(apiKey);
  });
});
