import { beforeEach, expect, it } from "vitest";
import { parseStateEntry, type StoredId } from "../../src/provider/rules/state.ts";
import { KnownWebhooks } from "../../src/provider/run/known-webhooks.ts";

const webhook = { baseUrl: "https://tables.example.com", databaseId: "base_1", id: "17" };
const namesakes = [
  { ...webhook, baseUrl: "https://other.example.com" },
  { ...webhook, databaseId: "base_2" },
  { ...webhook, id: "18" },
];

let knownWebhooks: KnownWebhooks;
beforeEach(() => {
  knownWebhooks = new KnownWebhooks();
});

it("A webhook is known until it is absent, and at every moment before that", () => {
  const isKnownAtFirst = knownWebhooks.isKnown(webhook, knownWebhooks.now);
  knownWebhooks.noteExists(webhook);
  const before = knownWebhooks.now;
  const isKnownThen = knownWebhooks.isKnown(webhook, knownWebhooks.now);

  knownWebhooks.noteAbsent(webhook);

  expect([isKnownAtFirst, isKnownThen]).toEqual([false, true]);
  expect(knownWebhooks.isKnown(webhook, before)).toBe(true);
  expect(knownWebhooks.isKnown(webhook, knownWebhooks.now)).toBe(false);
  expect(namesakes.some((one) => knownWebhooks.isKnown(one, before))).toBe(false);
});

it("A webhook that this command creates is known, own and created, and its namesakes are not", () => {
  knownWebhooks.noteCreated(webhook);

  const facts = (one: typeof webhook) => [
    knownWebhooks.isKnown(one, knownWebhooks.now),
    knownWebhooks.isOwn(one),
    knownWebhooks.isCreated(one),
  ];
  expect(facts(webhook)).toEqual([true, true, true]);
  expect(namesakes.flatMap(facts)).not.toContain(true);
});

it("A webhook that this command imports is own but not created", () => {
  knownWebhooks.noteImported(webhook);

  expect([knownWebhooks.isOwn(webhook), knownWebhooks.isCreated(webhook)]).toEqual([true, false]);
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

    const address = knownWebhooks.locate(parseStateEntry(id, { baseUrl, databaseId, ...changes }));

    expect(address).toEqual(isLocated ? webhook : undefined);
  },
);

it("The holder of a webhook is the last one, and no other resource", () => {
  const isUnheld = knownWebhooks.hasOtherHolder(webhook, "urn:a");

  knownWebhooks.noteHolder(webhook, "urn:a");
  knownWebhooks.noteHolder(webhook, "urn:b");
  knownWebhooks.noteExists(webhook);

  expect(isUnheld).toBe(false);
  expect(knownWebhooks.hasOtherHolder(webhook, "urn:a")).toBe(true);
  expect(knownWebhooks.hasOtherHolder(webhook, "urn:b")).toBe(false);
});

it("An absent webhook is neither own nor created, and has no holder: services reuse numbers", () => {
  knownWebhooks.noteCreated(webhook);
  knownWebhooks.noteHolder(webhook, "urn:a");

  knownWebhooks.noteAbsent(webhook);

  expect([knownWebhooks.isOwn(webhook), knownWebhooks.isCreated(webhook)]).toEqual([false, false]);
  expect(knownWebhooks.hasOtherHolder(webhook, "urn:b")).toBe(false);
});
