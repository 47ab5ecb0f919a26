import { describe, expect, it } from "vitest";
import { listed, listOf, nestedBody, secret, someArgs, wrapped } from "../helpers/builders.ts";
import { errorOf } from "../helpers/errors.ts";
import type { StubResponse } from "../helpers/http-server.ts";
import { startWithService } from "../helpers/provider-with-service.ts";

const databaseId = "base_abc123";
const { url } = someArgs();
const secrets = JSON.stringify({ [`${databaseId}/17`]: secret, [`${databaseId}/18`]: secret });
const events = ["record.created", "record.updated"];
const nestedFlags = `{"${databaseId}/17":{"secret":"${secret}","url":"http://a.example","events":["a"],"allowUnknownEvents":${nestedBody},"allowInsecureUrl":${nestedBody}}}`;
const lineOf = (id: number) =>
  expect.stringMatching(`^info: (?!.*DBWEBHOOKS_IMPORT_SECRET).*webhook ${id} `);
const twoWebhooks = listOf(listed({ id: 18, url: "https://b.example" }), listed());

/**
 * Starts a provider with a text in `DBWEBHOOKS_IMPORT_SECRET`, and a service that returns a list.
 */
async function startImport(importSecret?: string, list = twoWebhooks, changes = {}) {
  const environment = { DBWEBHOOKS_IMPORT_SECRET: importSecret };
  const settings = { listing: "true", ...changes };
  const provider = await startWithService(list, settings, { environment });
  const importWebhook = (id = "17", urn = "urn:a") => provider.import(id, databaseId, { urn });
  return { ...provider, importWebhook };
}

describe("An import", () => {
  it("reads the webhook from the list, with its url and its secret wrapped", async () => {
    const { importWebhook, baseUrl, methods, lines } = await startImport(secrets);
    const inputs = { databaseId, url: wrapped(url), events };

    expect(await importWebhook()).toStrictEqual({
      id: "17",
      inputs,
      props: { ...inputs, baseUrl, secret: wrapped(secret) },
    });
    expect(methods()).toEqual(["GET"]);
    expect(lines).toEqual([lineOf(17)]);
  });

  it("says once for each resource that another one may have the webhook: Pulumi reads it twice", async () => {
    const { importWebhook, lines } = await startImport(secrets);

    for (const id of ["17", "17", "18"]) await importWebhook(id);
    await importWebhook("17", "urn:b");

    expect(lines).toEqual([lineOf(17), lineOf(18), lineOf(17)]);
  });

  it.each<[entry: object, args: object]>([
    [{ tableIds: ["tbl_1"] }, { tableId: "tbl_1" }],
    [{ tableIds: [] }, {}],
    [{ url: "http://a.example" }, { url: "http://a.example", allowInsecureUrl: true }],
    [{ url: "http://127.0.0.1:1" }, { url: "http://127.0.0.1:1" }],
    [{ events: ["z", ...events] }, { events: [...events, "z"], allowUnknownEvents: true }],
  ])("of a webhook with %j returns arguments with %j", async (entry, args) => {
    const list = listOf({ id: "odd" }, listed(entry));
    const { importWebhook, check, diff } = await startImport(secrets, list);
    const declared = someArgs({ ...args });

    const { inputs, props } = await importWebhook();

    expect(inputs).toEqual({ ...declared, url: wrapped(declared.url) });
    expect((await check(declared)).failures).toEqual([]);
    // Pulumi passes secrets to the provider unwrapped.
    const state = { ...props, url: declared.url, secret };
    expect(await diff("17", state, declared)).toMatchObject({ changes: false });
  });

  it("takes the secrets of several webhooks from one JSON object", async () => {
    const secrets = { [`${databaseId}/17`]: "whsec_a", [`${databaseId}/18`]: "whsec_b" };
    const { importWebhook } = await startImport(` ${JSON.stringify(secrets)}\n`);

    expect((await importWebhook("17")).props.secret).toEqual(wrapped("whsec_a"));
    expect((await importWebhook("18")).props.secret).toEqual(wrapped("whsec_b"));
  });

  it.each([
    ["is missing", undefined, "is not set"],
    ["is null", "null", "is not a JSON object"],
    ["is a list", `["${secret}"]`, "is not a JSON object"],
    ["is JSON that is cut off", `{"base_abc123/17":"${secret}"`, "is not a JSON object"],
    ["is a cut-off list after a line break", `\n ["${secret}`, "is not a JSON object"],
    ["is a bare secret", secret, "is not a JSON object"],
    ["has surrounding white space", `{"base_abc123/17":" ${secret}"}`, "no usable secret"],
    ["is false", '{"base_abc123/17":false}', "no usable secret"],
    ["is the name of the webhook", `{"${secret}":"base_abc123/17"}`, "no usable secret"],
    ["is nested arrays", nestedBody, "is not a JSON object"],
    ["has nested arrays as flags", nestedFlags, "allowInsecureUrl: must be true or false"],
    ["is an object without the webhook", `{"base_abc123/18":"${secret}"}`, "no usable secret"],
  ])("sends nothing when the secret in the environment %s", async (_case, importSecret, reason) => {
    const { importWebhook, requests } = await startImport(importSecret);

    const error = await errorOf(importWebhook());

    expect(error).toMatchObject({ kind: "unchanged" });
    expect(error.message).toMatch(new RegExp(`DBWEBHOOKS_IMPORT_SECRET .*${reason}`));
    expect(error.message).not.toContain(secret);
    expect(requests).toEqual([]);
  });

  it.each<[string, settings: object]>([
    ["listing is off", { listing: "false" }],
    ["a setting is missing", { apiKey: undefined }],
  ])("sends nothing, and does not ask for a secret that is set, when %s", async (_, settings) => {
    const { importWebhook, requests } = await startImport(secrets, twoWebhooks, settings);

    const error = await errorOf(importWebhook());

    expect(error).toMatchObject({ kind: "unchanged" });
    expect(error.message).not.toContain("Set DBWEBHOOKS_IMPORT_SECRET");
    expect(requests).toEqual([]);
  });

  it.each([{ listing: undefined }, { listing: "false" }])(
    "sends nothing, and names the variables of both listing and the secret, with %j and no secret",
    async (settings) => {
      const { importWebhook, requests } = await startImport(undefined, twoWebhooks, settings);

      const { message } = await errorOf(importWebhook());

      expect(message).toMatch(/DBWEBHOOKS_LISTING=true.*DBWEBHOOKS_IMPORT_SECRET/);
      expect(requests).toEqual([]);
    },
  );

  it.each<[string, list: StubResponse]>([
    ["holds only an odd entry for it", listOf(listed({ events: ["\n"] }))],
    ["is incomplete", { body: { webhooks: [], next: 1 } }],
    ["cannot be read", { statusCode: 403 }],
    ["holds the webhook with several tables", listOf(listed({ tableIds: ["a", "b"] }))],
  ])("fails when the list %s", async (_case, list) => {
    const { importWebhook, methods } = await startImport(secrets, list);

    await expect(importWebhook()).rejects.toMatchObject({ kind: "unchanged" });
    expect(methods()).toEqual(["GET"]);
  });

  it("says where the service does not list the webhook", async () => {
    const { importWebhook, baseUrl } = await startImport(secrets, listOf());

    const error = await errorOf(importWebhook());

    expect(error).toMatchObject({ kind: "unchanged" });
    expect(error.message).toContain(`the service at ${baseUrl} does not list it`);
  });

  it("uses no list that a refresh has requested before it", async () => {
    const environment = { DBWEBHOOKS_IMPORT_SECRET: secrets };
    const lists = [listOf(), listOf(listed())];
    const run = await startWithService(lists, { listing: "true" }, { environment });
    await run.read("99", run.state);

    expect(await run.import("17", databaseId)).toMatchObject({ id: "17" });
  });
});

describe("An import of a webhook that DBWEBHOOKS_IMPORT_SECRET describes", () => {
  const key = `${databaseId}/17`;
  const described = { secret, url, events: ["record.updated", "record.created"] };
  const startDescribed = (given: object, settings: object = { listing: undefined }) =>
    startImport(JSON.stringify({ [key]: given }), twoWebhooks, settings);

  it.each([{ listing: undefined }, { listing: "false" }, { listing: "true" }])(
    "sends nothing, says so, and returns its arguments, with %j",
    async (settings) => {
      const given = { ...described, tableId: "tbl_1" };
      const { importWebhook, baseUrl, requests, lines } = await startDescribed(given, settings);
      const inputs = { databaseId, url: wrapped(url), events, tableId: "tbl_1" };

      expect(await importWebhook()).toStrictEqual({
        id: "17",
        inputs,
        props: { ...inputs, baseUrl, secret: wrapped(secret) },
      });
      expect(requests).toEqual([]);
      expect(lines).toEqual([
        expect.stringMatching(/^info: .*webhook 17 .*DBWEBHOOKS_IMPORT_SECRET/),
      ]);
    },
  );

  it("is of the database in its id, whatever the description says", async () => {
    const { importWebhook } = await startDescribed({ ...described, databaseId: "other" });

    expect((await importWebhook()).inputs).toMatchObject({ databaseId });
  });

  it("is refused without a request for each missing, wrong or unknown part, which the message names", async () => {
    const swapped = "key-and-value-swapped";
    const rows: [part: string, changes: object][] = [
      [" url: ", { url: undefined }],
      [" url: ", { url: "a.example" }],
      [" url: ", { url: "http://a.example" }],
      [" events: ", { events: undefined }],
      [" events\\[0\\]: ", { events: ["view.created"] }],
      [" tableId: ", { tableId: 7 }],
      ["a name other than secret, databaseId, url, ", { [swapped]: url }],
      ["no usable secret", { secret: undefined }],
      ["no usable secret", { secret: "" }],
    ];
    for (const [part, changes] of rows) {
      const { importWebhook, requests } = await startDescribed({ ...described, ...changes });

      const error = await errorOf(importWebhook());

      expect(error).toMatchObject({ kind: "unchanged" });
      expect(error.message).toMatch(new RegExp(`DBWEBHOOKS_IMPORT_SECRET .*${part}`));
      // A list would not help.
      expect(error.message).not.toContain("DBWEBHOOKS_LISTING");
      // No name and no value of the variable is repeated.
      for (const given of [secret, swapped, "a.example", "view.created"]) {
        expect(error.message).not.toContain(given);
      }
      expect(requests).toEqual([]);
    }
  });

  it("is refused although the list has it, because the description is meant", async () => {
    const { importWebhook, requests } = await startDescribed({ secret }, { listing: "true" });

    await expect(importWebhook()).rejects.toMatchObject({ kind: "unchanged" });
    expect(requests).toEqual([]);
  });

  it("may need the arguments that allow other events and urls", async () => {
    const flags = { allowUnknownEvents: true, allowInsecureUrl: true };
    const odd = { url: "http://a.example", events: ["view.created"] };
    const { importWebhook } = await startDescribed({ secret, ...odd, ...flags });

    const { inputs } = await importWebhook();

    expect(inputs).toEqual({ databaseId, ...odd, url: wrapped(odd.url), ...flags });
  });
});
