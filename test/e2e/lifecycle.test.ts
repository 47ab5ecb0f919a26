import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { interpolated, javascriptProgram, yamlProgram } from "../helpers/programs.js";
import { unasked, webhookArgs, withStack } from "../helpers/stack.js";

/** By resource name, what changes of a webhook that is replaced for it. */
const replacing: Readonly<Record<string, object>> = {
  databaseId: { databaseId: "base_other" },
  url: { url: "https://example.com/hooks/other" },
  events: { events: ["record.deleted"] },
  tableId: { tableId: "tbl_orders" },
};
/** And of webhooks that are left alone. */
const local: Readonly<Record<string, object>> = {
  first: { allowInsecureUrl: true, events: ["record.updated", "record.created", "record.updated"] },
  ignored: { url: "https://example.com/ignored" },
};
const dependent = {
  args: webhookArgs({ url: `https://example.com/${interpolated("first.id")}` }),
};
const optsOf = (name: string) => ({ ignoreChanges: name === "ignored" ? ["url"] : [] });
const declared = (changes: Readonly<Record<string, object>>) => {
  const all = Object.keys({ ...local, ...replacing }).map((name) => [
    name,
    { args: webhookArgs(changes[name]), opts: optsOf(name) },
  ]);
  return { ...Object.fromEntries(all), dependent };
};
const rows = Object.keys(replacing).length;

describe.each([javascriptProgram, yamlProgram])("Webhooks of $name", (program) => {
  it("are created, left alone, replaced with a warning, moved and deleted, with their secrets encrypted", async () => {
    const service = await startLocalService({ apiKeys: ["local-api-key", "new-api-key"] });
    await withStack(
      async ({ declare, pulumi, outputs, resources, stateText }) => {
        await declare(declared({}));
        const created = await pulumi(["up", "--yes"]);

        const olds = await resources();
        const webhookOf = (name: string, of = olds) =>
          service.webhooks.find((one) => program.idOf(one) === of[name]?.id);
        expect(created.output).toContain(`+ ${rows + 4} to create`);
        expect(created.output).toContain("[secret]");
        expect(webhookOf("dependent")?.url).toBe(`https://example.com/${olds.first?.id}`);
        expect(olds.first?.outputs).toMatchObject({
          ...webhookArgs(),
          baseUrl: service.baseUrl,
          secret: { ciphertext: expect.any(String) },
        });
        const names = Object.keys(olds);
        const secrets = (of = olds) =>
          Object.fromEntries(names.map((name) => [`${name}Secret`, webhookOf(name, of)?.secret]));
        const oldSecrets = Object.values(secrets());
        expect(service.counts.posts).toBe(names.length);

        service.clearRequests();
        await declare(declared(local));
        // Nothing is unknown in it, although one webhook is made of another.
        const same = await pulumi(["preview", "--expect-no-changes"]);
        expect(same.exitCode, same.output).toBe(0);

        await declare(declared({ ...local, ...replacing }));
        const { output } = await pulumi(["up", "--yes", "--diff"]);

        expect(service.requests.map(({ method }) => method)).toEqual([
          ...Array(rows).fill("POST"),
          ...Array(rows).fill("DELETE"),
        ]);
        const news = await resources();
        const newSecrets = secrets(news);
        for (const [name, change] of Object.entries(replacing)) {
          const warning = `\\bReplacing webhook ${olds[name]?.id.split("/").at(-1)} .*: ${name} changes`;
          const preview = `${warning}[^]*[~+] ${name} *:[^]*`;
          expect(output).toMatch(new RegExp(preview + warning));
          expect(webhookOf(name, news)).toMatchObject(webhookArgs(change));
          expect(oldSecrets).not.toContain(newSecrets[`${name}Secret`]);
        }
        expect(await outputs()).toEqual(newSecrets);
        for (const name of [...Object.keys(local), "dependent"]) {
          expect(news[name]?.id).toBe(olds[name]?.id);
        }

        const text = await stateText();
        for (const secret of ["local-api-key", ...Object.values(secrets(await resources()))]) {
          expect(text).not.toContain(secret);
        }

        // Pulumi takes the configuration of the last update, so that the environment is the way in.
        service.clearRequests();
        const newKey = { DBWEBHOOKS_API_KEY: "new-api-key" };
        const destroyed = await pulumi(["destroy", ...unasked], newKey);
        expect([destroyed.exitCode, service.webhooks], destroyed.output).toEqual([0, []]);
        const keys = service.requests.map(({ headers }) => headers.authorization);
        expect(new Set(keys)).toEqual(new Set(["Bearer new-api-key"]));
      },
      { service, program },
    );
  });
});
