import { beforeAll, describe, expect, it } from "vitest";
import { javascriptProgram, type Webhooks, webhookArgs, yamlProgram } from "../helpers/programs.js";
import { noPromptFlags, type StoredWebhooks, shareStack } from "../helpers/stack.js";

/** The change of the program that replaces each webhook, by the name of the webhook and the argument. */
const replacingChanges: Readonly<Record<string, object>> = {
  databaseId: { databaseId: "base_other" },
  url: { url: "https://example.com/hooks/other" },
  events: { events: ["record.deleted"] },
  tableId: { tableId: "tbl_orders" },
};
const replaced = Object.keys(replacingChanges);
/** Webhooks that change at the service, or whose list is not available. */
const webhooksAtService: Webhooks = {
  secretUrl: { args: { url: "https://example.com/old-token" }, hasSecretUrl: true },
  changedUrl: {},
  gone: {},
  inactive: {},
  unlisted: { args: { databaseId: "base_unlisted" } },
};
const webhooksBefore: Webhooks = {
  ...Object.fromEntries(replaced.map((name) => [name, {}])),
  ...webhooksAtService,
  ignoring: {},
};
const webhooksAfter: Webhooks = {
  ...Object.fromEntries(replaced.map((name) => [name, { args: replacingChanges[name] }])),
  ...webhooksAtService,
  ignoring: { args: { url: "https://example.com/ignored" }, opts: { ignoreChanges: ["url"] } },
};
const otherUrl = "https://example.com/other";
const clearText = /whsec_|local-api-key|(old|new)-token/;

describe.each([javascriptProgram, yamlProgram])("Webhooks of $name", (program) => {
  const apiKeys = ["local-api-key", "new-api-key"];
  const stack = shareStack({ program, service: { apiKeys, listing: true } });
  let output: string;
  let created: StoredWebhooks;
  const idOf = (name: string) => Number(created[name]?.id.split("/").at(-1));

  describe("in the first up", () => {
    beforeAll(async () => {
      await stack().configure({ "dbwebhooks:listing": "true" });
      await stack().declare(webhooksBefore);
      await stack().up();
      created = await stack().storedWebhooks();
    });

    it("are created once each", () => {
      expect(stack().service.counts).toMatchObject({ posts: 10, created: 10 });
      expect(Object.keys(created)).toHaveLength(10);
    });

    it("have outputs with an encrypted secret", () => {
      expect(created.url?.outputs).toMatchObject({
        ...webhookArgs(),
        baseUrl: stack().service.baseUrl,
        secret: { ciphertext: expect.any(String) },
      });
    });
  });

  describe("in a refresh after changes at the service", () => {
    let refreshed: StoredWebhooks;

    beforeAll(async () => {
      const { service, pulumi, storedWebhooks } = stack();
      service.updateWebhook(idOf("secretUrl"), {
        url: "https://example.com/new-token",
        events: ["table.created"],
        tableId: "tbl_x",
      });
      service.updateWebhook(idOf("changedUrl"), { url: otherUrl });
      service.updateWebhook(idOf("unlisted"), { url: otherUrl });
      service.updateWebhook(idOf("inactive"), { active: false });
      service.removeWebhook(idOf("gone"));
      const fault = { kind: "respond", statusCode: 403 } as const;
      service.inject({ on: "GET", databaseId: "base_unlisted", fault });

      ({ output } = await pulumi(["refresh", ...noPromptFlags]));
      refreshed = await storedWebhooks();
    });

    it("are reported with their changes, or with the list that is unavailable", () => {
      expect(output).toMatch(`Drift of webhook ${idOf("secretUrl")} `);
      expect(output).toMatch(`Drift of webhook ${idOf("changedUrl")} `);
      expect(output).toMatch(`switched off webhook ${idOf("inactive")} `);
      expect(output).toMatch(`no longer has webhook ${idOf("gone")} `);
      expect(output).toMatch(/base_unlisted\b.*\bGET .* returned 403/);
      // The program does not run, so Pulumi cannot compare the webhooks with it.
      expect(output).not.toContain("Replacing");
    });

    it("have a changed url in the state, and are removed from it when they are gone", () => {
      expect(refreshed.changedUrl?.outputs).toMatchObject({ url: otherUrl });
      expect(refreshed).not.toHaveProperty("gone");
    });

    it("keep their state when they are inactive or cannot be listed", () => {
      expect(refreshed.inactive?.outputs).toMatchObject(webhookArgs());
      expect(refreshed.unlisted?.outputs.url).toBe(webhookArgs().url);
    });

    it("neither show nor store in clear text the url that replaced a secret one", async () => {
      expect(output + (await stack().stateText())).not.toMatch(clearText);
    });
  });

  describe("in an up with a preview, after the program has changed one argument of some", () => {
    let after: StoredWebhooks;
    let secretsBefore: readonly string[];
    const webhookOf = (name: string) =>
      stack().service.webhooks.find((webhook) => program.idOf(webhook) === after[name]?.id);

    beforeAll(async () => {
      const { service, declare, pulumi, storedWebhooks } = stack();
      secretsBefore = service.webhooks.map(({ secret }) => secret);
      service.clearRequests();
      await declare(webhooksAfter);

      ({ output } = await pulumi(["up", "--yes", "--diff"]));
      after = await storedWebhooks();
    });

    it("are all created before the first is deleted", () => {
      const posts = [...replaced, "secretUrl", "changedUrl", "gone"].map(() => "POST");
      const deletions = [...replaced, "secretUrl", "changedUrl"].map(() => "DELETE");

      const methods = stack().service.requests.map(({ method }) => method);
      expect(methods).toEqual([...posts, ...deletions]);
    });

    it.each(replaced)("get a warning in the preview and in the update when %s changes", (name) => {
      const warning = new RegExp(`\\bReplacing webhook ${idOf(name)} .*: ${name}`);
      const [preview, update] = output.split("\nUpdating ");

      expect(preview).toMatch(warning);
      expect(preview).toMatch(new RegExp(`[~+] ${name} *:`));
      expect(update).toMatch(warning);
    });

    it("show the url of the service and that of the program when they differ", () => {
      expect(output).toMatch(/~ url *: "https:\/\/example.com\/other" => "https:\/\/ex/);
    });

    it.each(replaced)("have the new %s and a new secret", (name) => {
      const webhook = webhookOf(name);

      expect(webhook).toMatchObject(webhookArgs(replacingChanges[name]));
      expect(secretsBefore).not.toContain(webhook?.secret);
    });

    it("stay when only an ignored argument differs, and when they are inactive or not listed", () => {
      const kept = Object.keys(after).filter((name) => after[name]?.id === created[name]?.id);

      expect(kept.toSorted()).toEqual(["ignoring", "inactive", "unlisted"]);
      // The stack is the fourth.
      expect(output.match(/\b4 unchanged/g)).toHaveLength(2);
    });

    it("are each in the state and at the service once", () => {
      const ids = Object.values(after).map(({ id }) => id);

      expect(ids.toSorted()).toEqual(stack().service.webhooks.map(program.idOf).toSorted());
    });

    it("are neither shown nor stored with a secret, the API key or a secret url in clear text", async () => {
      expect(output).toContain("[secret]");
      expect(output + (await stack().stateText())).not.toMatch(clearText);
    });

    it("hand their new secrets to the outputs of the stack", async () => {
      const secrets = Object.keys(after).map((name) => [`${name}Secret`, webhookOf(name)?.secret]);

      expect(await stack().outputs()).toEqual(Object.fromEntries(secrets));
    });
  });

  it("are deleted with the key in the environment, although the stack has another key", async () => {
    const { service, pulumi } = stack();
    service.clearRequests();

    const { exitCode, output } = await pulumi(["destroy", ...noPromptFlags], {
      DBWEBHOOKS_API_KEY: "new-api-key",
    });

    expect(exitCode, output).toBe(0);
    const keys = service.requests.map(({ headers }) => headers.authorization);
    expect(new Set(keys)).toEqual(new Set(["Bearer new-api-key"]));
  });
});
