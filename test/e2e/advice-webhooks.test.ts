import { beforeAll, describe, expect, it, vi } from "vitest";
import { isDelete, isOf, isPost, respondWith } from "../helpers/faults/faults.mts";
import { javascriptProgram, reference, type Webhooks, yamlProgram } from "../helpers/programs.ts";
import { type RecordedRequest, recordRequests } from "../helpers/recorder.mts";
import { expectAgreement, noPromptFlags, removeFromState, shareStack } from "../helpers/stack.ts";

// The tests follow the page docs/troubleshooting.md. Each situation has a database of its own.

const inDatabase = (databaseId: string, changes: object = {}, opts: object = {}) => {
  return { args: { databaseId, ...changes }, opts };
};
const after = (name: string) => ({ dependsOn: [reference(name)] });
const changed = { url: "https://example.com/changed" };
const patience = { timeout: 200_000 };
const deletedFirst = { deleteBeforeReplace: true };

const before: Webhooks = {
  replaced: inDatabase("full"),
  keyed: inDatabase("onePerUrl"),
  orders: inDatabase("repeated"),
  a: inDatabase("pair"),
};
const withMistakes: Webhooks = {
  replaced: inDatabase("full", changed),
  keyed: inDatabase("onePerUrl", { events: ["record.deleted"] }),
  orders: inDatabase("repeated"),
  twin: inDatabase("repeated", {}, after("orders")),
  c: inDatabase("pair"),
  // Pulumi compares it after the creation of c.
  a: inDatabase("pair", {}, after("c")),
};
const corrected: Webhooks = {
  ...before,
  replaced: inDatabase("full", changed, deletedFirst),
  keyed: inDatabase("onePerUrl", { events: ["record.deleted"] }, deletedFirst),
};

describe.each([javascriptProgram, yamlProgram])("Through $name", (program) => {
  const stack = shareStack({ program });
  let output: string;
  let numbersBefore: readonly number[];
  let sentWithMistakes: readonly RecordedRequest[];
  let sentCorrected: readonly RecordedRequest[];
  const numbersIn = (...databaseIds: readonly string[]) => {
    const { webhooks } = stack().service;
    return webhooks
      .filter(({ databaseId }) => databaseIds.includes(databaseId))
      .map(({ id }) => id);
  };
  const errorsIn = (databaseId: string) => {
    const lines = output
      .split("\n")
      .filter((line) => line.includes(` database ${databaseId} failed: `));
    return new Set(lines.map((line) => /See "(.*)" in .*\[(\w+)\]$/.exec(line)?.slice(1)));
  };

  beforeAll(async () => {
    const { service, declare, up, start } = stack();
    await declare(before);
    await up();
    numbersBefore = numbersIn("onePerUrl", "repeated", "pair");
    await declare(withMistakes);
    const running = start(["up", ...noPromptFlags, "--continue-on-error"]);
    // A failed resource ends a JavaScript program, so none fails before all creations are in
    // flight.
    const removeFault = service.use(async (request, next) => {
      const { databaseId = "" } = request;
      const existing = service.webhooks.find(isOf(databaseId));
      if (!isPost(request) || existing === undefined) {
        return next();
      }
      if (databaseId === "pair") {
        const isInFlight = (other: string) => requests.filter(isPost).some(isOf(other));
        await vi.waitUntil(() => ["full", "onePerUrl", "repeated"].every(isInFlight), patience);
      } else {
        await vi.waitUntil(() => running.output().includes("database pair failed"), patience);
      }
      const { id, secret } = existing;
      return databaseId === "full"
        ? respondWith(422)(request, next)
        : Response.json({ id, secret });
    });
    const { requests, stop } = recordRequests(service);
    ({ output } = await running.result);
    sentWithMistakes = requests;
    stop();
    removeFault();

    // It has the number of a.
    await removeFromState(stack(), "c");
    await declare(corrected);
    sentCorrected = (await up()).requests;
  });

  it("a full database and each webhook that is returned a second time is an error, and nothing is deleted", () => {
    expect(errorsIn("full")).toContainEqual(["A refused creation", "notCreated"]);
    for (const database of ["onePerUrl", "repeated"]) {
      expect(errorsIn(database)).toContainEqual(["A repeated id", "inDoubt"]);
    }
    expect(errorsIn("pair")).toContainEqual(["Two resources have one webhook", "unchanged"]);
    expect(sentWithMistakes.filter(isDelete)).toEqual([]);
  });

  it("deleteBeforeReplace, one declaration for each webhook and `pulumi state delete` end all of them", async () => {
    const sent = sentCorrected.map(({ method, databaseId }) => `${method} ${databaseId}`);
    expect(sent.toSorted()).toEqual(
      ["DELETE full", "POST full", "DELETE onePerUrl", "POST onePerUrl"].toSorted(),
    );
    expect(numbersIn("repeated", "pair").every((id) => numbersBefore.includes(id))).toBe(true);
    await expectAgreement(stack(), stack().service);
  });
});
