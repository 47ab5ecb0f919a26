import type { Interceptor } from "pulumi-dbwebhooks/local-service";
import { expect, it } from "vitest";
import { someArgs } from "../helpers/builders.ts";
import { changeText, changeWebhook, respondWith } from "../helpers/faults/faults.mts";
import { secretOr } from "../helpers/leaks.ts";
import { javascriptProgram, type Webhooks, yamlProgram } from "../helpers/programs.ts";
import { methodsOf } from "../helpers/recorder.mts";
import { noPromptFlags, type TestStack, withStack } from "../helpers/stack.ts";

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
/**
 * Webhooks that change at the service, or whose database the service refuses to list, or lists
 * without tables.
 */
const changedAtService: Webhooks = {
  secretUrl: { args: { url: "https://example.com/old-token" }, hasSecretUrl: true },
  changedUrl: {},
  gone: {},
  inactive: {},
  unlisted: { args: { databaseId: "base_unlisted" } },
  untabled: { args: { databaseId: "base_untabled", tableId: "tbl_orders" } },
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

const service = { apiKeys: ["local-api-key", "new-api-key"] };

it.each([javascriptProgram, yamlProgram])(
  "Webhooks of $name are created once, refreshed, replaced with a warning, and deleted, without a secret in sight",
  (program) => withStack(playLife, { program, service }),
);

async function playLife(stack: TestStack): Promise<void> {
  const { service, configure, declare, destroy, storedWebhooks } = stack;
  /** The output of all commands but the one that shows the outputs of the stack in clear text. */
  let printed = "";
  const run = async (...command: string[]) => {
    const { exitCode, output, requests } = await stack.pulumi(command);
    printed += output;
    expect(exitCode, output).toBe(0);
    return { output, requests };
  };
  await configure({ "dbwebhooks:listing": "true" });
  await declare(webhooksBefore);
  const created = await run("up", ...noPromptFlags);
  const createdStored = await storedWebhooks();
  const secretsBefore = service.webhooks.map(({ secret }) => secret);
  expect(methodsOf(created.requests)).toEqual(Array(11).fill("POST"));
  expect(service.webhooks).toHaveLength(11);
  expect(Object.keys(createdStored)).toHaveLength(11);
  expect(createdStored.url?.outputs).toMatchObject({
    ...someArgs(),
    baseUrl: service.baseUrl,
    secret: { ciphertext: expect.any(String) },
  });
  // The stack has a secret key, of which no adapter may warn.
  expect(created.output).not.toContain("dbwebhooks:apiKey");

  const idOf = (name: string) => Number(createdStored[name]?.id);
  changeWebhook(service, idOf("secretUrl"), {
    url: "https://example.com/new-token",
    events: ["table.created"],
    tableId: "tbl_x",
  });
  changeWebhook(service, idOf("changedUrl"), { url: otherUrl });
  changeWebhook(service, idOf("unlisted"), { url: otherUrl });
  changeWebhook(service, idOf("inactive"), { active: false });
  service.webhooks = service.webhooks.filter(({ id }) => id !== idOf("gone"));
  const faultsOfLists: Readonly<Record<string, Interceptor>> = {
    base_unlisted: respondWith(403),
    base_untabled: changeText((text) => text.replace('"tableIds":["tbl_orders"],', "")),
  };
  const removeFaults = service.use((request, next) => {
    const fault = request.method === "GET" && faultsOfLists[request.databaseId ?? ""];
    return fault ? fault(request, next) : next();
  });
  const refreshed = await run("refresh", ...noPromptFlags);
  const refreshedStored = await storedWebhooks();
  removeFaults();
  for (const line of [
    `webhook ${idOf("secretUrl")} of .*: url, events, tableId\\.`,
    `webhook ${idOf("changedUrl")} of .* differ from the state`,
    `webhook ${idOf("inactive")} of .* is switched off`,
    `does not list webhook ${idOf("gone")} `,
    "base_unlisted\\b.*\\bGET .* returned 403",
  ]) {
    expect(refreshed.output).toMatch(new RegExp(line));
  }
  expect(refreshedStored).toMatchObject({
    changedUrl: { outputs: { url: otherUrl } },
    inactive: { outputs: someArgs() },
    unlisted: { outputs: { url: someArgs().url } },
    untabled: { outputs: { tableId: "tbl_orders" } },
  });
  expect(refreshedStored).not.toHaveProperty("gone");

  await declare(webhooksAfter);
  const { output, requests } = await run("up", "--yes", "--diff");
  const updatedStored = await storedWebhooks();
  const webhookOf = (name: string) =>
    service.webhooks.find(({ id }) => String(id) === updatedStored[name]?.id);
  // All are created before the first is deleted. Six are replaced: four with a changed argument,
  // secretUrl and changedUrl. `gone` is only created.
  expect(methodsOf(requests)).toEqual([...Array(7).fill("POST"), ...Array(6).fill("DELETE")]);
  const [preview = "", update = ""] = output.split("\nUpdating ");
  for (const name of replaced) {
    const warning = new RegExp(`: .*\\bwebhook ${idOf(name)} of .*: ${name}\\b`);
    expect(preview).toMatch(warning);
    expect(preview).toMatch(new RegExp(`[~+] ${name} *:`));
    expect(update).toMatch(warning);
    expect(webhookOf(name)).toMatchObject(someArgs(replacingChanges[name]));
    expect(secretsBefore).not.toContain(webhookOf(name)?.secret);
  }
  expect(output).toMatch(
    /~ url *: "https:\/\/example.com\/other" => "https:\/\/example.com\/hooks\/orders"/,
  );
  const names = Object.keys(updatedStored);
  const kept = names.filter((name) => Number(updatedStored[name]?.id) === idOf(name));
  expect(kept.toSorted()).toEqual(["ignoring", "inactive", "unlisted", "untabled"]);
  // The stack is the fifth.
  expect(output.match(/\b5 unchanged/g)).toHaveLength(2);
  const secrets = names.map((name) => [`${name}Secret`, webhookOf(name)?.secret]);
  expect(service.webhooks).toHaveLength(secrets.length);
  expect(await stack.outputs()).toEqual(Object.fromEntries(secrets));

  // The stack has another key.
  const destroyed = await destroy({ DBWEBHOOKS_API_KEY: "new-api-key" });
  const keysOfDestroy = destroyed.requests.map(({ headers }) => headers.authorization);
  expect(new Set(keysOfDestroy)).toEqual(new Set(["Bearer new-api-key"]));
  expect(service.webhooks).toEqual([]);
  printed += destroyed.output;
  expect(printed).toContain("[secret]");
  expect(printed + (await stack.storedText())).not.toMatch(secretOr(/api-key|(old|new)-token/));
}
