import { beforeEach, expect, it } from "vitest";
import { KnownWebhooks } from "../../../src/provider/command/known-webhooks.ts";
import { parseStateEntry } from "../../../src/provider/rules/state.ts";
import { addressOf } from "../../../src/provider/rules/webhook-address.ts";

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

it("The number of a webhook is known from the first time it is met", () => {
  const isKnownAtFirst = knownWebhooks.isKnown(webhook);

  knownWebhooks.noteId(webhook);

  expect([isKnownAtFirst, knownWebhooks.isKnown(webhook)]).toEqual([false, true]);
  expect(namesakes.some((one) => knownWebhooks.isKnown(one))).toBe(false);
});

it("A webhook that this command creates is known, own and created, and its namesakes are not", () => {
  knownWebhooks.noteCreated(webhook);

  const facts = (one: typeof webhook) => [
    knownWebhooks.isKnown(one),
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

it.each<[string, id: string, changes: object, isLocated: boolean]>([
  ["a number", "17", {}, true],
  ["a database and a number in place of a number", "base_1/17", {}, false],
  ["a number with a leading zero", "017", {}, false],
  ["a number, and a state without a database", "17", { databaseId: "" }, false],
  ["a number, and a state with a path as database", "17", { databaseId: ".." }, false],
  ["a number, and a state with a badly copied database", "17", { databaseId: "base_1 " }, false],
  ["a number, and a state without a base URL", "17", { baseUrl: "" }, false],
])(
  "An entry has an address only if its id and its state name one: %s",
  (_case, id, changes, isLocated) => {
    const { baseUrl, databaseId } = webhook;

    const address = addressOf(parseStateEntry(id, { baseUrl, databaseId, ...changes }));

    expect(address).toEqual(isLocated ? webhook : undefined);
  },
);

it("The holder of a webhook is the last one, and no other resource", () => {
  const isUnheld = knownWebhooks.hasOtherHolder(webhook, "urn:a");

  knownWebhooks.noteHolder(webhook, "urn:a");
  knownWebhooks.noteHolder(webhook, "urn:b");
  knownWebhooks.noteId(webhook);

  expect(isUnheld).toBe(false);
  expect(knownWebhooks.hasOtherHolder(webhook, "urn:a")).toBe(true);
  expect(knownWebhooks.hasOtherHolder(webhook, "urn:b")).toBe(false);
});
