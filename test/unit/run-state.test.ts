import { describe, expect, it } from "vitest";
import { RunState } from "../../src/provider/run-state.ts";

const webhook = { baseUrl: "https://tables.example.com", databaseId: "base_1", id: "17" };
const namesakes = [
  { ...webhook, baseUrl: "https://other.example.com" },
  { ...webhook, databaseId: "base_2" },
];
const only = { urn: "urn:a", isFirstOfTwo: false, isSecondOfTwo: false };
const first = { ...only, isFirstOfTwo: true };
const second = { ...only, isSecondOfTwo: true };

describe("A webhook that one command knows", () => {
  it("is known from the state until it is absent, and at every moment before that", () => {
    const runState = new RunState();
    runState.noteInState(webhook);
    const before = runState.now;

    runState.noteAbsent(webhook);

    expect(runState.isKnown(webhook, before)).toBe(true);
    expect(runState.isKnown(webhook, runState.now)).toBe(false);
    expect(namesakes.some((one) => runState.isKnown(one, before))).toBe(false);
  });

  it("is not known again because the state still holds it", () => {
    const runState = new RunState();
    runState.noteAbsent(webhook);

    runState.noteInState(webhook);

    expect(runState.isKnown(webhook, runState.now)).toBe(false);
    expect(runState.isAbsentOrGoing(webhook)).toBe(true);
  });

  it("is neither absent nor going when the service creates another one with its number", () => {
    const runState = new RunState();
    runState.deletingWebhooks.add(webhook);
    runState.noteAbsent(webhook);

    runState.spare(webhook, "created");

    expect(runState.isAbsentOrGoing(webhook)).toBe(false);
    expect(runState.isKnown(webhook, runState.now)).toBe(true);
  });
});

describe("A verdict", () => {
  it.each(["created", "adopted", "imported"] as const)(
    "of a webhook that was %s ends with the webhook",
    (reason) => {
      const runState = new RunState();
      runState.spare(webhook, reason);
      const wasHeld = runState.isHeld(webhook);

      runState.noteAbsent(webhook);

      expect(wasHeld).toBe(true);
      expect(runState.verdictOn(webhook)).toBeUndefined();
      expect(runState.isKnown(webhook, runState.now)).toBe(false);
    },
  );

  it("that refuses wins over one that spares, and outlives the webhook: a new one may have its number", () => {
    const runState = new RunState();
    runState.refuse(webhook, "returnedInDoubt");

    runState.spare(webhook, "adopted");
    runState.noteAbsent(webhook);

    expect(runState.verdictOn(webhook)).toEqual({ kind: "refused", reason: "returnedInDoubt" });
    expect(runState.isKnown(webhook, runState.now)).toBe(true);
    expect(runState.isHeld(webhook)).toBe(false);
  });

  it("about a webhook that the program adopts outlives the webhook", () => {
    const runState = new RunState();
    runState.claimForAdoption(webhook, only);

    runState.noteAbsent(webhook);

    expect(runState.verdictOn(webhook)).toEqual({ kind: "spared", reason: "namedByAdopt" });
  });

  it("about a webhook that is adopted stays when another check names it", () => {
    const runState = new RunState();
    runState.spare(webhook, "adopted");

    runState.claimForAdoption(webhook, only);

    expect(runState.isHeld(webhook)).toBe(true);
  });
});

it.each([
  { checks: [only, only], accepted: [true, false] },
  { checks: [first, second, second], accepted: [true, true, false] },
  { checks: [first, first, second], accepted: [true, false, false] },
  { checks: [first, { ...second, urn: "urn:b" }], accepted: [true, false] },
  { checks: [second, second], accepted: [true, false] },
])("Of checks that adopt one webhook, $accepted are accepted", ({ checks, accepted }) => {
  const runState = new RunState();

  expect(checks.map((check) => runState.claimForAdoption(webhook, check))).toEqual(accepted);
});
