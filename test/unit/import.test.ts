import { describe, expect, it } from "vitest";
import { listed, listOf, secret, secretEnvelope, someArgs } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { type Answer, startServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { startProvider } from "../helpers/provider.js";

const databaseId = "base_abc123";
const { url, events } = someArgs() as { url: string; events: string[] };
const two = listOf(listed(), listed({ id: 18 }));
const marked = (value: string) => ({ ...secretEnvelope, value });

/** A provider with this text in `DBWEBHOOKS_IMPORT_SECRET`, and a service that answers so. */
async function startImport(
  variable: string | undefined,
  answer = listOf(listed()),
  listing = "true",
) {
  const server = await startServer(answer);
  const settings = { baseUrl: server.url, listing, retrySeconds: "0" };
  const run = startProvider(settings, { environment: { DBWEBHOOKS_IMPORT_SECRET: variable } });
  const importWebhook = (id = "17", options = {}) => run.import(id, databaseId, options);
  const dispose = () => server[Symbol.asyncDispose]();
  return { ...run, server, importWebhook, [Symbol.asyncDispose]: dispose };
}

describe("an import", () => {
  it("reads the webhook from the list, and marks its url and its secret", async () => {
    await using run = await startImport(secret);
    const inputs = { databaseId, url: marked(url), events };

    expect(await run.importWebhook()).toStrictEqual({
      id: "17",
      inputs,
      properties: { ...inputs, baseUrl: run.server.url, secret: secretEnvelope },
    });
    expect(run.server.requests.map(({ method }) => method)).toEqual(["GET"]);
    expect(run.lines).toEqual([]);
  });

  it("has its url marked in what a check returns for its resource, and for no other", async () => {
    await using run = await startImport(secret);
    await run.importWebhook("17", { urn: "urn:one" });
    const checked = (urn: string) => run.check(someArgs(), someArgs(), { urn });

    expect((await checked("urn:one")).inputs.url).toEqual(marked(url));
    expect((await checked("urn:other")).inputs.url).toBe(url);
  });

  it.each<[string, object, object]>([
    ["one table", { tableIds: ["tbl_1"] }, { tableId: "tbl_1" }],
    ["all tables", { tableIds: [] }, {}],
    ["a receiver without encryption", { url: "http://a.example" }, { allowInsecureUrl: true }],
    ["a receiver on this machine", { url: "http://127.0.0.1:1" }, {}],
    [
      "unknown events",
      { events: ["view.created"] },
      { events: ["view.created"], allowUnknownEvents: true },
    ],
  ])("gives the arguments that declare it: %s", async (_case, changes, expected) => {
    await using run = await startImport(secret, listOf(listed(changes)));

    const { inputs, properties } = await run.importWebhook();

    expect(inputs).toEqual(someArgs({ ...expected, url: expect.anything() }));
    // Pulumi hands values over without their marks.
    const bare = { ...inputs, url: (inputs.url as { value: string }).value };
    expect((await run.check(bare, bare)).failures).toEqual([]);
    expect(await run.diff("17", properties, bare)).toEqual([]);
  });

  it("takes the secrets of several webhooks from one JSON object", async () => {
    const secrets = { [`${databaseId}/17`]: "whsec_a", [`${databaseId}/18`]: "whsec_b" };
    await using run = await startImport(` ${JSON.stringify(secrets)}\n`, two);

    expect((await run.importWebhook("17")).properties.secret).toEqual(marked("whsec_a"));
    expect((await run.importWebhook("18")).properties.secret).toEqual(marked("whsec_b"));
    expect(run.lines).toEqual([]);
  });

  it("warns when one secret is stored for two webhooks, and names them", async () => {
    await using run = await startImport(secret, two);
    await run.importWebhook("17");
    await run.importWebhook("17");
    expect(run.lines).toEqual([]);

    await run.importWebhook("18");

    expect(run.lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 .*webhook 18 /)]);
  });

  it.each<[string, string | undefined, string]>([
    ["no variable", undefined, "is not set"],
    ["an empty variable", "", "is not set"],
    ["null, which jq prints", "null", "holds JSON"],
    ["a text in quotes", `"${secret}"`, "holds JSON"],
    ["a list", `["${secret}"]`, "holds JSON"],
    ["a number", "12345", "holds JSON"],
    ["true", "true", "holds JSON"],
    ["broken JSON", `{"base_abc123/17":"${secret}"`, "holds JSON"],
    ["broken JSON behind white space", `\n ["${secret}`, "holds JSON"],
    ["white space around it", ` ${secret}\n`, "holds no usable secret"],
    ["a secret of another", `{"base_abc123/18":"${secret}"}`, "holds no usable secret"],
    ["a secret that is no text", '{"base_abc123/17":1}', "holds no usable secret"],
    ["an empty secret", '{"base_abc123/17":""}', "holds no usable secret"],
  ])("is refused before anything is sent: %s", async (_case, variable, problem) => {
    await using run = await startImport(variable);

    const error = await errorOf(run.importWebhook());

    expect(kindOf(error)).toBe("notImported");
    expect(error.message).toContain(`DBWEBHOOKS_IMPORT_SECRET ${problem}`);
    expect(error.message).not.toContain(secret);
    expect(run.server.requests).toEqual([]);
  });

  it.each([secret, undefined])(
    "needs listing, and says all that is missing: %s",
    async (variable) => {
      await using run = await startImport(variable, listOf(listed()), "false");

      const { message } = await errorOf(run.importWebhook());

      expect(message).toContain("dbwebhooks:listing is off");
      expect(message.includes("DBWEBHOOKS_IMPORT_SECRET is not set")).toBe(variable === undefined);
      expect(run.server.requests).toEqual([]);
    },
  );

  it.each<[string, Answer, string]>([
    ["is not listed", listOf(), "does not list it"],
    ["may be on another page", { body: { webhooks: [], next: 1 } }, "only a part"],
    ["cannot be looked up", { statusCode: 403 }, "answered 403"],
    ["selects several tables", listOf(listed({ tableIds: ["a", "b"] })), "several tables"],
  ])("is refused when the webhook %s", async (_case, answer, why) => {
    await using run = await startImport(secret, answer);

    const error = await errorOf(run.importWebhook());

    expect(kindOf(error)).toBe("notImported");
    expect(error.message).toContain(why);
    expect(error.message).not.toContain(secret);
  });

  it.each([
    ["Import", false, secret],
    ["Import", false, undefined],
    ["Get", true, secret],
    ["Get", true, undefined],
  ])(
    "advises adopt, but not where a program only reads: %s",
    async (verb, isOnlyRead, variable) => {
      await using run = await startImport(variable, listOf());

      const { message } = await errorOf(run.importWebhook("17", { isOnlyRead }));

      expect(message).toContain(`${verb} webhook 17 of database ${databaseId} failed: `);
      expect(/\badopt\b/.test(message)).toBe(!isOnlyRead);
    },
  );

  it("needs settings", async () => {
    const run = startProvider({ apiKey: undefined, listing: "true" });

    const error = await errorOf(run.import("17", databaseId));

    expect(kindOf(error)).toBe("notImported");
    expect(error.message).toContain("dbwebhooks:apiKey");
  });
});
