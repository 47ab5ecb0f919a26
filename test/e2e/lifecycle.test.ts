import { beforeAll, describe, expect, it } from "vitest";
import { javascriptProgram, webhookArgs, yamlProgram } from "../helpers/programs.js";
import { noPromptFlags, type StoredWebhooks, shareStack } from "../helpers/stack.js";

/** The change that replaces each webhook; each webhook has the name of its changed argument. */
const replacingChanges: Readonly<Record<string, object>> = {
  databaseId: { databaseId: "base_other" },
  url: { url: "https://example.com/hooks/other" },
  events: { events: ["record.deleted"] },
  tableId: { tableId: "tbl_orders" },
};
const replaced = Object.keys(replacingChanges);
const webhooksBefore = {
  ...Object.fromEntries(replaced.map((name) => [name, {}])),
  ignoring: {},
};
const webhooksAfter = {
  ...Object.fromEntries(replaced.map((name) => [name, { args: replacingChanges[name] }])),
  ignoring: { args: { url: "https://example.com/ignored" }, opts: { ignoreChanges: ["url"] } },
};

describe.each([javascriptProgram, yamlProgram])("Webhooks of $name", (program) => {
  const apiKeys = ["local-api-key", "new-api-key"];
  const stack = shareStack({ program, service: { apiKeys } });
  let output: string;
  let before: StoredWebhooks;
  let after: StoredWebhooks;
  let secretsBefore: readonly string[];

  const webhookOf = (name: string, stored: StoredWebhooks) =>
    stack().service.webhooks.find((webhook) => program.idOf(webhook) === stored[name]?.id);

  describe("in the first up", () => {
    beforeAll(async () => {
      await stack().declare(webhooksBefore);
      await stack().up();
      before = await stack().storedWebhooks();
      secretsBefore = stack().service.webhooks.map(({ secret }) => secret);
    });

    it("are created once each", () => {
      expect(stack().service.counts).toMatchObject({ posts: 5, created: 5 });
      expect(Object.keys(before)).toHaveLength(5);
    });

    it("have outputs with an encrypted secret", () => {
      expect(before.url?.outputs).toMatchObject({
        ...webhookArgs(),
        baseUrl: stack().service.baseUrl,
        secret: { ciphertext: expect.any(String) },
      });
    });
  });

  describe("in an up with a preview that changes one argument of each", () => {
    beforeAll(async () => {
      stack().service.clearRequests();
      await stack().declare(webhooksAfter);
      ({ output } = await stack().pulumi(["up", "--yes", "--diff"]));
      after = await stack().storedWebhooks();
    });

    it("are all created before the first is deleted", () => {
      expect(stack().service.requests.map(({ method }) => method)).toEqual([
        ...replaced.map(() => "POST"),
        ...replaced.map(() => "DELETE"),
      ]);
    });

    it.each(replaced)("get a warning in the preview and in the update when %s changes", (name) => {
      const id = before[name]?.id.split("/").at(-1);
      const warning = new RegExp(`\\bReplacing webhook ${id} .*: ${name}`);
      const [preview, update] = output.split("\nUpdating ");

      expect(preview).toMatch(warning);
      expect(preview).toMatch(new RegExp(`[~+] ${name} *:`));
      expect(update).toMatch(warning);
    });

    it.each(replaced)("have the new %s and a new secret", (name) => {
      const webhook = webhookOf(name, after);

      expect(webhook).toMatchObject(webhookArgs(replacingChanges[name]));
      expect(secretsBefore).not.toContain(webhook?.secret);
    });

    it("stay as they are when only an ignored argument changes", () => {
      expect(after.ignoring?.id).toBe(before.ignoring?.id);
      // The stack is the second.
      expect(output.match(/\b2 unchanged/g)).toHaveLength(2);
    });

    it("hand their new secrets to the outputs of the stack, which are not printed", async () => {
      const secrets = Object.keys(after).map((name) => [
        `${name}Secret`,
        webhookOf(name, after)?.secret,
      ]);

      expect(await stack().outputs()).toEqual(Object.fromEntries(secrets));
      expect(output).toContain("[secret]");
      expect(output).not.toContain("whsec_");
    });

    it("leave neither a secret nor the API key in clear text in the state", async () => {
      expect(await stack().stateText()).not.toMatch(/whsec_|local-api-key/);
    });
  });

  it("are deleted with the key in the environment, although the stack has another key", async () => {
    const { service, pulumi } = stack();
    service.clearRequests();

    const { exitCode, output } = await pulumi(["destroy", ...noPromptFlags], {
      DBWEBHOOKS_API_KEY: "new-api-key",
    });

    expect(exitCode, output).toBe(0);
    expect(service.webhooks).toEqual([]);
    const keys = service.requests.map(({ headers }) => headers.authorization);
    expect(new Set(keys)).toEqual(new Set(["Bearer new-api-key"]));
  });
});
