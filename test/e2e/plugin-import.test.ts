import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { someArgs } from "../helpers/builders.ts";
import { writeJson } from "../helpers/directory.ts";
import { isPost, respondWith } from "../helpers/faults/faults.mts";
import { yamlProgram } from "../helpers/programs.ts";
import { methodsOf } from "../helpers/recorder.mts";
import {
  type ExistingWebhook,
  expectAgreement,
  noPromptFlags,
  removeFromState,
  shareStack,
} from "../helpers/stack.ts";

const url = "https://example.com/path-token";
const { databaseId, events } = someArgs();

describe("The plugin, given a description of existing webhooks,", () => {
  const stack = shareStack({ program: yamlProgram, service: { listing: true } });
  /** What DBWEBHOOKS_IMPORT holds, by number. */
  const described: Record<string, unknown> = {};
  let mismatched: ExistingWebhook;
  let printed = "";
  const run = async (...command: string[]) => {
    const variables = { DBWEBHOOKS_IMPORT: JSON.stringify(described) };
    const { exitCode, output, requests } = await stack().pulumi(command, variables);
    printed += output;
    return { exitCode, output, methods: methodsOf(requests) };
  };
  const up = (...flags: string[]) => run("up", ...noPromptFlags, ...flags);
  const createDescribed = async () => {
    const webhook = await stack().createByHand({ url });
    described[webhook.id] = { databaseId, url, events, tableId: null, secret: webhook.secret };
    return webhook;
  };
  const managed = { args: { url }, hasSecretUrl: true };
  const importing = ({ id }: ExistingWebhook, changes = {}) => {
    return { args: { url, ...changes }, hasSecretUrl: true, opts: { import: String(id) } };
  };
  type Outcome = Awaited<ReturnType<typeof run>>;
  let byCommand: Outcome;
  let byOptions: Outcome;
  let unchanged: Outcome;
  let imported: Outcome;
  let refused: Outcome;
  let ended: Outcome;

  beforeAll(async () => {
    const { service, declare, directory } = stack();
    const orders = await createDescribed();
    const invoices = await createDescribed();
    const resources = Object.entries({ orders, invoices }).map(([name, { id }]) => {
      return { type: yamlProgram.type, name, id: String(id) };
    });
    await writeJson(join(directory, "import.json"), { resources });
    // Pulumi would print code that contains the url, although the state encrypts it.
    const flags = ["--yes", "--protect=false", "--generate-code=false"];
    byCommand = await run("import", "--file", "import.json", ...flags);

    const byOption = await createDescribed();
    mismatched = await createDescribed();
    await declare({
      orders: managed,
      invoices: managed,
      byOption: importing(byOption),
      mismatched: importing(mismatched, { url: "https://example.com/other-path" }),
    });
    // --diff also prints the arguments: the last test shows that it prints no secret.
    byOptions = await up("--diff", "--continue-on-error");

    // Pulumi has stored the webhook although its import failed. The first was imported by command.
    await declare({
      orders: importing(orders),
      invoices: managed,
      byOption: importing(byOption),
      mismatched: managed,
    });
    // SECURITY.md promises that --json prints no secret of a YAML program: the last test checks it.
    unchanged = await up("--json");

    const removeFault = service.use((request, next) =>
      isPost(request) ? respondWith(400)(request, next) : next(),
    );
    const kept = { orders: managed, invoices: managed, byOption: managed };
    // The creation fails, so Pulumi deletes the old entry only in the next update, in which nobody
    // imports.
    const created = { args: { databaseId: "base_created" } };
    await declare({ ...kept, fresh: importing(mismatched), created });
    imported = await up();
    removeFault();
    refused = await up();
    await removeFromState(stack(), "mismatched");
    ended = await up();
  });

  it("imports by command, without a request", () => {
    expect(byCommand, byCommand.output).toMatchObject({ exitCode: 0, methods: [] });
  });

  it("imports by option, and fails, not replaces, when the arguments differ", () => {
    expect(byOptions.exitCode).not.toBe(0);
    expect(byOptions.output).toMatch(new RegExp(`webhook ${mismatched.id} of .*: url\\b`));
    expect(byOptions.methods).toEqual([]);
  });

  it("leaves webhooks that the stack has as they are, also those with the option import", () => {
    expect(unchanged, unchanged.output).toMatchObject({ exitCode: 0, methods: [] });
  });

  it("deletes no webhook that a second resource has imported, and `pulumi state delete` removes the first", async () => {
    expect([imported, refused].map(({ exitCode }) => exitCode)).not.toContain(0);
    expect(refused.output).toMatch(/"Two resources have one webhook" in .*\[notDeleted\]/);
    expect([imported, refused].map(({ methods }) => methods)).toEqual([["POST"], ["POST"]]);
    expect(ended).toMatchObject({ exitCode: 0, methods: [] });
    await expectAgreement(stack(), stack().service);
  });

  it("prints and stores no secret in clear text, in states, their copies and the history", async () => {
    const texts = printed + (await stack().storedText());

    expect(texts).not.toMatch(/whsec_|path-token|other-path|local-api-key/);
  });
});
