import type { Interceptor } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { errorsOf } from "../helpers/cli-output.ts";
import {
  isDelete,
  isOf,
  isPost,
  loseResponse,
  respondWith,
  withFields,
} from "../helpers/faults/faults.mts";
import { javascriptProgram, type Webhooks, yamlProgram } from "../helpers/programs.ts";
import { methodsOf } from "../helpers/recorder.mts";
import { noPromptFlags, shareStack } from "../helpers/stack.ts";

// Each outcome has a webhook, in a database of its name. All faults are in
// test/unit/provider/faults.test.ts.
const creationOutcomes = ["created", "notCreated", "inDoubt", "withoutSecret", "unusableSecret"];
const deletionOutcomes = ["alreadyGone", "notDeleted"];
// These are replaced on request in the second update, although no argument changes.
const replacedOnRequest = ["triggered", "targeted"];
const webhooksIn = (databaseIds: readonly string[], replacementTrigger: string): Webhooks => ({
  ...Object.fromEntries(databaseIds.map((databaseId) => [databaseId, { args: { databaseId } }])),
  triggered: { args: { databaseId: "triggered" }, opts: { replacementTrigger } },
});

const forbidden = respondWith(403);
/** The faults that creations meet, by database. */
const faultsOfCreations: Readonly<Record<string, Interceptor>> = {
  notCreated: forbidden,
  inDoubt: loseResponse,
  withoutSecret: withFields({ secret: undefined }),
  unusableSecret: withFields({ secret: 42 }),
};
const withSecret = { outputs: { secret: { ciphertext: expect.any(String) } } };

describe.each([javascriptProgram, yamlProgram])("On the real CLI, through $name", (program) => {
  const stack = shareStack({ program });
  type Outcome = Awaited<ReturnType<typeof up>>;
  let first: Outcome;
  let second: Outcome;

  /** Updates the stack. `existing` are the webhooks of the service after it. */
  const up = async (...args: string[]) => {
    const flags = [...noPromptFlags, "--continue-on-error"];
    const { output, requests } = await stack().pulumi(["up", ...flags, ...args]);
    const { webhooks: existing } = stack().service;
    return { output, requests, existing, stored: await stack().storedWebhooks() };
  };
  const kindsOf = ({ output }: Outcome, name: string) =>
    errorsOf(output)
      .filter((error) => error.name === name)
      .map(({ kind }) => kind);

  beforeAll(async () => {
    const { service, declare } = stack();
    const removeFirstFaults = service.use((request, next) => {
      const { databaseId = "" } = request;
      const fault = isPost(request) ? faultsOfCreations[databaseId] : undefined;
      return fault?.(request, next) ?? next();
    });
    await declare(webhooksIn([...creationOutcomes, ...deletionOutcomes, "targeted"], "first"));
    first = await up();
    removeFirstFaults();

    // The user deletes the webhooks that an error has named, and another one.
    const gone = ["inDoubt", "withoutSecret", "unusableSecret", "alreadyGone"];
    service.webhooks = service.webhooks.filter(({ databaseId }) => !gone.includes(databaseId));
    service.use((request, next) => {
      const { databaseId = "" } = request;
      if (isDelete(request) && databaseId === "notDeleted") {
        return forbidden(request, next);
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
    second = await up("--replace", first.stored.targeted?.urn ?? "");
  });

  describe("an up that meets faults", () => {
    it.each([
      { kind: "notCreated", name: "notCreated", existing: 0 },
      { kind: "inDoubt", name: "inDoubt", existing: 1 },
      { kind: "inDoubt", name: "withoutSecret", existing: 1 },
      { kind: "inDoubt", name: "unusableSecret", existing: 1 },
    ])("reports $kind for the webhook $name, which it does not store", (row) => {
      const { kind, name, existing } = row;
      expect(kindsOf(first, name)).toEqual([kind]);
      expect(first.existing.filter(isOf(name))).toHaveLength(existing);
      expect(first.stored).not.toHaveProperty(name);
    });
  });

  describe("the next up, in which a deletion fails and the service returns old webhooks for replacements,", () => {
    it("leaves each webhook once at the service and, with a secret, in the state", () => {
      const all = [...creationOutcomes, "notDeleted", ...replacedOnRequest];

      expect(second.existing.map(({ databaseId }) => databaseId).toSorted()).toEqual(
        all.toSorted(),
      );
      expect(Object.keys(second.stored).toSorted()).toEqual(all.toSorted());
      for (const { databaseId, id } of second.existing) {
        expect(second.stored[databaseId]).toMatchObject({ id: String(id), ...withSecret });
      }
    });

    it("reports a deletion that fails, and warns of a webhook that is already gone", () => {
      expect(kindsOf(second, "notDeleted")).toEqual(["notDeleted"]);
      expect(second.output).toMatch(/warning: .*404 for webhook \d+ of database alreadyGone,/);
    });

    it.each(replacedOnRequest)("keeps the webhook %s, and warns that it does so", (name) => {
      expect(second.output).toMatch(new RegExp(`warning: Did not delete .* database ${name}:`));
      expect(methodsOf(second.requests.filter(isOf(name)))).toEqual(["POST"]);
    });
  });
});
