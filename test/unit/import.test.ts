import { describe, expect, it } from "vitest";
import { listed, listOf, secret, someArgs, wrapped } from "../helpers/builders.ts";
import { errorOf } from "../helpers/errors.ts";
import type { StubResponse } from "../helpers/http-server.ts";
import { startWithService } from "../helpers/provider-with-service.ts";

const databaseId = "base_abc123";
const { url } = someArgs();
const events = ["record.created", "record.updated"];
const twoWebhooks = listOf(listed({ id: 18, url: "https://b.example" }), listed());

/** Starts a provider with a text in `DBWEBHOOKS_IMPORT_SECRET`, and a service that returns a list. */
async function startImport(importSecret?: string, list = twoWebhooks, changes = {}) {
  const environment = { DBWEBHOOKS_IMPORT_SECRET: importSecret };
  const settings = { listing: "true", ...changes };
  const provider = await startWithService(list, settings, { environment });
  const importWebhook = (id = "17", options = {}) => provider.import(id, databaseId, options);
  return { ...provider, importWebhook };
}

describe("An import", () => {
  it("reads the webhook from the list, with its url and its secret wrapped", async () => {
    const { importWebhook, baseUrl, methods, lines } = await startImport(secret);
    const inputs = { databaseId, url: wrapped(url), events };

    expect(await importWebhook()).toStrictEqual({
      id: "17",
      inputs,
      props: { ...inputs, baseUrl, secret: wrapped(secret) },
    });
    expect(methods()).toEqual(["GET"]);
    expect(lines).toEqual([]);
  });

  it("keeps the url wrapped when Pulumi checks the imported resource, but not another one", async () => {
    const { importWebhook, check } = await startImport(secret);
    await importWebhook("17", { urn: "urn:imported" });

    const imported = await check(someArgs(), someArgs(), { urn: "urn:imported" });
    const other = await check(someArgs(), someArgs(), { urn: "urn:other" });

    expect(imported.inputs.url).toEqual(wrapped(url));
    expect(other.inputs.url).toBe(url);
  });

  it.each<[entry: object, args: object]>([
    [{ tableIds: ["tbl_1"] }, { tableId: "tbl_1" }],
    [{ tableIds: [] }, {}],
    [{ url: "http://a.example" }, { url: "http://a.example", allowInsecureUrl: true }],
    [{ url: "http://127.0.0.1:1" }, { url: "http://127.0.0.1:1" }],
    [{ events: ["z", ...events] }, { events: [...events, "z"], allowUnknownEvents: true }],
  ])("of a webhook with %j returns arguments with %j", async (entry, args) => {
    const list = listOf({ id: "odd" }, listed(entry));
    const { importWebhook, check, diff } = await startImport(secret, list);
    const declared = someArgs({ ...args });

    const { inputs, props } = await importWebhook();

    expect(inputs).toEqual({ ...declared, url: wrapped(declared.url) });
    expect((await check(declared, declared)).failures).toEqual([]);
    // Pulumi passes secrets to the provider unwrapped.
    const state = { ...props, url: declared.url, secret };
    expect(await diff("17", state, declared)).toMatchObject({ changes: false });
  });

  it("takes the secrets of several webhooks from one JSON object", async () => {
    const secrets = { [`${databaseId}/17`]: "whsec_a", [`${databaseId}/18`]: "whsec_b" };
    const { importWebhook, lines } = await startImport(` ${JSON.stringify(secrets)}\n`);

    expect((await importWebhook("17")).props.secret).toEqual(wrapped("whsec_a"));
    expect((await importWebhook("18")).props.secret).toEqual(wrapped("whsec_b"));
    expect(lines).toEqual([]);
  });

  it.each([
    ["is missing", undefined, "is not set"],
    ["is null", "null", "is not an object"],
    ["is a list", `["${secret}"]`, "is not an object"],
    ["is JSON that is cut off", `{"base_abc123/17":"${secret}"`, "is not an object"],
    ["is a cut-off list after a line break", `\n ["${secret}`, "is not an object"],
    ["has surrounding white space", ` ${secret}\n`, "no usable secret"],
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
    const { importWebhook, requests } = await startImport(secret, twoWebhooks, settings);

    const error = await errorOf(importWebhook());

    expect(error).toMatchObject({ kind: "unchanged" });
    expect(error.message).not.toContain("IMPORT_SECRET");
    expect(requests).toEqual([]);
  });

  it("names the variables of both listing and the secret when neither is set", async () => {
    const { importWebhook } = await startImport(undefined, twoWebhooks, { listing: "false" });

    const { message } = await errorOf(importWebhook());

    expect(message).toMatch(/DBWEBHOOKS_LISTING=true.*DBWEBHOOKS_IMPORT_SECRET/);
  });

  it.each<[string, list: StubResponse]>([
    ["holds only an odd entry for it", listOf(listed({ events: ["\n"] }))],
    ["is incomplete", { body: { webhooks: [], next: 1 } }],
    ["cannot be read", { statusCode: 403 }],
    ["holds the webhook with several tables", listOf(listed({ tableIds: ["a", "b"] }))],
  ])("advises to adopt a webhook when the list %s", async (_case, list) => {
    const { importWebhook } = await startImport(secret, list);

    const error = await errorOf(importWebhook());

    expect(error).toMatchObject({ kind: "unchanged" });
    expect(error.message).toContain(" adopt ");
  });

  it("says where the service does not list the webhook", async () => {
    const { importWebhook, baseUrl } = await startImport(secret, listOf());

    const error = await errorOf(importWebhook());

    expect(error).toMatchObject({ kind: "unchanged" });
    expect(error.message).toContain(`the service at ${baseUrl} does not list it`);
  });

  it("is refused for a webhook that the same run deletes", async () => {
    const provider = await startImport(secret, [{ body: { success: true } }, twoWebhooks] as never);
    await provider.delete("17", provider.state);

    await expect(provider.importWebhook()).rejects.toMatchObject({ kind: "unchanged" });
  });
});
