import { type Accounts, defaultAccountOf } from "./accounts.ts";
import { takeOrdinaryStep } from "./ordinary-step.ts";
import { withChanges } from "./program-changes.ts";
import { type Choose, isChosen } from "./random.ts";
import {
  plainRefresh,
  plainUp,
  randomCommandOfWrongAccounts,
  randomCompleteUp,
  type WalkCommand,
  withoutRefresh,
} from "./random-command.ts";
import { keptWebhooks } from "./situation.ts";
import { isEveryAdoptionDone, withoutAdoptionOfDeleted } from "./walk-context.ts";
import type { WalkProgram } from "./walk-program.ts";
import type { WalkSession } from "./walk-session.ts";
import { wrongAccounts } from "./wrong-accounts.ts";

/** Runs commands with wrong accounts. After the right ones are set back, an `up` must succeed. */
export async function takeWrongAccountsStep(
  session: WalkSession,
  step: string,
  choose: Choose,
): Promise<void> {
  const { accounts, agreement, isUpToDate: wasUpToDate } = session;
  // A provider at another service could adopt nothing.
  if (!isEveryAdoptionDone(session.program, agreement)) {
    await takeOrdinaryStep(session, step, choose);
    return;
  }
  const { program } = session;
  const wrong = wrongAccounts(choose, accounts, program, agreement);
  session.accounts = wrong.accounts;
  session.program = wrong.program;
  session.declaresAllProviders = true;
  const title = `${step} (${wrong.words})`;
  const run = (words: string, command: WalkCommand) =>
    session.run(`${title}${words}`, session.hasChangedOptions ? withoutRefresh(command) : command);
  let hasChanged = await runWithWrongAccounts();

  const existing = withoutAdoptionOfDeleted(program, agreement);
  session.program = withProvidersOfState(existing, session, accounts);
  session.accounts = withVariables(accounts, session.program);
  const isExpectedToChange = !wasUpToDate || hasChanged;
  hasChanged = await runWithRightAccounts();
  if (!isExpectedToChange && hasChanged) {
    session.addProblem(`${title}: an "up" with the right accounts changes webhooks`);
  }
  session.accounts = accounts;
  session.declaresAllProviders = false;

  async function runWithWrongAccounts(): Promise<boolean> {
    let isChanged = false;
    for (const _ of Array(isChosen(choose, 25) ? 2 : 1)) {
      session.program = withoutAdoptionOfDeleted(session.program, agreement);
      const kept = keptWebhooks(session.program, agreement.inState);
      const replaceable = kept.filter(({ webhook }) => webhook.adopt === undefined);
      const urns = replaceable.map(({ stored }) => stored.urn);
      const outcome = await run("", randomCommandOfWrongAccounts(choose, urns));
      isChanged ||= outcome.hasChanged;
    }
    return isChanged;
  }

  async function runWithRightAccounts(): Promise<boolean> {
    if (isChosen(choose, 15)) await run(", set back", plainRefresh);
    const first = await run(", set back", randomCompleteUp(choose));
    if (first.isSuccess) return first.hasChanged;
    // A refresh before the update may still have had the wrong accounts.
    const second = await run(", set back", plainUp);
    return first.hasChanged || second.hasChanged;
  }
}

/** Gives each webhook of the state a provider with its address. */
function withProvidersOfState(
  program: WalkProgram,
  { agreement }: WalkSession,
  accounts: Accounts,
): WalkProgram {
  const { second } = accounts.explicit;
  return keptWebhooks(program, agreement.inState).reduce((changed, { webhook, stored }) => {
    const isAtSecond = stored.baseUrl === second.baseUrl;
    if (isAtSecond === (webhook.provider === "second")) return changed;
    const atFirst = stored.provider === undefined ? undefined : "same";
    return withChanges(changed, webhook.name, () => ({
      provider: isAtSecond ? "second" : atFirst,
    }));
  }, program);
}

/** Pulumi uses the stored account of the default provider if no webhook of the program uses it. */
function withVariables(accounts: Accounts, program: WalkProgram): Accounts {
  const isDefaultUsed = program.some(({ provider }) => provider === undefined);
  return isDefaultUsed ? accounts : { ...accounts, environment: defaultAccountOf(accounts) };
}
