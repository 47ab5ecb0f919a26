import { type Account, type Accounts, apiKeys, defaultAccountOf } from "./accounts.ts";
import type { Agreement } from "./agreement.ts";
import { withChanges } from "./program-changes.ts";
import { type Choose, oneOf, someOf, weighted } from "./random.ts";
import { type ProviderName, providerNames, type WalkProgram } from "./walk-program.ts";

/** Accounts and a program in which webhooks of the state have another address. */
interface WrongAccounts {
  readonly words: string;
  readonly accounts: Accounts;
  readonly program: WalkProgram;
}

/** Gives a provider the account of the other service, or webhooks the provider of the other service. */
export function wrongAccounts(
  choose: Choose,
  accounts: Accounts,
  program: WalkProgram,
  { inState }: Agreement,
): WrongAccounts {
  const { explicit } = accounts;
  const { baseUrl } = explicit.second;
  const other = { baseUrl, apiKey: oneOf(choose, apiKeys.second) };
  const atDefault = defaultAccountOf(accounts) as Account;
  const configured = (configuration: Account) => ({ ...accounts, configuration, environment: {} });
  const withVariables = (environment: Partial<Account>) => ({
    ...accounts,
    environment: { ...accounts.environment, ...environment },
  });
  // Pulumi has stored the address of a provider that has webhooks. A webhook that adopts would adopt again.
  const movable = providerNames.filter(
    (name) =>
      inState.some(({ provider }) => provider === name) &&
      !program.some(({ provider, adopt }) => provider === name && adopt !== undefined),
  );
  const isSecondUsed = inState.some(({ provider }) => provider === "second");
  const words = weighted(choose, [
    [4, "another address and key in the configuration"],
    [4, "another address and key in the environment"],
    [2, "another address in the configuration"],
    [2, "another address in the environment"],
    [movable.length > 0 ? 3 : 0, "another address of a Provider"],
    [isSecondUsed ? 4 : 0, "the default provider for webhooks of another address"],
    [isSecondUsed ? 3 : 0, "another address and key, and the default provider for webhooks there"],
  ]);
  switch (words) {
    case "another address and key in the configuration":
      return { words, program, accounts: configured(other) };
    case "another address and key in the environment":
      return { words, program, accounts: withVariables(other) };
    case "another address in the configuration":
      return { words, program, accounts: configured({ ...atDefault, baseUrl }) };
    case "another address in the environment":
      return { words, program, accounts: withVariables({ baseUrl }) };
    case "another address of a Provider":
      return {
        words,
        program,
        accounts: { ...accounts, explicit: moved(choose, movable, explicit) },
      };
    case "the default provider for webhooks of another address":
      return { words, accounts, program: withoutSecondProvider(choose, program) };
    default:
      return {
        words,
        accounts: configured(other),
        program: withoutSecondProvider(choose, program),
      };
  }
}

function moved(
  choose: Choose,
  names: readonly ProviderName[],
  { same, second }: Accounts["explicit"],
): Accounts["explicit"] {
  return oneOf(choose, names) === "same" ? { second, same: second } : { same, second: same };
}

function withoutSecondProvider(choose: Choose, program: WalkProgram): WalkProgram {
  const candidates = program.filter(({ provider }) => provider === "second");
  const some = someOf(choose, candidates);
  const chosen = some.length > 0 ? some : candidates;
  return chosen.reduce(
    (changed, { name }) => withChanges(changed, name, () => ({ provider: undefined })),
    program,
  );
}
