import { expect, it, vi } from "vitest";
import { isDelete, isOf, isPost, respondWith } from "../helpers/faults/faults.mts";
import { javascriptProgram, reference, type Webhooks, yamlProgram } from "../helpers/programs.ts";
import { recordRequests } from "../helpers/recorder.mts";
import {
  expectAgreement,
  noPromptFlags,
  removeFromState,
  type TestStack,
  withStack,
} from "../helpers/stack.ts";

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

it.each([javascriptProgram, yamlProgram])(
  "Through $name, a full database and each webhook that is returned a second time is an error that the page ends",
  (program) => withStack(playMistakes, { program }),
);

async function playMistakes(stack: TestStack): Promise<void> {
  const { service, declare, up, start } = stack;
  const idsIn = (...databaseIds: readonly string[]) =>
    service.webhooks
      .filter(({ databaseId }) => databaseIds.includes(databaseId))
      .map(({ id }) => id);
  await declare(before);
  await up();
  const idsBefore = idsIn("onePerUrl", "repeated", "pair");
  await declare(withMistakes);
  const running = start(["up", ...noPromptFlags, "--continue-on-error"]);
  // A failed resource ends a JavaScript program, so none fails before all creations are in flight.
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
    return databaseId === "full" ? respondWith(422)(request, next) : Response.json({ id, secret });
  });
  const { requests, stop } = recordRequests(service);
  const { output } = await running.result;
  stop();
  removeFault();
  const errorsIn = (databaseId: string) =>
    output
      .split("\n")
      .filter((line) => line.includes(` database ${databaseId} failed: `))
      .map((line) => /See "(.*)" in .*\[(\w+)\]$/.exec(line)?.slice(1));
  expect(errorsIn("full")).toContainEqual(["A refused creation", "notCreated"]);
  expect(errorsIn("onePerUrl")).toContainEqual(["A repeated id", "inDoubt"]);
  expect(errorsIn("repeated")).toContainEqual(["A repeated id", "inDoubt"]);
  expect(errorsIn("pair")).toContainEqual(["Two resources have one webhook", "unchanged"]);
  expect(requests.filter(isDelete)).toEqual([]);

  // It has the id of a.
  await removeFromState(stack, "c");
  await declare(corrected);
  const sent = (await up()).requests.map(({ method, databaseId }) => `${method} ${databaseId}`);
  expect(sent.toSorted()).toEqual(
    ["DELETE full", "POST full", "DELETE onePerUrl", "POST onePerUrl"].toSorted(),
  );
  expect(idsIn("repeated", "pair").every((id) => idsBefore.includes(id))).toBe(true);
  await expectAgreement(stack, service);
}
