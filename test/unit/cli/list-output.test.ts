import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DatabaseList, Holder, WebhookRow } from "../../../src/cli/webhooks/comparison.ts";
import { describeUnmanaged, writeImportFiles } from "../../../src/cli/webhooks/import-files.ts";
import { jsonOf } from "../../../src/cli/webhooks/list-json.ts";
import { tableOf } from "../../../src/cli/webhooks/list-table.ts";
import type { GivenState } from "../../../src/cli/webhooks/states.ts";
import { readDescribedWebhook } from "../../../src/provider/rules/import-variable.ts";
import { secret, someArgs } from "../../helpers/builders.ts";
import { succeed } from "../../helpers/commands.ts";
import { withDirectory } from "../../helpers/directory.ts";

const { databaseId, url, events } = someArgs();
const urn = "urn:pulumi:dev::shop::dbwebhooks:index:Webhook::orders";
const baseUrl = "https://tables.example.com";
const state: GivenState = {
  name: "stack dev",
  isSaved: false,
  changedAt: undefined,
  resources: [],
  pendingCreations: [],
};
const holder: Holder = {
  urn,
  address: { baseUrl, databaseId, id: "17" },
  isPendingDeletion: false,
  isElsewhere: false,
  state,
};
const pending = { ...holder, isPendingDeletion: true };

function row(id: string, changes: object = {}, ...holders: readonly Holder[]): WebhookRow {
  const listed = { id, url, events, tables: [], active: true, ...changes };
  return { id, listed, holders, formerHolders: holders, isUnmanaged: holders.length === 0 };
}

/** A webhook that a given state may have, although no resource has it. */
const uncertain = (id: string): WebhookRow => ({ ...row(id), isUnmanaged: false });

function listWith(...webhooks: readonly WebhookRow[]): DatabaseList<WebhookRow> {
  return { databaseId, isComplete: true, webhooks };
}

const failedList = { databaseId: "base_other", error: "It failed." };
const lists: readonly DatabaseList<WebhookRow>[] = [
  {
    databaseId,
    isComplete: false,
    webhooks: [
      row("17", { tables: ["tbl_orders"] }, holder, pending),
      row("18", { tables: ["a", "b"], active: false }),
      row("19", { tables: undefined, url: `https://example.com/${"x".repeat(80)}` }),
      row("20", {}, { ...holder, isElsewhere: true }),
      { ...row("21", {}, pending), listed: "missing" },
      { ...row("22", {}, holder), listed: "unknown" },
      uncertain("23"),
    ],
  },
  failedList,
];

describe("The table", () => {
  it("has the webhooks, and the resources that have them", () => {
    const lines = tableOf(lists, true).trimEnd().split("\n");

    const text = events.join(",");
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ["DATABASE", "ID", "URL", "EVENTS", "TABLE", "ACTIVE", "RESOURCE"],
      [databaseId, "17", url, text, "tbl_orders", "on", `${urn}, ${urn} (pending deletion)`],
      [databaseId, "18", url, text, "a,b", "off", "-"],
      [databaseId, "19", expect.stringMatching(/x{80}$/), text, "?", "on", "-"],
      [databaseId, "20", url, text, "all", "on", `${urn} (at ${baseUrl})`],
      [databaseId, "21", "not listed", `${urn} (pending deletion)`],
      [databaseId, "22", expect.stringMatching("unknown"), urn],
      [databaseId, "23", url, text, "all", "on", "?"],
    ]);
    // A long URL moves no other row.
    expect(lines[0]?.indexOf("EVENTS")).toBe(lines[1]?.indexOf(text));
    for (const line of [lines[1], lines[5], lines[6]]) {
      expect(line?.indexOf(urn)).toBe(lines[0]?.indexOf("RESOURCE"));
    }
  });

  it("says both of a resource whose deletion is pending at another base URL", () => {
    const text = tableOf([listWith(row("17", {}, { ...pending, isElsewhere: true }))], true);

    expect(text).toContain(`${urn} (pending deletion) (at ${baseUrl})`);
  });

  it("is empty if no list could be read, and has a head if a list is empty", () => {
    expect(tableOf([failedList], true)).toBe("");
    expect(tableOf([failedList, listWith()], true)).toMatch(/^DATABASE .*\n$/);
  });

  it("has - for no webhook that a resource has, and all for no webhook of a table", () => {
    const text = tableOf([listWith(row("17", { tables: [""] }, { ...holder, urn: "" }))], true);

    expect(text).not.toMatch(/ (-|all)\b/);
  });

  it("has room for very many rows", () => {
    const rows = Array.from({ length: 150_000 }, (_, at) => row(String(at)));

    const text = tableOf([{ databaseId, isComplete: true, webhooks: rows }], true);

    expect(text).toMatch(/ 149999 /);
  });

  it("says nothing about resources without a state", () => {
    const [head = "", line = ""] = tableOf([listWith(row("17"))], false).split("\n");

    expect(head).toMatch(/ACTIVE$/);
    expect(line).toMatch(/ all +on$/);
  });
});

describe("The JSON", () => {
  const shown = { status: "listed", url, events, active: true };

  it("has ids as text, tables where they are known, resources and errors", () => {
    const kept = { urn, baseUrl, isElsewhere: false, isPendingDeletion: false };
    const deleted = { ...kept, isPendingDeletion: true };
    const held = { isUnmanaged: false };
    const free = { resources: [], isUnmanaged: true };
    const states = ["stack dev", "old.json"].map((name, at): GivenState => {
      const pendingCreations = [
        { urn: `${urn}${at}`, databaseId: at === 0 ? databaseId : undefined },
      ];
      return { ...state, name, pendingCreations };
    });
    const { address } = holder;
    const elsewhere = { ...state, resources: [{ urn, address, isPendingDeletion: true }] };

    const readings = { before: states, after: [...states, elsewhere] };
    const content = jsonOf(lists, readings, { baseUrl: "https://new.example.com" });

    expect(JSON.parse(content)).toEqual({
      databases: [
        {
          databaseId,
          isComplete: false,
          webhooks: [
            { ...shown, id: "17", tables: ["tbl_orders"], resources: [kept, deleted], ...held },
            { ...shown, id: "18", tables: ["a", "b"], active: false, ...free },
            { ...shown, id: "19", url: expect.any(String), ...free },
            {
              ...shown,
              id: "20",
              tables: [],
              resources: [{ ...kept, isElsewhere: true }],
              ...held,
            },
            { id: "21", status: "missing", resources: [deleted], ...held },
            { id: "22", status: "unknown", resources: [kept], ...held },
            { ...shown, id: "23", tables: [], resources: [], ...held },
          ],
        },
        { databaseId: "base_other", error: "It failed." },
      ],
      pendingCreations: [
        { state: "stack dev", urn: `${urn}0`, databaseId },
        { state: "old.json", urn: `${urn}1` },
      ],
      resourcesElsewhere: [
        { ...deleted, isElsewhere: true, state: "stack dev", databaseId, id: "17" },
      ],
    });
  });

  it("says nothing about resources without a state", () => {
    const part = { ...listWith(row("17")), isComplete: false };

    expect(JSON.parse(jsonOf([part], { before: [], after: [] }, { baseUrl }))).toEqual({
      databases: [
        { databaseId, isComplete: false, webhooks: [{ ...shown, id: "17", tables: [] }] },
      ],
    });
  });
});

describe("The descriptions for an import", () => {
  const described = { databaseId, url, events, secret: "" };

  it("hold the webhooks that no resource has, and say which ones they leave out", () => {
    const { byId, remarks, leftOut } = describeUnmanaged([
      listWith(
        row("17", {}, holder),
        row("27", {}, { ...holder, isElsewhere: true }),
        row("37", {}, pending),
        row("18", { tables: ["tbl_orders"] }),
        row("19"),
        row("20", { tables: ["a", "b"] }),
        row("21", { events: [] }),
        { ...row("22", {}, holder), listed: "missing" },
        uncertain("24"),
      ),
      { ...listWith(row("18"), row("23", { active: false })), databaseId: "base_other" },
    ]);

    expect(byId).toEqual({
      18: { ...described, tableId: "tbl_orders" },
      19: described,
      23: { ...described, databaseId: "base_other" },
    });
    expect(remarks).toEqual([expect.stringMatching(/webhook 23 of .*switched off/)]);
    expect(leftOut).toEqual([
      expect.stringMatching(/webhook 20 of .*several tables/),
      expect.stringMatching(/webhook 21 of .*events: must name at least one/),
      expect.stringMatching(/webhook 24 of .*about to have it/),
      expect.stringMatching("Left out 1 more"),
    ]);
  });

  it.each([
    ["an insecure url", { url: "http://example.com/" }, ["allowInsecureUrl"]],
    ["an unknown event", { events: ["no.event"] }, ["allowUnknownEvents"]],
    [
      "both",
      { url: "http://example.com/", events: ["no.event"] },
      ["allowUnknownEvents", "allowInsecureUrl"],
    ],
  ])(
    "allow what an import refuses, and say what the program must declare: %s",
    (_, changes, allowed) => {
      const { byId, remarks } = describeUnmanaged([listWith(row("18", changes))]);

      const flags = Object.fromEntries(allowed.map((name) => [name, true]));
      expect(byId).toEqual({ 18: { ...described, ...changes, ...flags } });
      expect(remarks).toEqual([
        expect.stringMatching(`webhook 18 .* ${allowed.join(" and ")} set to true`),
      ]);
    },
  );

  it.each([
    ["the secret", { tables: [] }, {}, "secret: "],
    ["the table", { tables: undefined }, { secret }, "tableId: "],
    ["nothing", { tables: ["tbl_orders"] }, { secret }, undefined],
    ["nothing of what it allows", { url: "http://example.com/" }, { secret }, undefined],
  ])("are refused by an import that lacks %s", (_, changes, given, problem) => {
    const { byId } = describeUnmanaged([listWith(row("18", changes))]);

    const read = readDescribedWebhook("18", JSON.stringify({ 18: { ...byId["18"], ...given } }));

    expect("problem" in read ? read.problem : undefined).toEqual(
      problem && expect.stringContaining(problem),
    );
  });
});

describe("The files of an import", () => {
  const files = ["webhooks.json", "import.json"] as const;

  it("are for their user alone, and have a next command that a shell can read", () =>
    withDirectory(async (root) => {
      const directory = join(root, "it's new");
      const webhooks = [listWith(row("18", { tables: undefined }), row("19"))];

      const { text, isComplete } = await writeImportFiles(webhooks, directory);

      const [webhooksFile, importFile] = files.map((name) => join(directory, name)) as [
        string,
        string,
      ];
      const modes = [webhooksFile, importFile].map(async (file) => (await stat(file)).mode & 0o777);
      expect(await Promise.all(modes)).toEqual([0o600, 0o600]);
      expect(JSON.parse(await readFile(importFile, "utf8"))).toEqual({
        resources: ["18", "19"].map((id) => {
          return { type: "dbwebhooks:index:Webhook", name: `webhook-${databaseId}-${id}`, id };
        }),
      });
      const [, command = ""] = /DBWEBHOOKS_IMPORT="\$\((.+)\)" pulumi/.exec(text) ?? [];
      const { stdout } = await succeed("bash", ["-c", command], { directory: root });
      expect(stdout).toBe(await readFile(webhooksFile, "utf8"));
      expect(text).toContain('"tableId"');
      expect(text).toMatch(/ --generate-code=false\n$/);
      expect(isComplete).toBe(true);
    }));

  it.each(files)("are not written where %s exists", (name) =>
    withDirectory(async (directory) => {
      await writeFile(join(directory, name), secret);

      await expect(writeImportFiles([listWith(row("18"))], directory)).rejects.toThrow(
        new RegExp(`${name}: file already exists. No file`),
      );

      expect(await readFile(join(directory, name), "utf8")).toBe(secret);
      const other = files.find((one) => one !== name) ?? "";
      await expect(stat(join(directory, other))).rejects.toThrow("ENOENT");
    }),
  );

  it.each([
    ["of ASCII", "", 300],
    ["of characters with two bytes", "ä".repeat(200), 100],
  ])("fit into a variable, and leave the rest for the next import: %s", (_, path, least) =>
    withDirectory(async (directory) => {
      const changes = { url: url + path };
      const rows = Array.from({ length: 1_000 }, (_, at) => row(String(at), changes));

      const { text, isComplete } = await writeImportFiles([listWith(...rows)], directory);

      const withSecrets = (await readFile(join(directory, "webhooks.json"), "utf8")).replaceAll(
        '"secret": ""',
        `"secret": "${"a".repeat(64)}"`,
      );
      const environment = { DBWEBHOOKS_IMPORT: withSecrets };
      await succeed("bash", ["-c", "true"], { directory, environment });
      const count = Object.keys(JSON.parse(withSecrets)).length;
      expect(count).toBeGreaterThan(least);
      expect(text).toContain(`Left out ${1_000 - count} more`);
      expect(isComplete).toBe(false);
    }),
  );

  it("leave out a webhook for which no variable has room, and say so", () =>
    withDirectory(async (directory) => {
      const large = Array.from({ length: 70 }, (_, at) => `${at}${"x".repeat(2_000)}`);

      const webhooks = [listWith(row("18", { events: large }))];
      const { text, isComplete } = await writeImportFiles(webhooks, directory);

      expect(text).toMatch(/Left out webhook 18 .* no room .*no file was written/s);
      expect(isComplete).toBe(false);
    }));

  it("are not written where the directory cannot be made", () =>
    withDirectory(async (root) => {
      const writing = writeImportFiles([listWith(row("18"))], join(root, "no/such"));

      await expect(writing).rejects.toThrow(/no\/such: no such file or directory. No file/);
    }));

  it("are not written without a webhook", () =>
    withDirectory(async (root) => {
      const directory = join(root, "import");

      const webhooks = [listWith(row("17", {}, holder))];
      const { text, isComplete } = await writeImportFiles(webhooks, directory);

      expect(text).toContain("no file was written");
      expect(isComplete).toBe(true);
      await expect(stat(directory)).rejects.toThrow("ENOENT");
    }));
});
