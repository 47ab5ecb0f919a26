import { describe, expect, it } from "vitest";
import { secret, secretEnvelope, someArgs } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { type Answer, startServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { startProvider, type TestProvider } from "../helpers/provider.js";

const databaseId = "base_abc123";
const { url, events } = someArgs() as { url: string; events: string[] };
const listed = (changes: object = {}) => ({
  ...{ id: 17, url, events: events.toReversed(), tableIds: null, active: true },
  ...changes,
});
const listOf = (...webhooks: object[]): Answer => ({ body: { webhooks } });
const marked = (value: string) => ({ ...secretEnvelope, value });

interface Parts extends TestProvider {
  readonly requests: readonly { readonly method: string }[];
  readonly baseUrl: string;
}

/** A provider with this text in `DBWEBHOOKS_IMPORT_SECRET`, and a service that answers so. */
async function withImport(
  variable: string | undefined,
  use: (parts: Parts) => Promise<void>,
  { answer = listOf(listed()), listing = "true" }: { answer?: Answer; listing?: string } = {},
): Promise<void> {
  await using server = await startServer(answer);
  const settings = { baseUrl: server.url, listing, retrySeconds: "0" };
  const environment = { DBWEBHOOKS_IMPORT_SECRET: variable };
  const run = startProvider(settings, { environment });
  await use({ ...run, requests: server.requests, baseUrl: server.url });
}

describe("an import", () => {
  it("reads the webhook from the list, and marks its url and its secret", async () => {
    await withImport(secret, async ({ import: read, requests, baseUrl, lines }) => {
      const inputs = { databaseId, url: marked(url), events };

      expect(await read("17", databaseId)).toStrictEqual({
        id: "17",
        inputs,
        properties: { ...inputs, baseUrl, secret: secretEnvelope },
      });
      expect(requests.map(({ method }) => method)).toEqual(["GET"]);
      expect(lines).toEqual([]);
    });
  });

  it("has its url marked in what a check returns for its resource, and for no other", async () => {
    await withImport(secret, async ({ import: read, check }) => {
      await read("17", databaseId, { urn: "urn:one" });
      const urlFor = async (urn: string) =>
        (await check(someArgs(), someArgs(), { urn })).inputs.url;

      expect(await urlFor("urn:one")).toEqual(marked(url));
      expect(await urlFor("urn:other")).toBe(url);
    });
  });

  it.each<[string, object, object]>([
    ["one table", { tableIds: ["tbl_1"] }, { tableId: "tbl_1" }],
    ["all tables", { tableIds: [] }, {}],
    ["a receiver without encryption", { url: "http://a.example" }, { allowInsecureUrl: true }],
    ["a receiver on this machine", { url: "http://127.0.0.1:1" }, {}],
    ["events that are unknown", { events: ["view.created"] }, { allowUnknownEvents: true }],
  ])("gives the arguments that declare it: %s", async (_case, changes, expected) => {
    const { url: _url, ...others } = someArgs({ ...changes, ...expected, tableIds: undefined });
    const use = async ({ import: read, check, diff }: Parts) => {
      const { inputs, properties } = await read("17", databaseId);
      const { tableIds: _tables, ...rest } = others;
      expect(inputs).toEqual({ ...rest, url: expect.anything() });

      // Pulumi hands values over without their marks.
      const bare = { ...inputs, url: (inputs.url as { value: string }).value };
      expect((await check(bare, bare)).failures).toEqual([]);
      expect(await diff("17", properties, bare)).toEqual([]);
    };

    await withImport(secret, use, { answer: listOf(listed(changes)) });
  });

  it("takes the secrets of several webhooks from one JSON object", async () => {
    const secrets = { [`${databaseId}/17`]: "whsec_a", [`${databaseId}/18`]: "whsec_b" };
    const use = async ({ import: read, lines }: Parts) => {
      for (const [id, value] of [
        ["17", "whsec_a"],
        ["18", "whsec_b"],
      ] as const) {
        expect((await read(id, databaseId)).properties.secret).toEqual(marked(value));
      }
      expect(lines).toEqual([]);
    };

    await withImport(` ${JSON.stringify(secrets)}\n`, use, {
      answer: listOf(listed(), listed({ id: 18 })),
    });
  });

  it("warns when one secret is stored for two webhooks, and names them", async () => {
    const use = async ({ import: read, lines }: Parts) => {
      await read("17", databaseId);
      await read("17", databaseId);
      expect(lines).toEqual([]);

      await read("18", databaseId);

      expect(lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 .*webhook 18 /)]);
    };

    await withImport(secret, use, { answer: listOf(listed(), listed({ id: 18 })) });
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
    await withImport(variable, async ({ import: read, requests }) => {
      const error = await errorOf(read("17", databaseId));

      expect(kindOf(error)).toBe("notImported");
      expect(error.message).toContain(`DBWEBHOOKS_IMPORT_SECRET ${problem}`);
      expect(error.message).not.toContain(secret);
      expect(requests).toEqual([]);
    });
  });

  it.each<[string | undefined, string[], string[]]>([
    [secret, ["dbwebhooks:listing is off"], ["DBWEBHOOKS_IMPORT_SECRET"]],
    [undefined, ["dbwebhooks:listing is off", "DBWEBHOOKS_IMPORT_SECRET is not set"], []],
  ])(
    "without listing says all that is missing, with the secret %s",
    async (variable, said, unsaid) => {
      const use = async ({ import: read, requests }: Parts) => {
        const { message } = await errorOf(read("17", databaseId));

        expect(said.filter((text) => !message.includes(text))).toEqual([]);
        expect(unsaid.filter((text) => message.includes(text))).toEqual([]);
        expect(requests).toEqual([]);
      };

      await withImport(variable, use, { listing: "false" });
    },
  );

  it.each<[string, Answer, string]>([
    ["is not listed", listOf(), "does not list it"],
    ["may be on another page", { body: { webhooks: [], next: 1 } }, "only a part"],
    ["cannot be looked up", { statusCode: 403 }, "answered 403"],
    ["selects several tables", listOf(listed({ tableIds: ["a", "b"] })), "several tables"],
  ])("is refused when the webhook %s", async (_case, answer, why) => {
    const use = async ({ import: read }: Parts) => {
      const error = await errorOf(read("17", databaseId));

      expect(kindOf(error)).toBe("notImported");
      expect(error.message).toContain(why);
      expect(error.message).not.toContain(secret);
    };

    await withImport(secret, use, { answer });
  });

  it.each([
    ["Import", false, true],
    ["Get", true, false],
  ])("%s of a webhook that is not there advises adopt: %s", async (verb, isOnlyRead, isAdvised) => {
    const use = async ({ import: read }: Parts) => {
      const { message } = await errorOf(read("17", databaseId, { isOnlyRead }));

      expect(message).toContain(`${verb} webhook 17 of database ${databaseId} failed: `);
      expect(/\badopt\b/.test(message)).toBe(isAdvised);
    };

    await withImport(secret, use, { answer: listOf() });
    await withImport(undefined, use);
  });

  it("needs settings, and sends nothing without them", async () => {
    const environment = { DBWEBHOOKS_IMPORT_SECRET: secret };
    const run = startProvider({ apiKey: undefined, listing: "true" }, { environment });

    const error = await errorOf(run.import("17", databaseId));

    expect(kindOf(error)).toBe("notImported");
    expect(error.message).toContain("dbwebhooks:apiKey");
  });
});
