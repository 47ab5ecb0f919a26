import { beforeEach, expect, it } from "vitest";
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

it("A webhook that is imported, or created with a number that was absent, is own but not newly created", () => {
  const [imported = webhook] = namesakes;
  runState.noteAbsent(webhook);

  runState.noteCreated(webhook);
  runState.noteImported(imported);

  expect([webhook, imported].map((one) => runState.isOwn(one))).toEqual([true, true]);
  expect([webhook, imported].map((one) => runState.isCreated(one))).toEqual([false, false]);
});

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
