import { adoptionUnderNewName, changeOfOptions, editAtRandom } from "./edits.ts";
import { type Choose, isChosen } from "./random.ts";
import { plainUp, randomCommand, withoutRefresh } from "./random-command.ts";
import { targetsOf, withoutAdoptionOfDeleted } from "./walk-context.ts";
import type { WalkSession } from "./walk-session.ts";

/** Edits the program, and runs a command, perhaps with a fault of the services. */
export async function takeOrdinaryStep(
  session: WalkSession,
  step: string,
  choose: Choose,
): Promise<void> {
  const { agreement, context } = session;
  const existing = withoutAdoptionOfDeleted(session.program, agreement);
  const { program, edits } = await editAtRandom(choose, existing, context);
  session.program = program;
  const title = `${step} (${edits.join(", ") || "no edit"})`;
  if (edits.includes(adoptionUnderNewName)) {
    await session.run(title, plainUp);
    return;
  }
  session.hasChangedOptions ||= edits.includes(changeOfOptions);
  const chosen = randomCommand(choose, targetsOf(program, session.programBefore, agreement));
  const command = session.hasChangedOptions ? withoutRefresh(chosen) : chosen;
  const mayFail = !command.isInterrupted && isChosen(choose, 20);
  const { isRefused } = await session.run(title, command, {
    chooseFault: mayFail ? choose : undefined,
  });
  // A webhook has moved to another service, so that a refresh that runs the program fails.
  if (isRefused) await session.run(`${title}, without a refresh`, plainUp);
}
