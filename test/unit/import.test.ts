import { describe, expect, it } from "vitest";
import { listed, listOf, secret, secretEnvelope, someArgs } from "../helpers/builders.js";
import type { Answer } from "../helpers/http-server.js";
import { startWithService } from "../helpers/provider-with-service.js";

const databaseId = "base_abc123";
const { url, events } = someArgs();
const two = listOf(listed(), listed({ id: 18 }));
const marked = (value: unknown) => ({ ...secretEnvelope, value });

/** A provider with this text in `DBWEBHOOKS_IMPORT_SECRET`, and a service that answers so. */
async function startImport(variable?: string, answer: Answer = two, more = {}) {
  const environment = { DBWEBHOOKS_IMPORT_SECRET: variable };
  const run = await startWithService(answer, { listing: "true", ...more }, undefined, environment);
  return { ...run, importWebhook: (id = "17", of = {}) => run.import(id, databaseId, of) };
}

describe("an import", () => {
  it("reads the webhook from the list, and marks its url and its secret", async () => {
    const { importWebhook, check, baseUrl, methods, lines } = await startImport(secret);
    const inputs = { databaseId, url: marked(url), events };

    expect(await importWebhook("17", { urn: "urn:one" })).toStrictEqual({
      id: "17",
      inputs,
      properties: { ...inputs, baseUrl, secret: secretEnvelope },
    });
    const checked = (urn: string) => check(someArgs(), someArgs(), { urn });
    expect((await checked("urn:one")).inputs.url).toEqual(marked(url));
    expect((await checked("urn:other")).inputs.url).toBe(url);
    expect([methods(), lines]).toEqual([["GET"], []]);
  });

  it.each<[listed: object, args: object]>([
    [{ tableIds: ["tbl_1"] }, { tableId: "tbl_1" }],
    [{ tableIds: [] }, {}],
    [{ url: "http://a.example" }, { allowInsecureUrl: true }],
    [{ url: "http://127.0.0.1:1" }, {}],
    [{ events: ["z", "a"] }, { events: ["a", "z"], allowUnknownEvents: true }],
  ])("gives the arguments that declare it: %j, %j", async (changes, expected) => {
    const { importWebhook, check, diff } = await startImport(secret, listOf(listed(changes)));

    const { inputs, properties } = await importWebhook();

    expect(inputs).toEqual(someArgs({ ...expected, url: expect.anything() }));
    // Pulumi hands values over without their marks.
    const bare = { ...inputs, url: (inputs.url as { value: string }).value };
    expect((await check(bare, bare)).failures).toEqual([]);
    expect(await diff("17", properties, bare)).toEqual([]);
  });

  it("takes the secrets of several webhooks from one JSON object", async () => {
    const secrets = { [`${databaseId}/17`]: "whsec_a", [`${databaseId}/18`]: "whsec_b" };
    const { importWebhook, lines } = await startImport(` ${JSON.stringify(secrets)}\n`);

    expect((await importWebhook("17")).properties.secret).toEqual(marked("whsec_a"));
    expect((await importWebhook("18")).properties.secret).toEqual(marked("whsec_b"));
    expect(lines).toEqual([]);
  });

  it("warns when one secret is stored for two webhooks, and names them", async () => {
    const { importWebhook, lines } = await startImport(secret);

    for (const id of ["17", "17", "18"]) {
      expect(lines).toEqual([]);
      await importWebhook(id);
    }
    expect(lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 .*webhook 18 /)]);
  });

  const none = "SECRET is not set, .* Set it to the secret alone";
  const json = "SECRET holds JSON";
  const unusable = "SECRET holds no usable secret";
  const off = { listing: "false" };
  it.each<[text: string | undefined, problem: string, settings?: object]>([
    [undefined, none],
    ["", none],
    ["null", json],
    ["12345", json],
    [`"${secret}"`, json],
    [`["${secret}"]`, json],
    [`{"base_abc123/17":"${secret}"`, json],
    [`\n ["${secret}`, json],
    [` ${secret}\n`, unusable],
    [`{"base_abc123/18":"${secret}"}`, unusable],
    ['{"base_abc123/17":1}', unusable],
    ['{"base_abc123/17":""}', unusable],
    [secret, "listing is off.* Set DBWEBHOOKS_LISTING=true(?!.*SECRET is)", off],
    [undefined, "dbwebhooks:listing is off.*SECRET is not set", off],
    [secret, "dbwebhooks:apiKey", { apiKey: undefined }],
  ])("is refused before anything is sent: with %j, %s", async (variable, problem, settings) => {
    const { importWebhook, requests } = await startImport(variable, two, settings);

    await expect(importWebhook()).rejects.toMatchObject({
      kind: "unchanged",
      message: expect.stringMatching(`${problem}(?!.*${secret})`),
    });
    expect(requests).toEqual([]);
  });

  it.each<[string, Answer, string]>([
    ["is not listed", listOf(), "does not list it"],
    ["may be on another page", { body: { webhooks: [], next: 1 } }, "only a part"],
    ["cannot be looked up", { statusCode: 403 }, "returned 403"],
    ["selects several tables", listOf(listed({ tableIds: ["a", "b"] })), "several tables"],
  ])("is refused when the webhook %s", async (_case, answer, why) => {
    const { importWebhook } = await startImport(secret, answer);

    // A webhook that a program only reads belongs to somebody else: it is not to be adopted.
    for (const [text, isExternal] of [
      [`^Import webhook 17 of database .* failed: .*${why}.* adopt `, false],
      [`^Get webhook 17 of database (?!.* adopt ).* failed: .*${why}`, true],
    ] as const) {
      await expect(importWebhook("17", { isExternal })).rejects.toMatchObject({
        kind: "unchanged",
        message: expect.stringMatching(`${text}(?!.*${secret})`),
      });
    }
  });
});
