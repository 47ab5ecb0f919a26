import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { interpolated, javascriptProgram, yamlProgram } from "../helpers/programs.js";
import { shareStack, type TestStack, unasked, webhookArgs } from "../helpers/stack.js";

/** The change of each webhook that is replaced, by resource name. */
const replacingChanges: Readonly<Record<string, object>> = {
  databaseId: { databaseId: "base_other" },
  url: { url: "https://example.com/hooks/other" },
  events: { events: ["record.deleted"] },
  tableId: { tableId: "tbl_orders" },
};
/** The changes of the webhooks that stay; the url of the second is listed in `ignoreChanges`. */
const ignoredChanges: Readonly<Record<string, object>> = {
  first: { allowInsecureUrl: true, events: ["record.updated", "record.created", "record.updated"] },
  ignored: { url: "https://example.com/ignored" },
};
const replacedNames = Object.keys(replacingChanges);
const staying = [...Object.keys(ignoredChanges), "dependent"];
const names = [...replacedNames, ...staying];

function webhooks(changes: Readonly<Record<string, object>>) {
  const independent = [...replacedNames, ...Object.keys(ignoredChanges)].map((name) => [
    name,
    {
      args: webhookArgs(changes[name]),
      opts: { ignoreChanges: name === "ignored" ? ["url"] : [] },
    },
  ]);
  const url = `https://example.com/${interpolated("first.id")}`;
  return { ...Object.fromEntries(independent), dependent: { args: webhookArgs({ url }) } };
}

describe.each([javascriptProgram, yamlProgram])("Webhooks of $name", (program) => {
  const apiKeys = ["local-api-key", "new-api-key"];
  const stack = shareStack({ program, startService: () => startLocalService({ apiKeys }) });
  type Resources = Awaited<ReturnType<TestStack["resources"]>>;
  let created: Resources;
  let replaced: Resources;

  const webhookOf = (name: string, resources: Resources) =>
    stack().service.webhooks.find((webhook) => program.idOf(webhook) === resources[name]?.id);
  const secretsOf = (resources: Resources) =>
    Object.fromEntries(names.map((name) => [`${name}Secret`, webhookOf(name, resources)?.secret]));

  describe("in the first up", () => {
    let output: string;

    beforeAll(async () => {
      await stack().declare(webhooks({}));
      ({ output } = await stack().pulumi(["up", "--yes"]));
      created = await stack().resources();
    });

    it("are announced by the preview, and created once each", () => {
      // The stack itself is a resource too.
      expect(output).toContain(`+ ${names.length + 1} to create`);
      expect(stack().service.counts).toMatchObject({ posts: names.length, created: names.length });
    });

    it("have outputs with an encrypted secret", () => {
      expect(created.first?.outputs).toMatchObject({
        ...webhookArgs(),
        baseUrl: stack().service.baseUrl,
        secret: { ciphertext: expect.any(String) },
      });
    });

    it("can be built from the outputs of other webhooks", () => {
      const { url } = webhookOf("dependent", created) ?? {};

      expect(url).toBe(`https://example.com/${created.first?.id}`);
    });

    it("hand their secrets to the outputs of the stack, which are not printed", async () => {
      expect(await stack().outputs()).toEqual(secretsOf(created));
      expect(output).toContain("[secret]");
      expect(output).not.toContain("whsec_");
    });
  });

  it("stay as they are when only ignored changes, duplicates and order differ", async () => {
    stack().service.clearRequests();
    await stack().declare(webhooks(ignoredChanges));

    const { exitCode, output } = await stack().pulumi(["preview", "--expect-no-changes"]);

    expect(exitCode, output).toBe(0);
    expect(stack().service.requests).toEqual([]);
  });

  describe("in an up that changes one argument of each", () => {
    let output: string;
    let createdSecrets: Record<string, string | undefined>;

    beforeAll(async () => {
      createdSecrets = secretsOf(created);
      await stack().declare(webhooks({ ...ignoredChanges, ...replacingChanges }));
      ({ output } = await stack().pulumi(["up", "--yes", "--diff"]));
      replaced = await stack().resources();
    });

    it("are all created before the first is deleted", () => {
      expect(stack().service.requests.map(({ method }) => method)).toEqual([
        ...replacedNames.map(() => "POST"),
        ...replacedNames.map(() => "DELETE"),
      ]);
    });

    it.each(replacedNames)("get a warning in preview and up when %s changes", (name) => {
      const id = created[name]?.id.split("/").at(-1);
      const warning = `\\bReplacing webhook ${id} .*: ${name}`;

      expect(output).toMatch(new RegExp(`${warning}[^]*[~+] ${name} *:[^]*${warning}`));
    });

    it.each(replacedNames)("have the new %s and a new secret", (name) => {
      const webhook = webhookOf(name, replaced);

      expect(webhook).toMatchObject(webhookArgs(replacingChanges[name]));
      expect(Object.values(createdSecrets)).not.toContain(webhook?.secret);
    });

    it.each(staying)("keep their id: %s", (name) => {
      expect(replaced[name]?.id).toBe(created[name]?.id);
    });

    it("hand their new secrets to the outputs of the stack", async () => {
      expect(await stack().outputs()).toEqual(secretsOf(replaced));
    });

    it("leave neither a secret nor the API key in clear text in the state", async () => {
      const state = await stack().stateText();

      expect(state).not.toMatch(/whsec_|local-api-key/);
    });
  });

  it("are deleted with the key in the environment, although the stack has another one", async () => {
    const { service, pulumi } = stack();
    service.clearRequests();

    const { exitCode, output } = await pulumi(["destroy", ...unasked], {
      DBWEBHOOKS_API_KEY: "new-api-key",
    });

    expect(exitCode, output).toBe(0);
    expect(service.webhooks).toEqual([]);
    const keys = service.requests.map(({ headers }) => headers.authorization);
    expect(new Set(keys)).toEqual(new Set(["Bearer new-api-key"]));
  });
});
