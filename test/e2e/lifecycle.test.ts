import { beforeAll, describe, expect, it } from "vitest";
import { someArgs } from "../helpers/builders.ts";
import { changeWebhook } from "../helpers/faults/faults.mts";
import { javascriptProgram, type Webhooks, yamlProgram } from "../helpers/programs.ts";
import { methodsOf } from "../helpers/recorder.mts";
import { noPromptFlags, shareStack } from "../helpers/stack.ts";

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
  /** The output of all commands but the one that shows the outputs of the stack in clear text. */
  let printed = "";
  type Outcome = Awaited<ReturnType<typeof run>>;
  /** Runs a command. `existing` are the webhooks of the service after it. */
  const run = async (...command: string[]) => {
    const { exitCode, output, requests } = await stack().pulumi(command);
    printed += output;
    expect(exitCode, output).toBe(0);
    const { webhooks: existing } = stack().service;
    return { output, requests, existing, stored: await stack().storedWebhooks() };
  };
  let created: Outcome;
  let refreshed: Outcome;
  let updated: Outcome;
  let outputs: object;
  let keysOfDestroy: readonly unknown[];
  const idOf = (name: string) => Number(created.stored[name]?.id);

  beforeAll(async () => {
    const { service, configure, declare, destroy } = stack();
    await configure({ "dbwebhooks:listing": "true" });
    await declare(webhooksBefore);
    created = await run("up", ...noPromptFlags);

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

    await declare(webhooksAfter);
    updated = await run("up", "--yes", "--diff");
    outputs = await stack().outputs();

    const { output, requests } = await destroy({ DBWEBHOOKS_API_KEY: "new-api-key" });
    printed += output;
    keysOfDestroy = requests.map(({ headers }) => headers.authorization);
  });

  it("are created once each in the first up, with an encrypted secret among their outputs", () => {
    expect(methodsOf(created.requests)).toEqual(Array(10).fill("POST"));
    expect(created.existing).toHaveLength(10);
    expect(Object.keys(created.stored)).toHaveLength(10);
    expect(created.stored.url?.outputs).toMatchObject({
      ...someArgs(),
      baseUrl: stack().service.baseUrl,
      secret: { ciphertext: expect.any(String) },
    });
    // The stack has a secret key, of which no adapter may warn.
    expect(created.output).not.toContain("dbwebhooks:apiKey");
  });

  describe("in a refresh after changes at the service", () => {
    it("are reported with their changes, or with the failed request for the list, and without a replacement", () => {
      const { output } = refreshed;
      const differing = new RegExp(`webhook ${idOf("changedUrl")} of .* differ from the state`);

      expect(output).toMatch(
        new RegExp(`webhook ${idOf("secretUrl")} of .*: url, events, tableId\\.`),
      );
      expect(output).toMatch(differing);
      expect(output).toMatch(new RegExp(`webhook ${idOf("inactive")} of .* is switched off`));
      expect(output).toMatch(`does not list webhook ${idOf("gone")} `);
      expect(output).toMatch(/base_unlisted\b.*\bGET .* returned 403/);
    });

    it("have a changed url in the state, or the old one when unlisted, stay when inactive and go when gone", () => {
      expect(refreshed.stored).toMatchObject({
        changedUrl: { outputs: { url: otherUrl } },
        inactive: { outputs: someArgs() },
        unlisted: { outputs: { url: someArgs().url } },
      });
      expect(refreshed.stored).not.toHaveProperty("gone");
    });
  });

  describe("in an up with a preview, after the program has changed one argument of some", () => {
    const webhookOf = (name: string) =>
      updated.existing.find(({ id }) => String(id) === updated.stored[name]?.id);

    it("are all created before the first is deleted", () => {
      // Six are replaced: four with a changed argument, secretUrl and changedUrl. `gone` is only
      // created.
      const methods = [...Array(7).fill("POST"), ...Array(6).fill("DELETE")];
      expect(methodsOf(updated.requests)).toEqual(methods);
    });

    it.each(replaced)("are replaced when %s changes, with warnings and a new secret", (name) => {
      const warning = new RegExp(`: .*\\bwebhook ${idOf(name)} of .*: ${name}\\b`);
      const [preview, update] = updated.output.split("\nUpdating ");

      expect(preview).toMatch(warning);
      expect(preview).toMatch(new RegExp(`[~+] ${name} *:`));
      expect(update).toMatch(warning);
      expect(webhookOf(name)).toMatchObject(someArgs(replacingChanges[name]));
      const secretsBefore = created.existing.map(({ secret }) => secret);
      expect(secretsBefore).not.toContain(webhookOf(name)?.secret);
    });

    it("show the url at the service and the one in the program when they differ", () => {
      expect(updated.output).toMatch(
        /~ url *: "https:\/\/example.com\/other" => "https:\/\/example.com\/hooks\/orders"/,
      );
    });

    it("stay when only an ignored argument differs, and when they are inactive or not listed", () => {
      const { stored, output } = updated;
      const kept = Object.keys(stored).filter((name) => Number(stored[name]?.id) === idOf(name));

      expect(kept.toSorted()).toEqual(["ignoring", "inactive", "unlisted"]);
      // The stack is the fourth.
      expect(output.match(/\b4 unchanged/g)).toHaveLength(2);
    });

    it("are each at the service once, and hand their secrets to the outputs of the stack", () => {
      const names = Object.keys(updated.stored);
      const secrets = names.map((name) => [`${name}Secret`, webhookOf(name)?.secret]);

      expect(updated.existing).toHaveLength(secrets.length);
      expect(outputs).toEqual(Object.fromEntries(secrets));
    });
  });

  it("are deleted with the key in the environment, although the stack has another key", () => {
    expect(new Set(keysOfDestroy)).toEqual(new Set(["Bearer new-api-key"]));
    expect(stack().service.webhooks).toEqual([]);
  });

  it("are never shown or stored with a secret, the API key or a secret url in clear text", async () => {
    expect(printed).toContain("[secret]");
    expect(printed + (await stack().storedText())).not.toMatch(/whsec_|api-key|(old|new)-token/);
  });
});
