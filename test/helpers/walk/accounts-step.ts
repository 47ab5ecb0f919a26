import { type Accounts, changeAccounts, configurationOf } from "./accounts.ts";
import type { Choose } from "./random.ts";
import { plainUp, randomCompleteUp, withoutRefresh } from "./random-command.ts";
import type { WalkSession } from "./walk-session.ts";

/** Changes keys, and where the default provider gets its address and its key from, which changes no webhook. */
export async function takeAccountsStep(
  session: WalkSession,
  step: string,
  choose: Choose,
): Promise<void> {
  const { isUpToDate: wasUpToDate, accounts: before } = session;
  const after = changeAccounts(choose, before);
  // The environment has the old values until an update has stored those of the configuration.
  session.accounts = { ...after, environment: { ...before.environment, ...after.environment } };
  const chosen = randomCompleteUp(choose);
  const command = session.hasChangedOptions ? withoutRefresh(chosen) : chosen;
  const title = `${step} (${wordsOf(after)})`;
  const { hasChanged, isRefused } = await session.run(title, command);
  if (wasUpToDate && hasChanged) session.addProblem(`${title}: other accounts change webhooks`);
  // A webhook has moved to another service, so that a refresh that runs the program fails.
  if (isRefused) await session.run(`${title}, without a refresh`, plainUp);
  if (session.isUpToDate) session.accounts = after;
}

function wordsOf(accounts: Accounts): string {
  const names = Object.entries(configurationOf(accounts)).map(
    ([name, value]) =>
      `${name} ${value === undefined ? "in the environment" : "in the configuration"}`,
  );
  return names.join(", ");
}
