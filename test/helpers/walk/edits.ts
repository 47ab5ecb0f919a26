import { type Choose, isChosen, oneOf, someOf, weighted } from "./random.ts";
import {
  type DeclaredWebhook,
  events,
  providerNames,
  randomOptions,
  randomWebhook,
  tables,
  type WalkProgram,
} from "./walk-program.ts";

/** Returns a number that no webhook of this walk had. */
type NextNumber = () => number;

/** Returns the same program where the edit is not possible. */
type Edit = (choose: Choose, program: WalkProgram, nextNumber: NextNumber) => WalkProgram;

const maxWebhooks = 5;

/**
 * The edits after which a refresh must not run the program: the provider of another service refuses
 * to read a webhook, and Pulumi 3.259 writes an invalid state if it replaces a webhook as a former
 * dependent and for itself.
 */
const editsAgainstRefresh = ["change options", "move to another provider"];

/** Returns the first program. */
export function firstProgram(choose: Choose, nextNumber: NextNumber): WalkProgram {
  const count = oneOf(choose, [2, 3, 4]);
  let program: WalkProgram = [];
  while (program.length < count) {
    program = add(choose, program, nextNumber);
  }
  return program;
}

/** Makes up to three random edits, and returns their names too. */
export function editAtRandom(choose: Choose, before: WalkProgram, nextNumber: NextNumber) {
  const count = weighted(choose, [
    [1, 0],
    [5, 1],
    [4, 2],
    [2, 3],
  ]);
  const names: string[] = [];
  let program = before;
  // Not every edit is possible in every program.
  for (let attempt = 0; names.length < count && attempt < 10; attempt++) {
    const [name, edit] = weighted(choose, edits);
    const edited = edit(choose, program, nextNumber);
    if (edited !== program) {
      names.push(name);
    }
    program = edited;
  }
  return {
    program,
    names,
    allowsRefresh: !names.some((name) => editsAgainstRefresh.includes(name)),
  };
}

const add: Edit = (choose, program, nextNumber) =>
  program.length >= maxWebhooks
    ? program
    : [...program, randomWebhook(choose, nextNumber(), program)];

/** Changes one webhook. */
const changing =
  (
    change: (
      choose: Choose,
      webhook: DeclaredWebhook,
      earlier: WalkProgram,
    ) => Partial<DeclaredWebhook>,
  ): Edit =>
  (choose, program) => {
    if (program.length === 0) {
      return program;
    }
    const webhook = oneOf(choose, program);
    const earlier = program.slice(0, program.indexOf(webhook));
    return withChanges(program, webhook.name, change(choose, webhook, earlier));
  };

const changeEvents = changing((choose) => {
  const chosen = someOf(choose, events);
  return { events: chosen.length > 0 ? chosen : events };
});

/** The default provider refuses a webhook of the second service, so no webhook returns to it. */
const move = changing((choose, { provider }) => ({
  provider: oneOf(
    choose,
    providerNames.filter((name) => name !== provider),
  ),
}));

/**
 * Changes a webhook that is deleted before its replacement, and perhaps one that has an argument
 * from it.
 */
const changePair: Edit = (choose, program) => {
  const dependents = program.filter(({ urlFrom, flagFrom }) => urlFrom ?? flagFrom);
  if (dependents.length === 0) {
    return program;
  }
  const dependent = oneOf(choose, dependents);
  const from = program.find(({ name }) => name === (dependent.urlFrom ?? dependent.flagFrom));
  if (from === undefined) {
    return program;
  }
  const path = from.path + 1;
  const changed = withChanges(program, from.name, { path, deleteBeforeReplace: true });
  return isChosen(choose, 60)
    ? withChanges(changed, dependent.name, { path: dependent.path + 1 })
    : changed;
};

const remove: Edit = (choose, program) => {
  if (program.length === 0) {
    return program;
  }
  const removed = oneOf(choose, program);
  const others = program.filter((webhook) => webhook !== removed);
  return withNewNames(others, (name) => (name === removed.name ? [] : [name]));
};

const rename: Edit = (choose, program, nextNumber) => {
  if (program.length === 0) {
    return program;
  }
  const { name, aliases } = oneOf(choose, program);
  const newName = `hook-${nextNumber()}`;
  const renamed = withNewNames(program, (one) => [one === name ? newName : one]);
  return withChanges(renamed, name, { name: newName, aliases: [...aliases, name] });
};

const edits: readonly (readonly [number, readonly [string, Edit]])[] = [
  [7, ["change a url", changing((_choose, { path }) => ({ path: path + 1 }))]],
  [10, ["change a webhook and a dependent", changePair]],
  [3, ["change events", changeEvents]],
  [2, ["change a table", changing((choose) => ({ tableId: oneOf(choose, tables) }))]],
  [3, ["change options", changing((choose, _, earlier) => randomOptions(choose, earlier))]],
  [3, ["remove", remove]],
  [7, ["add", add]],
  [4, ["move to another provider", move]],
  [3, ["rename", rename]],
];

function withChanges(
  program: WalkProgram,
  changed: string,
  changes: Partial<DeclaredWebhook>,
): WalkProgram {
  return program.map((one) => (one.name === changed ? { ...one, ...changes } : one));
}

/** Replaces or removes the names on which webhooks depend. */
function withNewNames(
  program: WalkProgram,
  newNames: (name: string) => readonly string[],
): WalkProgram {
  return program.map((webhook) => ({
    ...webhook,
    urlFrom: webhook.urlFrom && newNames(webhook.urlFrom)[0],
    flagFrom: webhook.flagFrom && newNames(webhook.flagFrom)[0],
    dependsOn: webhook.dependsOn.flatMap(newNames),
  }));
}
