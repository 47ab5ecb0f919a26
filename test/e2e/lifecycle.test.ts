import { beforeAll, describe, expect, it } from "vitest";
import { someArgs } from "../helpers/builders.ts";
import { changeWebhook } from "../helpers/faults/faults.mts";
import { javascriptProgram, type Webhooks, yamlProgram } from "../helpers/programs.ts";
import { methodsOf, type RecordedRequest } from "../helpers/recorder.mts";
import { noPromptFlags, type StoredWebhooks, shareStack } from "../helpers/stack.ts";

/**
 * Changes of the program that replace a webhook. Each webhook is named after the changed argument.
 */
const replacingChanges: Readonly<Record<string, object>> = {
  databaseId: { databaseId: "base_other" },
  url: { url: "https://example.com/hooks/other" },
  events: { events: ["record.deleted"] },
  tableId: { tableId: "tbl_orders" },
};
const replaced = Object.keys(replacingChanges);
/** Webhooks that change at the service, or whose database the service refuses to list. */
const changedAtService: Webhooks = {
  secretUrl: { args: { url: "https://example.com/old-token" }, hasSecretUrl: true },
  changedUrl: {},
  gone: {},
  inactive: {},
  unlisted: { args: { databaseId: "base_unlisted" } },
};
const webhooksBefore: Webhooks = {
  ...Object.fromEntries(replaced.map((name) => [name, {}])),
  ...changedAtService,
  ignoring: {},
};
const webhooksAfter: Webhooks = {
  ...Object.fromEntries(replaced.map((name) => [name, { args: replacingChanges[name] }])),
  ...changedAtService,
  ignoring: { args: { url: "https://example.com/ignored" }, opts: { ignoreChanges: ["url"] } },
};
const otherUrl = "https://example.com/other";

describe.each([javascriptProgram, yamlProgram])("Webhooks of $name", (program) => {
  const apiKeys = ["local-api-key", "new-api-key"];
  const stack = shareStack({ program, service: { apiKeys, listing: true } });
  let output: string;
  /** The output of all commands but the one that shows the outputs of the stack in clear text. */
  let printed = "";
  /** The requests of the last command that `run` has run. */
  let requests: readonly RecordedRequest[];
  let created: StoredWebhooks;
  const idOf = (name: string) => Number(created[name]?.id);
  const run = async (...command: string[]) => {
    const result = await stack().pulumi(command);
    ({ output, requests } = result);
    printed += output;
    expect(result.exitCode, output).toBe(0);
    return stack().storedWebhooks();
  };

  it("are created once each in the first up, with an encrypted secret among their outputs", async () => {
    const { service, configure, declare } = stack();
    await configure({ "dbwebhooks:listing": "true" });
    await declare(webhooksBefore);

    created = await run("up", ...noPromptFlags);

    expect(methodsOf(requests)).toEqual(Array(10).fill("POST"));
    expect(service.webhooks).toHaveLength(10);
    expect(Object.keys(created)).toHaveLength(10);
    expect(created.url?.outputs).toMatchObject({
      ...someArgs(),
      baseUrl: service.baseUrl,
      secret: { ciphertext: expect.any(String) },
    });
    // The stack has a secret key, of which no adapter may warn.
    expect(output).not.toContain("dbwebhooks:apiKey");
  });

  describe("in a refresh after changes at the service", () => {
    let refreshed: StoredWebhooks;

    beforeAll(async () => {
      const { service } = stack();
      changeWebhook(service, idOf("secretUrl"), {
        url: "https://example.com/new-token",
        events: ["table.created"],
        tableId: "tbl_x",
      });
      changeWebhook(service, idOf("changedUrl"), { url: otherUrl });
      changeWebhook(service, idOf("unlisted"), { url: otherUrl });
      changeWebhook(service, idOf("inactive"), { active: false });
      service.webhooks = service.webhooks.filter(({ id }) => id !== idOf("gone"));
      const removeFault = service.use(({ method, databaseId }, next) =>
        method === "GET" && databaseId === "base_unlisted"
          ? new Response(null, { status: 403 })
          : next(),
      );

      refreshed = await run("refresh", ...noPromptFlags);
      removeFault();
    });

    it("are reported with their changes, or with the failed request for the list, and without a replacement", () => {
      expect(output).toMatch(
        new RegExp(`webhook ${idOf("secretUrl")} of .*: url, events, tableId\\.`),
      );
      expect(output).toMatch(
        new RegExp(`webhook ${idOf("changedUrl")} of .* differ from the state`),
      );
      expect(output).toMatch(new RegExp(`webhook ${idOf("inactive")} of .* is switched off`));
      expect(output).toMatch(`does not list webhook ${idOf("gone")} `);
      expect(output).toMatch(/base_unlisted\b.*\bGET .* returned 403/);
    });

    it("have a changed url in the state, or the old one when unlisted, stay when inactive and go when gone", () => {
      expect(refreshed).toMatchObject({
        changedUrl: { outputs: { url: otherUrl } },
        inactive: { outputs: someArgs() },
        unlisted: { outputs: { url: someArgs().url } },
      });
      expect(refreshed).not.toHaveProperty("gone");
    });
  });

  describe("in an up with a preview, after the program has changed one argument of some", () => {
    let after: StoredWebhooks;
    let secretsBefore: readonly string[];
    const webhookOf = (name: string) =>
      stack().service.webhooks.find(({ id }) => String(id) === after[name]?.id);

    beforeAll(async () => {
      const { service, declare } = stack();
      secretsBefore = service.webhooks.map(({ secret }) => secret);
      await declare(webhooksAfter);

      after = await run("up", "--yes", "--diff");
    });

    it("are all created before the first is deleted", () => {
      // Six are replaced: four with a changed argument, secretUrl and changedUrl. `gone` is only
      // created.
      expect(methodsOf(requests)).toEqual([...Array(7).fill("POST"), ...Array(6).fill("DELETE")]);
    });

    it.each(replaced)("are replaced when %s changes, with warnings and a new secret", (name) => {
      const warning = new RegExp(`: .*\\bwebhook ${idOf(name)} of .*: ${name}\\b`);
      const [preview, update] = output.split("\nUpdating ");

      expect(preview).toMatch(warning);
      expect(preview).toMatch(new RegExp(`[~+] ${name} *:`));
      expect(update).toMatch(warning);
      expect(webhookOf(name)).toMatchObject(someArgs(replacingChanges[name]));
      expect(secretsBefore).not.toContain(webhookOf(name)?.secret);
    });

    it("show the url at the service and the one in the program when they differ", () => {
      expect(output).toMatch(
        /~ url *: "https:\/\/example.com\/other" => "https:\/\/example.com\/hooks\/orders"/,
      );
    });

    it("stay when only an ignored argument differs, and when they are inactive or not listed", () => {
      const kept = Object.keys(after).filter((name) => after[name]?.id === created[name]?.id);

      expect(kept.toSorted()).toEqual(["ignoring", "inactive", "unlisted"]);
      // The stack is the fourth.
      expect(output.match(/\b4 unchanged/g)).toHaveLength(2);
    });

    it("are each at the service once, and hand their secrets to the outputs of the stack", async () => {
      const secrets = Object.keys(after).map((name) => [`${name}Secret`, webhookOf(name)?.secret]);

      expect(stack().service.webhooks).toHaveLength(secrets.length);
      expect(await stack().outputs()).toEqual(Object.fromEntries(secrets));
    });
  });

  it("are deleted with the key in the environment, although the stack has another key", async () => {
    const destroyed = await stack().destroy({ DBWEBHOOKS_API_KEY: "new-api-key" });

    printed += destroyed.output;
    const keys = destroyed.requests.map(({ headers }) => headers.authorization);
    expect(new Set(keys)).toEqual(new Set(["Bearer new-api-key"]));
  });

  it("are never shown or stored with a secret, the API key or a secret url in clear text", async () => {
    expect(printed).toContain("[secret]");
    expect(printed + (await stack().storedText())).not.toMatch(/whsec_|api-key|(old|new)-token/);
  });
});
