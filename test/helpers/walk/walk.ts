import type { TestStack } from "../stack.ts";
import { takeAccountsStep } from "./accounts-step.ts";
import { takeAdoptionStep } from "./adoption-step.ts";
import { firstProgram } from "./edits.ts";
import { takeOrdinaryStep } from "./ordinary-step.ts";
import { type Choose, choicesOf, isChosen, weighted } from "./random.ts";
import { finalDestroy, plainUp } from "./random-command.ts";
import { textOfProgram } from "./walk-program.ts";
import { type WalkOptions, WalkSession } from "./walk-session.ts";
import { takeWrongAccountsStep } from "./wrong-accounts-step.ts";

type Step = (session: WalkSession, title: string, choose: Choose) => Promise<void>;

const steps: readonly (readonly [number, Step])[] = [
  [74, takeOrdinaryStep],
  [5, takeAccountsStep],
  [16, takeWrongAccountsStep],
  [5, takeAdoptionStep],
];

/** Runs random commands of the CLI on random programs, and returns the contradictions that it found. */
export async function walk(stack: TestStack, options: WalkOptions): Promise<string[]> {
  const session = new WalkSession(stack, options);
  await start(stack, session);
  for (let step = 1; step <= options.steps && !session.isStateInvalid; step++) {
    const choose = choicesOf(options.seed, step);
    const title = `step ${step}`;
    const isAgain = session.isUpToDate && isChosen(choose, 5);
    const take = isAgain ? upAgain : weighted(choose, steps);
    await take(session, title, choose);
  }
  if (!session.isStateInvalid) await end(session);
  return session.problems;
}

async function start(stack: TestStack, session: WalkSession): Promise<void> {
  const { entry, settings, seed, print } = session.options;
  const configuration = Object.entries(settings).map(([name, value]) => {
    return [`dbwebhooks:${name}`, String(value)] as const;
  });
  await stack.configure(Object.fromEntries(configuration));
  await stack.writeProgram(textOfProgram(entry));
  session.program = firstProgram(choicesOf(seed, 0), session.context);
  print(`seed ${seed}: ${JSON.stringify(session.program)}`);
  await session.run("step 0", plainUp);
}

async function upAgain(session: WalkSession, title: string): Promise<void> {
  const { hasChanged } = await session.run(`${title} (again)`, plainUp);
  if (hasChanged) session.addProblem(`${title}: the second of two "up" sends requests`);
}

async function end(session: WalkSession): Promise<void> {
  await session.run("end", finalDestroy);
  if (session.agreement.inState.length > 0) {
    session.addProblem("the last destroy leaves webhooks in the state");
  }
}
