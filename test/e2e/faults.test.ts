import type { Interceptor } from "pulumi-dbwebhooks/local-service";
import { expect, it } from "vitest";
import { isDelete, isOf, isPost, loseResponse, respondWith } from "../helpers/faults/faults.mts";
import { javascriptProgram, type Webhooks, yamlProgram } from "../helpers/programs.ts";
import { methodsOf } from "../helpers/recorder.mts";
import { noPromptFlags, type TestStack, withStack } from "../helpers/stack.ts";

// Each outcome has a webhook, in a database of its name. All faults are in
// test/unit/provider/faults.test.ts.
const creationOutcomes = ["created", "notCreated", "inDoubt"];
/** How many webhooks the service has after a creation that fails with the kind of this name. */
const failedCreations = { notCreated: 0, inDoubt: 1 };
const deletionOutcomes = ["alreadyGone", "notDeleted"];
// These are replaced on request in the second update, although no argument changes.
const replacedOnRequest = ["triggered", "targeted"];
const webhooksIn = (databaseIds: readonly string[], replacementTrigger: string): Webhooks => ({
  ...Object.fromEntries(databaseIds.map((databaseId) => [databaseId, { args: { databaseId } }])),
  triggered: { args: { databaseId: "triggered" }, opts: { replacementTrigger } },
});

const forbidden = respondWith(403);
const interceptedByFirewall = respondWith(202);
/** The faults that creations meet, by database. */
const faultsOfCreations: Readonly<Record<string, Interceptor>> = {
  notCreated: forbidden,
  inDoubt: loseResponse,
};
const withSecret = { outputs: { secret: { ciphertext: expect.any(String) } } };

it.each([javascriptProgram, yamlProgram])(
  "On the real CLI, through $name, each outcome leaves the webhook and the state that it names",
  async (program) => {
    // Without a list, nothing can confirm that a webhook is gone.
    await withStack(playOutcomes, { program, service: { listing: false } });
  },
);

async function playOutcomes(stack: TestStack) {
  const { service, configure, declare, pulumi, storedWebhooks } = stack;
  const up = (...args: string[]) =>
    pulumi(["up", ...noPromptFlags, "--continue-on-error", ...args]);
  const removeFirstFaults = service.use((request, next) => {
    const { databaseId = "" } = request;
    const fault = isPost(request) ? faultsOfCreations[databaseId] : undefined;
    return fault?.(request, next) ?? next();
  });
  await declare(webhooksIn([...creationOutcomes, ...deletionOutcomes, "targeted"], "first"));
  const first = await up();
  removeFirstFaults();

  const stored = await storedWebhooks();
  for (const [name, existing] of Object.entries(failedCreations)) {
    expect(kindsOf(first.output, name)).toEqual([name]);
    expect(service.webhooks.filter(isOf(name))).toHaveLength(existing);
    expect(stored).not.toHaveProperty(name);
  }

  // The user deletes the webhook that an error has named, and another one.
  const gone = ["inDoubt", "alreadyGone"];
  service.webhooks = service.webhooks.filter(({ databaseId }) => !gone.includes(databaseId));
  service.use((request, next) => {
    const { databaseId = "" } = request;
    if (isDelete(request) && databaseId === "notDeleted") {
      return interceptedByFirewall(request, next);
    }
    if (!isPost(request) || !replacedOnRequest.includes(databaseId)) {
      return next();
    }
    // Pulumi compares nothing here, so the provider learns only from the deletion that it knows
    // the webhook.
    const { id, secret } = service.webhooks.find(isOf(databaseId)) ?? {};
    return Response.json({ id, secret });
  });
  await declare(webhooksIn([...creationOutcomes, "targeted"], "second"));
  const second = await up("--replace", stored.targeted?.urn ?? "");

  // Each webhook is once at the service and, with a secret, in the state.
  const storedNow = await storedWebhooks();
  const all = [...creationOutcomes, "notDeleted", ...replacedOnRequest].toSorted();
  expect(service.webhooks.map(({ databaseId }) => databaseId).toSorted()).toEqual(all);
  expect(Object.keys(storedNow).toSorted()).toEqual(all);
  for (const { databaseId, id } of service.webhooks) {
    expect(storedNow[databaseId]).toMatchObject({ id: String(id), ...withSecret });
  }
  expect(kindsOf(second.output, "notDeleted")).toEqual(["notDeleted"]);
  expect(second.output).toMatch(/warning: .*404 for webhook \d+ of database alreadyGone,/);
  // The service returns the old webhook for a replacement.
  for (const name of replacedOnRequest) {
    expect(second.output).toMatch(new RegExp(`warning: Did not delete .* database ${name}:`));
    expect(methodsOf(second.requests.filter(isOf(name)))).toEqual(["POST"]);
  }

  // The default provider refuses another base URL in a preview, before it sends anything.
  await configure({ "dbwebhooks:baseUrl": "https://tables.example.com" });
  await declare({ created: { args: { databaseId: "created" } } });
  const refused = await pulumi(["preview"]);
  expect(kindsOf(refused.output, "created")).toEqual(["unchanged"]);
  expect(refused.requests).toEqual([]);
}

/** Returns the kinds of the errors of a resource below "Diagnostics:". Pulumi's own have none. */
function kindsOf(output: string, name: string): readonly (string | undefined)[] {
  const kinds: (string | undefined)[] = [];
  let isOfResource = false;
  for (const line of output.slice(output.indexOf("\nDiagnostics:\n")).split("\n")) {
    // "  pulumi-nodejs:dynamic/dbwebhooks:Webhook (inDoubt):"
    if (/^ {2}\S/.test(line)) {
      isOfResource = line.endsWith(`:Webhook (${name}):`);
    } else if (isOfResource && /^ +error: /.test(line)) {
      kinds.push(/\[(\w+)\]$/.exec(line)?.[1]);
    }
  }
  return kinds;
}
