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
import { methodsOf, type RecordedRequest } from "../helpers/recorder.mts";
import { noPromptFlags, type StoredWebhooks, shareStack } from "../helpers/stack.ts";

// Each outcome has a webhook, in a database of its name. All faults are in test/unit/provider/faults.
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
  let output: string;
  let stored: StoredWebhooks;
  let requests: readonly RecordedRequest[];

  const up = async (...args: string[]) => {
    const flags = [...noPromptFlags, "--continue-on-error"];
    ({ output, requests } = await stack().pulumi(["up", ...flags, ...args]));
    stored = await stack().storedWebhooks();
  };
  const existingIn = (name: string) => stack().service.webhooks.filter(isOf(name));
  const idIn = (name: string) => existingIn(name).map(({ id }) => String(id))[0];
  const kindsOf = (name: string) =>
    errorsOf(output)
      .filter((error) => error.name === name)
      .map(({ kind }) => kind);

  describe("an up that meets faults", () => {
    beforeAll(async () => {
      const { service, declare } = stack();
      const removeFaults = service.use((request, next) => {
        const { databaseId = "" } = request;
        const fault = isPost(request) ? faultsOfCreations[databaseId] : undefined;
        return fault?.(request, next) ?? next();
      });
      await declare(webhooksIn([...creationOutcomes, ...deletionOutcomes, "targeted"], "first"));

      await up();
      removeFaults();
    });

    it.each([
      { kind: "notCreated", name: "notCreated", existing: 0 },
      { kind: "inDoubt", name: "inDoubt", existing: 1 },
      { kind: "inDoubt", name: "withoutSecret", existing: 1 },
      { kind: "inDoubt", name: "unusableSecret", existing: 1 },
    ])("reports $kind for the webhook $name, which it does not store", (row) => {
      const { kind, name, existing } = row;
      expect(kindsOf(name)).toEqual([kind]);
      expect(existingIn(name)).toHaveLength(existing);
      expect(stored).not.toHaveProperty(name);
    });
  });

  describe("the next up, in which a deletion fails and the service returns old webhooks for replacements,", () => {
    beforeAll(async () => {
      const { service, declare } = stack();
      // The user deletes the webhooks that an error has named, and another one.
      const gone = ["inDoubt", "withoutSecret", "unusableSecret", "alreadyGone"];
      service.webhooks = service.webhooks.filter(({ databaseId }) => !gone.includes(databaseId));
      const removeFaults = service.use((request, next) => {
        const { databaseId = "" } = request;
        if (isDelete(request) && databaseId === "notDeleted") {
          return forbidden(request, next);
        }
        if (!isPost(request) || !replacedOnRequest.includes(databaseId)) {
          return next();
        }
        // Pulumi compares nothing here, so the provider learns only from the deletion that it knows
        // the webhook.
        const [{ id, secret } = {}] = existingIn(databaseId);
        return Response.json({ id, secret });
      });
      await declare(webhooksIn([...creationOutcomes, "targeted"], "second"));

      await up("--replace", stored.targeted?.urn ?? "");
      removeFaults();
    });

    it("leaves each webhook once at the service and, with a secret, in the state", () => {
      const all = [...creationOutcomes, "notDeleted", ...replacedOnRequest];

      expect(stack().service.webhooks).toHaveLength(all.length);
      expect(Object.keys(stored).toSorted()).toEqual(all.toSorted());
      for (const name of all) {
        expect(stored[name]).toMatchObject({ id: idIn(name), ...withSecret });
      }
    });

    it("reports a deletion that fails, and warns of a webhook that is already gone", () => {
      expect(kindsOf("notDeleted")).toEqual(["notDeleted"]);
      expect(output).toMatch(/warning: .*404 for webhook \d+ of database alreadyGone,/);
    });

    it.each(replacedOnRequest)("keeps the webhook %s, and warns that it does so", (name) => {
      expect(output).toMatch(new RegExp(`warning: Did not delete .* database ${name}:`));
      expect(methodsOf(requests.filter(isOf(name)))).toEqual(["POST"]);
    });
  });
});
