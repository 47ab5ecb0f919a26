import { beforeEach, expect, it } from "vitest";
import { parseStoredWebhook, type StoredId } from "../../src/provider/rules/state.ts";
import { RunState } from "../../src/provider/run/run-state.ts";

const webhook = { baseUrl: "https://tables.example.com", databaseId: "base_1", id: "17" };
const namesakes = [
  { ...webhook, baseUrl: "https://other.example.com" },
  { ...webhook, databaseId: "base_2" },
  { ...webhook, id: "18" },
];

let runState: RunState;
beforeEach(() => {
  runState = new RunState();
});

it("A webhook is known until it is absent, and at every moment before that", () => {
  const isKnownAtFirst = runState.isKnown(webhook, runState.now);
  runState.noteExists(webhook);
  const before = runState.now;
  const isKnownThen = runState.isKnown(webhook, runState.now);

  runState.noteAbsent(webhook);

  expect([isKnownAtFirst, isKnownThen]).toEqual([false, true]);
  expect(runState.isKnown(webhook, before)).toBe(true);
  expect(runState.isKnown(webhook, runState.now)).toBe(false);
  expect(namesakes.some((one) => runState.isKnown(one, before))).toBe(false);
});

it("A webhook that this command creates is known, own and created, and its namesakes are not", () => {
  runState.noteCreated(webhook);

  const facts = (one: typeof webhook) => [
    runState.isKnown(one, runState.now),
    runState.isOwn(one),
    runState.isCreated(one),
  ];
  expect(facts(webhook)).toEqual([true, true, true]);
  expect(namesakes.flatMap(facts)).not.toContain(true);
});

it("A webhook that this command imports is own but not created", () => {
  runState.noteImported(webhook);

  expect([runState.isOwn(webhook), runState.isCreated(webhook)]).toEqual([true, false]);
});

it.each<[string, StoredId, changes: object, isLocated: boolean]>([
  ["a number", { id: "17" }, {}, true],
  ["a number and the database of the state", { id: "17", databaseId: "base_1" }, {}, true],
  ["a number and another database", { id: "17", databaseId: "base_2" }, {}, false],
  ["the id of the plugin in place of a number", { id: "base_1/17" }, {}, false],
  ["a number with a leading zero", { id: "017" }, {}, false],
  ["a number, and a state without a database", { id: "17" }, { databaseId: "" }, false],
  ["a number, and a state with a path as database", { id: "17" }, { databaseId: ".." }, false],
  ["a number, and a state without a base URL", { id: "17" }, { baseUrl: "" }, false],
])(
  "An entry has an address only if its id and its state name one: %s",
  (_case, id, changes, isLocated) => {
    const { baseUrl, databaseId } = webhook;

    const address = runState.locate(parseStoredWebhook(id, { baseUrl, databaseId, ...changes }));

    expect(address).toEqual(isLocated ? webhook : undefined);
  },
);

it("The holder of a webhook is the last one, and no other resource", () => {
  const isUnheld = runState.hasOtherHolder(webhook, "urn:a");

  runState.noteHolder(webhook, "urn:a");
  runState.noteHolder(webhook, "urn:b");
  runState.noteExists(webhook);

  expect(isUnheld).toBe(false);
  expect(runState.hasOtherHolder(webhook, "urn:a")).toBe(true);
  expect(runState.hasOtherHolder(webhook, "urn:b")).toBe(false);
});

it("An absent webhook is neither own nor created, and has no holder: services reuse numbers", () => {
  runState.noteCreated(webhook);
  runState.noteHolder(webhook, "urn:a");

  runState.noteAbsent(webhook);

  expect([runState.isOwn(webhook), runState.isCreated(webhook)]).toEqual([false, false]);
  expect(runState.hasOtherHolder(webhook, "urn:b")).toBe(false);
});
