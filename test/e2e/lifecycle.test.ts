import { beforeAll, describe, expect, it } from "vitest";
import { javascriptProgram, webhookArgs, yamlProgram } from "../helpers/programs.js";
import { noPromptFlags, shareStack, type TestStack } from "../helpers/stack.js";

type Resources = Awaited<ReturnType<TestStack["resources"]>>;

/** The change that replaces each webhook, by the name of the webhook and of the argument. */
const replacingChanges: Readonly<Record<string, object>> = {
  databaseId: { databaseId: "base_other" },
  url: { url: "https://example.com/hooks/other" },
  events: { events: ["record.deleted"] },
  tableId: { tableId: "tbl_orders" },
};
const replaced = Object.keys(replacingChanges);
const staying = ["reordered", "ignoring"];
const unchangedWebhooks = {
  ...Object.fromEntries(replaced.map((name) => [name, {}])),
  reordered: {},
  ignoring: {},
};
const changedWebhooks = {
  ...Object.fromEntries(replaced.map((name) => [name, { args: replacingChanges[name] }])),
  reordered: {
    args: {
      allowInsecureUrl: true,
      events: ["record.updated", "record.created", "record.updated"],
    },
  },
  ignoring: {
    args: { url: "https://example.com/ignored" },
    opts: { ignoreChanges: ["url"] },
  },
};

describe.each([javascriptProgram, yamlProgram])("Webhooks of $name", (program) => {
  const apiKeys = ["local-api-key", "new-api-key"];
  const stack = shareStack({ program, service: { apiKeys } });
  let output: string;
  let before: Resources;
  let after: Resources;
  let secretsBefore: readonly unknown[];

  const webhookOf = (name: string, resources: Resources) =>
    stack().service.webhooks.find((webhook) => program.idOf(webhook) === resources[name]?.id);
  const secretsOf = (resources: Resources) =>
    Object.fromEntries(
      Object.keys(resources).map((name) => [`${name}Secret`, webhookOf(name, resources)?.secret]),
    );

  describe("in the first up", () => {
    beforeAll(async () => {
      await stack().declare(unchangedWebhooks);
      ({ output } = await stack().up());
      before = await stack().resources();
      secretsBefore = Object.values(secretsOf(before));
    });

    it("are created once each", () => {
      expect(stack().service.counts).toMatchObject({ posts: 6, created: 6 });
      expect(Object.keys(before)).toHaveLength(6);
    });

    it("have outputs with an encrypted secret", () => {
      expect(before.url?.outputs).toMatchObject({
        ...webhookArgs(),
        baseUrl: stack().service.baseUrl,
        secret: { ciphertext: expect.any(String) },
      });
    });

    it("hand their secrets to the outputs of the stack, which are not printed", async () => {
      expect(await stack().outputs()).toEqual(secretsOf(before));
      expect(output).toContain("[secret]");
      expect(output).not.toContain("whsec_");
    });
  });

  describe("in an up with a preview that changes one argument of each", () => {
    beforeAll(async () => {
      stack().service.clearRequests();
      await stack().declare(changedWebhooks);
      ({ output } = await stack().pulumi(["up", "--yes", "--diff"]));
      after = await stack().resources();
    });

    it("are all created before the first is deleted", () => {
      expect(stack().service.requests.map(({ method }) => method)).toEqual([
        ...replaced.map(() => "POST"),
        ...replaced.map(() => "DELETE"),
      ]);
    });

    it.each(replaced)("get a warning in the preview and in the update when %s changes", (name) => {
      const id = before[name]?.id.split("/").at(-1);
      const warning = `\\bReplacing webhook ${id} .*: ${name}`;

      expect(output).toMatch(new RegExp(`${warning}[^]*[~+] ${name} *:[^]*${warning}`));
    });

    it.each(replaced)("have the new %s and a new secret", (name) => {
      const webhook = webhookOf(name, after);

      expect(webhook).toMatchObject(webhookArgs(replacingChanges[name]));
      expect(secretsBefore).not.toContain(webhook?.secret);
    });

    it("stay as they are when only ignored changes, duplicates and order differ", () => {
      const idsOf = (resources: Resources) => staying.map((name) => resources[name]?.id);

      expect(idsOf(after)).toEqual(idsOf(before));
      // The stack is the third.
      expect(output.match(/\b3 unchanged/g)).toHaveLength(2);
    });

    it("hand their new secrets to the outputs of the stack", async () => {
      expect(await stack().outputs()).toEqual(secretsOf(after));
    });

    it("leave neither a secret nor the API key in clear text in the state", async () => {
      expect(await stack().stateText()).not.toMatch(/whsec_|local-api-key/);
    });
  });

  it("are deleted with the key in the environment, although the stack has another one", async () => {
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
