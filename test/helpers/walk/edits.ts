import type { ExistingWebhook } from "../stack.ts";
import { withChanges, withNewName, withoutWebhook } from "./program-changes.ts";
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

/** What an edit needs to know besides the program. */
export interface EditContext {
  /** Returns a number that no webhook of this walk had. */
  readonly nextNumber: () => number;
  /** Creates a webhook at the service of the webhook's provider, without Pulumi. */
  readonly createByHand: (webhook: DeclaredWebhook) => Promise<ExistingWebhook>;
  /** Returns the webhook that the state holds for a resource. */
  readonly inState: (name: string) => ExistingWebhook | undefined;
}

export interface Edited {
  readonly program: WalkProgram;
  /** The edits in words. */
  readonly edits: readonly string[];
}

type Edit = (
  choose: Choose,
  program: WalkProgram,
  context: EditContext,
) => Promise<WalkProgram> | WalkProgram;

const maxWebhooks = 5;

/** The edit after which only a complete `up` is safe: until then the webhook has two resources. */
export const adoptionUnderNewName = "adopt under a new name";

/** Returns the first program. */
export function firstProgram(choose: Choose, { nextNumber }: EditContext): WalkProgram {
  const count = oneOf(choose, [2, 3, 4]);
  let program: WalkProgram = [];
  while (program.length < count) {
    program = [...program, randomWebhook(choose, nextNumber(), program)];
  }
  return program;
}

/** The edit that can remove dependencies of a webhook. */
export const changeOfOptions = "change options";

/** Makes up to three random edits. */
export async function editAtRandom(
  choose: Choose,
  before: WalkProgram,
  context: EditContext,
): Promise<Edited> {
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
    const [name, edit] = weighted(choose, weights);
    const edited = await edit(choose, program, context);
    if (edited !== program) names.push(name);
    program = edited;
  }
  return { program, edits: names };
}

/** Applies a change to one webhook, which is a new webhook at the service afterwards and so adopts nothing. */
const replacing =
  (change: (choose: Choose, webhook: DeclaredWebhook) => Partial<DeclaredWebhook>): Edit =>
  (choose, program) =>
    program.length === 0
      ? program
      : withChanges(program, oneOf(choose, program).name, (webhook) => ({
          ...change(choose, webhook),
          adopt: undefined,
        }));

const changeUrl = replacing((_choose, { path }) => ({ path: path + 1 }));

const changeEvents = replacing((choose) => {
  const chosen = someOf(choose, events);
  return { events: chosen.length > 0 ? chosen : events };
});

const changeTable = replacing((choose) => ({ tableId: oneOf(choose, tables) }));

/** The default provider refuses a webhook that comes from the second service. */
const moveToProvider = replacing((choose, { provider }) => {
  const providers = provider === "second" ? ["same" as const] : [undefined, ...providerNames];
  return { provider: oneOf(choose, providers) };
});

/** Changes a webhook that is deleted before its replacement, and perhaps one that has an argument from it. */
const changePair: Edit = (choose, program) => {
  const pairs = program.flatMap(({ name, urlFrom, flagFrom }) =>
    [urlFrom, flagFrom].flatMap((from) => (from === undefined ? [] : [{ from, name }])),
  );
  if (pairs.length === 0) return program;
  const { from, name } = oneOf(choose, pairs);
  const isChanged = isChosen(choose, 60);
  const change = ({ path }: DeclaredWebhook) => ({ path: path + 1, adopt: undefined });
  const changed = withChanges(program, from, (webhook) => ({
    ...change(webhook),
    deleteBeforeReplace: true,
  }));
  return isChanged ? withChanges(changed, name, change) : changed;
};

const changeOptions: Edit = (choose, program) => {
  if (program.length === 0) return program;
  const index = program.indexOf(oneOf(choose, program));
  return program.map((webhook, at) =>
    at === index ? randomOptions(choose, program.slice(0, index), webhook) : webhook,
  );
};

const remove: Edit = (choose, program) =>
  program.length === 0 ? program : withoutWebhook(program, oneOf(choose, program).name);

const add: Edit = (choose, program, { nextNumber }) =>
  program.length >= maxWebhooks
    ? program
    : [...program, randomWebhook(choose, nextNumber(), program)];

const adopt: Edit = async (choose, program, { nextNumber, createByHand }) => {
  const others = withRoom(choose, program);
  const webhook = { ...randomWebhook(choose, nextNumber(), others), urlFrom: undefined };
  return [...others, { ...webhook, adopt: await createByHand(webhook) }];
};

/** Removes a webhook if there is no room for another one. */
export function withRoom(choose: Choose, program: WalkProgram): WalkProgram {
  const isFull = program.length >= maxWebhooks;
  return isFull ? withoutWebhook(program, oneOf(choose, program).name) : program;
}

/** Declares a webhook of the state under another name, with `adopt` in place of an alias. */
const adoptUnderNewName: Edit = (choose, program, { nextNumber, inState }) => {
  if (program.length === 0) return program;
  const webhook = oneOf(choose, program);
  const stored = inState(webhook.name);
  if (stored === undefined) return program;
  const name = `hook-${nextNumber()}`;
  const adopting = { aliases: [], urlFrom: undefined, adopt: stored };
  return withChanges(withNewName(program, webhook.name, name), name, () => adopting);
};

const stopAdopting: Edit = (choose, program) => {
  const adopting = program.filter((webhook) => webhook.adopt !== undefined);
  if (adopting.length === 0) return program;
  return withChanges(program, oneOf(choose, adopting).name, () => ({ adopt: undefined }));
};

const rename: Edit = (choose, program, { nextNumber }) => {
  if (program.length === 0) return program;
  const { name, aliases } = oneOf(choose, program);
  const newName = `hook-${nextNumber()}`;
  return withChanges(withNewName(program, name, newName), newName, () => ({
    aliases: [...aliases, name],
  }));
};

const weights: readonly (readonly [number, readonly [string, Edit]])[] = [
  [7, ["change a url", changeUrl]],
  [12, ["change a webhook and a dependent", changePair]],
  [2, ["change events", changeEvents]],
  [1, ["change a table", changeTable]],
  [2, [changeOfOptions, changeOptions]],
  [1, ["remove", remove]],
  [6, ["add", add]],
  [8, ["adopt", adopt]],
  [10, ["stop adopting", stopAdopting]],
  [4, ["move to another provider", moveToProvider]],
  [1, ["rename", rename]],
  [1, [adoptionUnderNewName, adoptUnderNewName]],
];
