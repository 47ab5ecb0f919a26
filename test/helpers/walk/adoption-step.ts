import { withRoom } from "./edits.ts";
import { withoutWebhook } from "./program-changes.ts";
import { type Choose, isChosen, oneOf } from "./random.ts";
import { plainUp, randomUpOrPreview, withoutRefresh } from "./random-command.ts";
import { adoptsItsOwn, withoutAdoptionOfDeleted } from "./walk-context.ts";
import {
  type DeclaredWebhook,
  randomOptions,
  randomWebhook,
  type WalkProgram,
} from "./walk-program.ts";
import type { WalkSession } from "./walk-session.ts";

/** Lets two resources adopt one webhook, which must fail, and then removes one of them. */
export async function takeAdoptionStep(
  session: WalkSession,
  step: string,
  choose: Choose,
): Promise<void> {
  const { agreement, isUpToDate: wasUpToDate } = session;
  const existing = withoutAdoptionOfDeleted(session.program, agreement);
  const program = withRoom(choose, existing);
  const one = await adoptingWebhook(session, program, choose);
  const others = program.includes(one) ? program : [...program, one];
  const name = `hook-${session.context.nextNumber()}`;
  const other = { ...randomOptions(choose, others, one), name, aliases: [] };
  session.program = [...others, other];
  const title = `${step} (adopt ${one.adopt?.id} in ${one.name} and ${name})`;
  const names = [one.name, name];
  const chosen = randomUpOrPreview(choose);
  const command = session.hasChangedOptions ? withoutRefresh(chosen) : chosen;

  const failed = await session.run(title, command, { adoptedTwice: one.adopt?.id });

  const errors = failed.errors.filter((error) => names.includes(error.name));
  if (failed.isSuccess || errors.length === 0 || errors.some(({ kind }) => kind !== undefined)) {
    session.addProblem(`${title}: no check fails`);
  }
  // The command may change other webhooks if there was something left to do.
  if (wasUpToDate && program === existing && failed.hasChanged)
    session.addProblem(`${title}: sends requests`);
  const removed = oneOf(choose, names);
  session.program = withoutWebhook(session.program, removed);
  const last = await session.run(`${title}, without ${removed}`, plainUp);
  const deletedIds = [...failed.deletedIds, ...last.deletedIds];
  if (deletedIds.includes(String(one.adopt?.id))) session.addProblem(`${title}: is deleted`);
  const isAdopted = agreement.inState.some(
    (stored) =>
      names.includes(stored.name) && stored.name !== removed && stored.id === one.adopt?.id,
  );
  if (last.isSuccess && !isAdopted) session.addProblem(`${title}: is not adopted`);
}

/** Returns a webhook of the program that adopts what it has, or a new one. */
async function adoptingWebhook(
  { agreement, context }: WalkSession,
  program: WalkProgram,
  choose: Choose,
): Promise<DeclaredWebhook> {
  const adopting = program.filter((webhook) => adoptsItsOwn(webhook, agreement));
  if (adopting.length > 0 && isChosen(choose, 50)) return oneOf(choose, adopting);
  const random = randomWebhook(choose, context.nextNumber(), program);
  const webhook = { ...random, urlFrom: undefined };
  return { ...webhook, adopt: await context.createByHand(webhook) };
}
