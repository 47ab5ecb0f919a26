import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, type StateReadings } from "../../../src/cli/webhooks/comparison.ts";
import type { GivenState } from "../../../src/cli/webhooks/states.ts";

const baseUrl = "https://tables.example.com";
const databaseId = "base_1";
const stacks = ["dev", "prod"] as const;
type Stack = (typeof stacks)[number];

/** A service and two stacks, which Pulumi and others change in steps. */
class World {
  readonly service = new Set<number>();
  readonly stored: Readonly<Record<Stack, Set<number>>> = { dev: new Set(), prod: new Set() };
  readonly pending: Readonly<Record<Stack, Set<number>>> = { dev: new Set(), prod: new Set() };

  export(stack: Stack): GivenState {
    return {
      name: `stack ${stack}`,
      isSaved: false,
      changedAt: undefined,
      resources: [...this.stored[stack]].map((id) => ({
        urn: `urn:${stack}:${id}`,
        address: { baseUrl, databaseId, id: String(id) },
        isPendingDeletion: false,
      })),
      pendingCreations: [...this.pending[stack]].map((id) => {
        return { urn: `urn:${stack}:${id}`, databaseId };
      }),
    };
  }
}

type Steps = readonly ((world: World) => void)[];

const creation = (id: number, at: Stack): Steps => [
  (world) => world.pending[at].add(id),
  (world) => world.service.add(id),
  (world) => void (world.pending[at].delete(id) && world.stored[at].add(id)),
];

/**
 * What happens to the webhook of an id while the command runs, and before it. Each step is one that
 * Pulumi stores, in its order.
 */
const lives = {
  "a creation": (id: number, at: Stack) => ({ steps: creation(id, at) }),
  "a lost response": (id: number, at: Stack) => {
    return {
      steps: [...creation(id, at).slice(0, 2), (world: World) => world.pending[at].delete(id)],
    };
  },
  "a deletion": (id: number, at: Stack) => ({
    steps: [
      ...creation(id, at),
      (world: World) => world.service.delete(id),
      (world: World) => world.stored[at].delete(id),
    ],
  }),
  // Of a webhook that the stack had before: nobody creates and moves one within a second.
  "a move": (id: number, at: Stack) => ({
    before: creation(id, at),
    steps: [
      (world: World) => world.stored[at === "dev" ? "prod" : "dev"].add(id),
      (world: World) => world.stored[at].delete(id),
    ],
  }),
  "a creation by hand": (id: number) => ({ steps: [(world: World) => world.service.add(id)] }),
} satisfies Record<string, (id: number, at: Stack) => { before?: Steps; steps: Steps }>;

/** Mixes sequences of steps into one. Each number picks the sequence whose next step comes. */
function interleave<Step>(sequences: readonly (readonly Step[])[], picks: readonly number[]) {
  const rest = sequences.map((steps) => [...steps]);
  const mixed: Step[] = [];
  for (let at = 0; rest.some((steps) => steps.length > 0); at += 1) {
    const open = rest.filter((steps) => steps.length > 0);
    const next = open[(picks[at % picks.length] ?? 0) % open.length]?.shift();
    mixed.push(...(next === undefined ? [] : [next]));
  }
  return mixed;
}

interface Life {
  readonly kind: keyof typeof lives;
  readonly stack: Stack;
}

/** Lists the database while webhooks live. */
function listMeanwhile(all: readonly Life[], picks: readonly number[]) {
  const world = new World();
  const sequences = all.map(({ kind, stack }, at): Steps => {
    const { before = [], steps }: { before?: Steps; steps: Steps } = lives[kind](at + 1, stack);
    for (const step of before) {
      step(world);
    }
    return steps;
  });
  const before: GivenState[] = [];
  const after: GivenState[] = [];
  let listed: readonly number[] = [];
  const command: Steps = [
    ...stacks.map((stack) => (one: World) => void before.push(one.export(stack))),
    (one) => {
      listed = [...one.service];
    },
    ...stacks.map((stack) => (one: World) => void after.push(one.export(stack))),
  ];
  for (const step of interleave([command, ...sequences], picks)) {
    step(world);
  }
  const webhooks = listed.map((id) => {
    return { id: String(id), url: "https://a.test/", events: [], active: true };
  });
  const list = { databaseId, isComplete: true, webhooks };
  const [compared] = compare([list], { before, after }, { baseUrl });
  const rows = compared?.webhooks ?? [];
  return { world, rows, readings: { before, after } };
}

const someLives = fc.array(
  fc.record({
    kind: fc.constantFrom(...(Object.keys(lives) as Life["kind"][])),
    stack: fc.constantFrom(...stacks),
  }),
  { minLength: 1, maxLength: 4 },
);
const somePicks = fc.array(fc.nat(9), { minLength: 10, maxLength: 30 });

describe("A webhook of a list", () => {
  it("is called nobody's only if nobody has it, in whatever order things happen", () => {
    fc.assert(
      fc.property(someLives, somePicks, (all, picks) => {
        const { world, rows } = listMeanwhile(all, picks);

        const unmanaged = rows.filter(({ isUnmanaged }) => isUnmanaged).map(({ id }) => id);
        const held = stacks.flatMap((stack) => [...world.stored[stack]]).map(String);
        expect(unmanaged.filter((id) => held.includes(id))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is called nobody's if no state has had it, and nothing was in flight", () => {
    fc.assert(
      fc.property(someLives, somePicks, (all, picks) => {
        const { rows, readings } = listMeanwhile(all, picks);

        const states = [...readings.before, ...readings.after];
        const isQuiet = states.every(({ pendingCreations }) => pendingCreations.length === 0);
        const had = states.flatMap(({ resources }) => resources.map(({ address }) => address.id));
        for (const { id, isUnmanaged } of rows) {
          expect(isUnmanaged).toBe(isQuiet && !had.includes(id));
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

function stateWith(...addresses: readonly (readonly [id: string, database: string])[]): GivenState {
  return {
    ...new World().export("dev"),
    resources: addresses.map(([id, database]) => ({
      urn: `urn:${database}:${id}`,
      address: { baseUrl, databaseId: database, id },
      isPendingDeletion: false,
    })),
  };
}

describe("A comparison", () => {
  it("tells databases apart, and ids that are one number in JavaScript", () => {
    const state = stateWith(["9007199254740993", databaseId], ["9007199254740992", "base_2"]);
    const readings: StateReadings = { before: [state], after: [state] };
    const webhooks = ["9007199254740992", "9007199254740993"].map((id) => {
      return { id, url: "https://a.test/", events: [], active: true };
    });

    const [compared] = compare([{ databaseId, isComplete: true, webhooks }], readings, { baseUrl });

    expect(compared?.webhooks?.map(({ isUnmanaged }) => isUnmanaged)).toEqual([true, false]);
  });

  it("leaves a list as it is that could not be read", () => {
    const list = { databaseId, error: "It failed." };

    expect(compare([list], { before: [], after: [] }, { baseUrl })).toEqual([list]);
  });
});
