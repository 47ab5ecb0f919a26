import { describe, expect, it } from "vitest";
import { nestedBody, secret, someArgs, wrapped } from "../../helpers/builders.ts";
import { errorOf } from "../../helpers/errors.ts";
import { startWithService } from "../../helpers/provider-with-service.ts";

const events = ["record.created", "record.updated"];
const described = { ...someArgs(), events: events.toReversed(), secret };
const lineOf = (id: number) => expect.stringMatching(`^info: .*webhook ${id} .*DBWEBHOOKS_IMPORT `);

/** Starts a provider with this value of `DBWEBHOOKS_IMPORT`: a text, or an object as JSON. */
async function startImport(given: object | string | undefined, settings = {}) {
  const text = typeof given === "object" ? JSON.stringify(given) : given;
  const environment = { DBWEBHOOKS_IMPORT: text };
  return startWithService([], { listing: "true", ...settings }, { environment });
}

describe("An import", () => {
  it.each([{ listing: undefined }, { listing: "false" }, { listing: "true" }])(
    "sends nothing, says so, and returns what the variable describes, with %j",
    async (settings) => {
      const provider = await startImport({ 17: { ...described, tableId: "tbl_1" } }, settings);
      const { url } = described;
      const inputs = { ...someArgs(), url: wrapped(url), events, tableId: "tbl_1" };

      expect(await provider.import("17")).toStrictEqual({
        inputs,
        props: { ...inputs, baseUrl: provider.baseUrl, secret: wrapped(secret) },
      });
      expect(provider.requests).toEqual([]);
      expect(provider.lines).toEqual([lineOf(17)]);
    },
  );

  it("says once for each resource that another one may have the webhook: Pulumi reads it twice", async () => {
    const { import: importWebhook, lines } = await startImport({ 17: described, 18: described });

    for (const id of ["17", "17", "18"]) {
      await importWebhook(id, { urn: "urn:a" });
    }
    await importWebhook("17", { urn: "urn:b" });

    expect(lines).toEqual([lineOf(17), lineOf(18), lineOf(17)]);
  });

  it("ignores a byte order mark in front of the variable, which some editors write", async () => {
    const provider = await startImport(`\ufeff${JSON.stringify({ 17: described })}`);

    expect((await provider.import("17")).props.secret).toEqual(wrapped(secret));
  });

  it("keeps white space around the secret, which may belong to it", async () => {
    const provider = await startImport({ 17: { ...described, secret: ` ${secret} ` } });

    expect((await provider.import("17")).props.secret).toEqual(wrapped(` ${secret} `));
  });

  it("takes the webhook of its id among several", async () => {
    const provider = await startImport({
      17: { ...described, secret: "secret-a" },
      18: { ...described, databaseId: "base_other", secret: "secret-b" },
    });

    expect((await provider.import("17")).props.secret).toEqual(wrapped("secret-a"));
    expect((await provider.import("18")).props).toMatchObject({ databaseId: "base_other" });
  });

  it("looks an id up as text, because two large numbers can be the same one in JavaScript", async () => {
    const provider = await startImport({ "9007199254740992": described });

    const error = await errorOf(provider.import("9007199254740993"));

    expect(error).toMatchObject({ kind: "unchanged" });
  });

  it("takes null as a tableId that is not given", async () => {
    const provider = await startImport({ 17: { ...described, tableId: null } });

    const { inputs, props } = await provider.import("17");

    expect([inputs, props].map((one) => "tableId" in one)).toEqual([false, false]);
  });

  it("may need the arguments that allow other events and urls, and then is no difference", async () => {
    const flags = { allowUnknownEvents: true, allowInsecureUrl: true };
    const odd = { ...described, ...flags, url: "http://a.example", events: ["no.event"] };
    const provider = await startImport({ 17: odd });
    const { secret: _, ...declared } = odd;

    const { inputs, props } = await provider.import("17");

    expect(inputs).toMatchObject(flags);
    // Pulumi passes secrets to the provider unwrapped.
    const state = { ...props, url: odd.url, secret };
    expect(await provider.diff("17", state, declared)).toMatchObject({ changes: false });
  });

  it.each<[string, given: object | string | undefined, place: string]>([
    ["is missing", undefined, ""],
    ["is a list", [secret], ""],
    ["is JSON that is cut off", `{"17":{"secret":"${secret}"`, ""],
    ["has another webhook", { 18: described }, ""],
    ["has only the secret", { 17: secret }, ""],
    ["has no secret", { 17: { ...described, secret: null } }, "secret: "],
    ["has a line break", { 17: { ...described, secret: `${secret}\n` } }, "secret: "],
    ["has no database", { 17: { ...described, databaseId: undefined } }, "databaseId: "],
    ["has an unencrypted url", { 17: { ...described, url: "http://a.example" } }, "url: "],
    ["has an unknown event", { 17: { ...described, events: ["no.event"] } }, "events\\[0\\]: "],
    ["has an unknown name", { 17: { ...described, [secret]: 1 } }, ""],
    [
      "has nested arrays as a flag",
      JSON.stringify({ 17: { ...described, allowInsecureUrl: "…" } }).replace('"…"', nestedBody),
      "allowInsecureUrl: ",
    ],
  ])("is refused, and repeats nothing of the variable, if it %s", async (_case, given, place) => {
    const { import: importWebhook, requests } = await startImport(given);

    const error = await errorOf(importWebhook("17"));

    expect(error).toMatchObject({ kind: "unchanged" });
    expect(error.message).toMatch(new RegExp(`DBWEBHOOKS_IMPORT .*${place}`));
    for (const text of [secret, "a.example", "no.event", "path-token"]) {
      expect(error.message).not.toContain(text);
    }
    expect(requests).toEqual([]);
  });

  it.each(["base_abc123/17", "017", "orders", "", "1e3"])(
    "is refused if its id is not that of a webhook: %j",
    async (id) => {
      const { import: importWebhook } = await startImport({ [id]: described });

      const error = await errorOf(importWebhook(id));

      expect(error).toMatchObject({ kind: "unchanged" });
    },
  );

  it("repeats no secret that is given as the id or as the database", async () => {
    const swapped = { ...described, databaseId: secret, secret: "base_abc123" };
    const { import: importWebhook, lines } = await startImport({ 17: swapped });

    const error = await errorOf(importWebhook(secret));
    await importWebhook("17");

    expect(error).toMatchObject({ kind: "unchanged" });
    expect([error.message, ...lines].join()).not.toContain(secret);
    expect(lines).toHaveLength(1);
  });

  it("refuses the form that its message shows, because its secret is empty", async () => {
    const { message } = await errorOf((await startImport(undefined)).import("42"));
    const [form] = /\{"42".*\}\}/.exec(message) ?? [];
    const { import: importWebhook } = await startImport(form?.replace("https://…", described.url));

    const error = await errorOf(importWebhook("42"));

    expect(error.message).toMatch(/describe it: secret: is not a non-empty string\. /);
  });

  it("is refused if a setting is missing", async () => {
    const provider = await startImport({ 17: described }, { apiKey: undefined });

    await expect(provider.import("17")).rejects.toMatchObject({ kind: "unchanged" });
  });
});
