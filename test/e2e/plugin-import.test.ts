import { join } from "node:path";
import { expect, it } from "vitest";
import { someArgs } from "../helpers/builders.ts";
import { writeJson } from "../helpers/directory.ts";
import { isPost, respondWith } from "../helpers/faults/faults.mts";
import { secretOr } from "../helpers/leaks.ts";
import { yamlProgram } from "../helpers/programs.ts";
import { methodsOf } from "../helpers/recorder.mts";
import {
  type ExistingWebhook,
  expectAgreement,
  noPromptFlags,
  removeFromState,
  type TestStack,
  withStack,
} from "../helpers/stack.ts";

const url = "https://example.com/path-token";
const { databaseId, events } = someArgs();

it("The plugin imports described webhooks without a request, and deletes none that two resources have", () =>
  withStack(playImports, { program: yamlProgram }));

async function playImports(stack: TestStack): Promise<void> {
  const { service, declare, directory } = stack;
  /** The content of DBWEBHOOKS_IMPORT, by id. */
  const described: Record<string, unknown> = {};
  let printed = "";
  const run = async (...command: string[]) => {
    const variables = { DBWEBHOOKS_IMPORT: JSON.stringify(described) };
    const { exitCode, output, requests } = await stack.pulumi(command, variables);
    printed += output;
    return { exitCode, output, methods: methodsOf(requests) };
  };
  const up = (...flags: string[]) => run("up", ...noPromptFlags, ...flags);
  const createDescribed = async () => {
    const webhook = await stack.createByHand({ url });
    described[webhook.id] = { databaseId, url, events, tableId: null, secret: webhook.secret };
    return webhook;
  };
  const managed = { args: { url }, hasSecretUrl: true };
  const importing = ({ id }: ExistingWebhook, changes = {}) => {
    return { args: { url, ...changes }, hasSecretUrl: true, opts: { import: String(id) } };
  };

  const orders = await createDescribed();
  const invoices = await createDescribed();
  const resources = Object.entries({ orders, invoices }).map(([name, { id }]) => {
    return { type: yamlProgram.type, name, id: String(id) };
  });
  await writeJson(join(directory, "import.json"), { resources });
  // Pulumi would print code that contains the url, although the state encrypts it.
  const flags = ["--yes", "--protect=false", "--generate-code=false"];
  const byCommand = await run("import", "--file", "import.json", ...flags);
  expect(byCommand, byCommand.output).toMatchObject({ exitCode: 0, methods: [] });

  const byOption = await createDescribed();
  const mismatched = await createDescribed();
  await declare({
    orders: managed,
    invoices: managed,
    byOption: importing(byOption),
    mismatched: importing(mismatched, { url: "https://example.com/other-path" }),
  });
  // It fails, and does not replace. --diff also prints the arguments: see the end of this test.
  const byOptions = await up("--diff", "--continue-on-error");
  expect(byOptions.exitCode).not.toBe(0);
  expect(byOptions.output).toMatch(new RegExp(`webhook ${mismatched.id} of .*: url\\b`));
  expect(byOptions.methods).toEqual([]);

  // Pulumi has stored the webhook although its import failed. The first was imported by command.
  await declare({
    orders: importing(orders),
    invoices: managed,
    byOption: importing(byOption),
    mismatched: managed,
  });
  // SECURITY.md promises that --json prints no secret of a YAML program.
  const unchanged = await up("--json");
  expect(unchanged, unchanged.output).toMatchObject({ exitCode: 0, methods: [] });

  const removeFault = service.use((request, next) =>
    isPost(request) ? respondWith(400)(request, next) : next(),
  );
  const kept = { orders: managed, invoices: managed, byOption: managed };
  // The creation fails, so Pulumi deletes the old entry only in the next update, in which nobody
  // imports.
  const created = { args: { databaseId: "base_created" } };
  await declare({ ...kept, fresh: importing(mismatched), created });
  const imported = await up();
  removeFault();
  const refused = await up();
  await removeFromState(stack, "mismatched");
  const ended = await up();
  expect([imported, refused].map(({ exitCode }) => exitCode)).not.toContain(0);
  expect(refused.output).toMatch(/"Two resources have one webhook" in .*\[notDeleted\]/);
  expect([imported, refused].map(({ methods }) => methods)).toEqual([["POST"], ["POST"]]);
  expect(ended).toMatchObject({ exitCode: 0, methods: [] });
  await expectAgreement(stack, service);

  // States, their copies and the history.
  const texts = printed + (await stack.storedText());
  expect(texts).not.toMatch(secretOr(/path-token|other-path|local-api-key/));
}
