import type { Fault } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { withFields } from "../helpers/faults/faults.mjs";
import { kindOf } from "../helpers/kind-of.js";
import { javascriptProgram, type Webhooks, yamlProgram } from "../helpers/programs.js";
import { noPromptFlags, shareStack, type TestStack } from "../helpers/stack.js";

// One webhook for each outcome. All faults are in test/process/faults, without the CLI.
const outcomes = ["created", "retried", "notCreated", "inDoubt", "undone", "partial"];
/** Webhooks that are replaced by order in the second update. */
const replacedByOrder = ["triggered", "targeted"];
/** Each webhook is in a database of its own name. */
const webhooksWith = (replacementTrigger: string): Webhooks => ({
  ...Object.fromEntries(
    [...outcomes, "targeted"].map((name) => [name, { args: { databaseId: name } }]),
  ),
  triggered: { args: { databaseId: "triggered" }, opts: { replacementTrigger } },
});

const refused: Fault = { kind: "respond", statusCode: 403 };
const rateLimited: Fault = { kind: "respond", statusCode: 429, headers: { "retry-after": "1" } };
const lost: Fault = { kind: "resetAfterCommit" };
const withoutSecret: Fault = withFields({ secret: undefined });

describe.each([javascriptProgram, yamlProgram])("On the real CLI, through $name", (program) => {
  const stack = shareStack({ program });
  let output: string;
  let stored: Awaited<ReturnType<TestStack["resources"]>>;

  const run = async (command: string, ...args: string[]) => {
    const words = [command, ...noPromptFlags, "--continue-on-error", ...args];
    ({ output } = await stack().pulumi(words));
    stored = await stack().resources();
  };
  const heldIn = (databaseId: string) =>
    stack().service.webhooks.filter((webhook) => webhook.databaseId === databaseId);
  const idIn = (databaseId: string) => heldIn(databaseId).map(program.idOf)[0];
  const requestsTo = (databaseId: string) =>
    stack()
      .service.requests.filter((request) => request.databaseId === databaseId)
      .map(({ method }) => method);
  /** The kinds of the errors below "Diagnostics:" that belong to a resource. */
  const kindsOf = (name: string) => {
    const [, diagnostics = ""] = output.split("\nDiagnostics:\n");
    const blocks = diagnostics.split(/\n(?= {2}\S)/).filter((text) => text.includes(` (${name}):`));
    const lines = blocks.flatMap((block) => block.split("\n"));
    return lines.map((line) => kindOf({ message: line })).filter((kind) => kind !== undefined);
  };

  describe("an up that meets faults", () => {
    beforeAll(async () => {
      const { service, declare } = stack();
      service.inject({ on: "POST", databaseId: "retried", fault: rateLimited, times: 1 });
      service.inject({ on: "POST", databaseId: "notCreated", fault: refused });
      service.inject({ on: "POST", databaseId: "inDoubt", fault: lost });
      service.inject({ on: "POST", databaseId: "undone", fault: withoutSecret });
      service.inject({ on: "POST", databaseId: "partial", fault: withoutSecret });
      service.inject({ on: "DELETE", databaseId: "partial", fault: refused });
      await declare(webhooksWith("first"));

      await run("up");
    });

    it.each([
      { name: "created", requests: ["POST"] },
      { name: "retried", requests: ["POST", "POST"] },
    ])("stores a webhook that is $name", ({ name, requests }) => {
      expect(requestsTo(name)).toEqual(requests);
      expect(stored[name]).toMatchObject({
        id: idIn(name),
        outputs: { secret: { ciphertext: expect.any(String) } },
      });
    });

    it.each([
      { name: "notCreated", held: 0 },
      { name: "inDoubt", held: 1 },
      { name: "undone", held: 0 },
    ])("reports $name for a webhook that it does not store", ({ name, held }) => {
      expect(kindsOf(name)).toEqual([name]);
      expect(heldIn(name)).toHaveLength(held);
      expect(stored).not.toHaveProperty(name);
    });

    it("stores the id of a webhook that has no secret and cannot be undone", () => {
      expect(kindsOf("partial")).toEqual(["partial"]);
      expect(stored.partial?.id).toBe(idIn("partial"));
      expect(stored.partial?.outputs).not.toHaveProperty("secret");
    });
  });

  describe("the next up, in which the service returns existing webhooks for repeated creations,", () => {
    beforeAll(async () => {
      const { service, declare } = stack();
      service.clearFaults();
      // The error has named it.
      service.removeWebhook(heldIn("inDoubt")[0]?.id ?? 0);
      for (const databaseId of replacedByOrder) {
        const [{ id, secret } = {}] = heldIn(databaseId);
        const fault: Fault = { kind: "respond", statusCode: 200, body: { id, secret } };
        service.inject({ on: "POST", databaseId, fault });
      }
      await declare(webhooksWith("second"));

      await run("up", "--replace", stored.targeted?.urn ?? "");
    });

    it("leaves each webhook once at the service and, with a secret, in the state", () => {
      const names = [...outcomes, ...replacedByOrder];

      expect(stack().service.webhooks).toHaveLength(names.length);
      for (const name of names) {
        expect(stored[name]).toMatchObject({
          id: idIn(name),
          outputs: { secret: { ciphertext: expect.any(String) } },
        });
      }
    });

    it.each(replacedByOrder)("keeps the existing webhook, and warns: %s", (name) => {
      const { id } = heldIn(name)[0] ?? {};

      expect(output).toMatch(new RegExp(`warning: [^\n]*\\bwebhook ${id} of database ${name}\\b`));
      expect(requestsTo(name)).toEqual(["POST", "POST"]);
    });
  });

  describe("a destroy that meets faults", () => {
    beforeAll(async () => {
      const { service } = stack();
      service.clearFaults();
      service.clearRequests();
      service.inject({ on: "DELETE", databaseId: "retried", fault: lost, times: 1 });
      service.inject({ on: "DELETE", databaseId: "notCreated", fault: refused });
      service.removeWebhook(heldIn("inDoubt")[0]?.id ?? 0);

      await run("destroy");
    });

    it("removes a webhook whose deletion succeeds", () => {
      expect(requestsTo("created")).toEqual(["DELETE"]);
      expect(heldIn("created")).toEqual([]);
      expect(stored).not.toHaveProperty("created");
    });

    it("removes a webhook whose deletion is retried, without a warning", () => {
      expect(requestsTo("retried")).toEqual(["DELETE", "DELETE"]);
      expect(stored).not.toHaveProperty("retried");
      expect(output).not.toMatch(/\bwebhook \d+ of database retried\b/);
    });

    it("removes a webhook that is already gone, with a line that says so", () => {
      expect(stored).not.toHaveProperty("inDoubt");
      expect(output).toMatch(/warning: .*\bwebhook \d+ of database inDoubt\b/);
    });

    it("keeps a webhook in the state whose deletion fails", () => {
      expect(kindsOf("notCreated")).toEqual(["notDeleted"]);
      expect(stored.notCreated?.id).toBe(idIn("notCreated"));
    });
  });
});
