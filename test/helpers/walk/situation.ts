import { type Account, type Accounts, defaultAccountOf, type WalkServices } from "./accounts.ts";
import type { WebhookInState } from "./cli-output.ts";
import type { WalkCommand } from "./random-command.ts";
import type { DeclaredWebhook, ProviderName, WalkProgram } from "./walk-program.ts";

interface Facts {
  readonly command: WalkCommand;
  readonly program: WalkProgram;
  /** The explicit providers that the program declares. */
  readonly declared: readonly ProviderName[];
  readonly inState: readonly WebhookInState[];
  readonly services: WalkServices;
  readonly accounts: Accounts;
  /** The accounts that Pulumi may have stored. */
  readonly storedAccounts: readonly Accounts[];
}

/** A webhook of the state that has a resource in the program. */
export interface KeptWebhook {
  readonly webhook: DeclaredWebhook;
  readonly stored: WebhookInState;
}

/** A command, and what was the case before it. */
export class Situation {
  readonly facts: Facts;
  readonly kept: readonly KeptWebhook[];

  constructor(facts: Facts) {
    this.facts = facts;
    this.kept = keptWebhooks(facts.program, facts.inState);
  }

  has(argument: string): boolean {
    return this.facts.command.args.includes(argument);
  }

  get isUpOrPreview(): boolean {
    return this.has("up") || this.has("preview");
  }

  /** The accounts that a provider may have in the command. */
  accountsOf(provider: ProviderName | undefined): readonly Partial<Account>[] {
    return this.#accountsOf(provider, this.isUpOrPreview || this.has("--run-program"));
  }

  /** The webhooks that a refresh reads, each with the accounts that its provider may have then. */
  get read() {
    if (!this.has("refresh") && !this.has("--refresh")) return [];
    // Without this flag, also the refresh before an update uses the providers of the last one.
    const isProgramRun = this.has("--run-program");
    return this.facts.inState.filter(isLive).map((stored) => {
      const kept = isProgramRun ? this.kept.find((one) => one.stored === stored) : undefined;
      const provider = kept === undefined ? stored.provider : kept.webhook.provider;
      return { stored, webhook: kept?.webhook, accounts: this.#accountsOf(provider, isProgramRun) };
    });
  }

  /** A forced replacement asks for no comparison. */
  isForced({ stored }: KeptWebhook): boolean {
    return this.has("--replace") && this.has(stored.urn);
  }

  /** Whether an explicit provider has another address than a webhook of it. The dynamic adapter cannot see this. */
  isOfMovedProvider({ provider, baseUrl }: WebhookInState): boolean {
    const { accounts, declared } = this.facts;
    return (
      provider !== undefined &&
      declared.includes(provider) &&
      accounts.explicit[provider].baseUrl !== baseUrl
    );
  }

  /** All accounts that a provider has or had. */
  knownAccountsOf(provider: ProviderName | undefined): readonly Partial<Account>[] {
    const { accounts, storedAccounts } = this.facts;
    return this.#ofProvider(provider, [accounts, ...storedAccounts]);
  }

  /** Pulumi uses what it has stored for a provider that the program does not declare, or that runs no program. */
  #accountsOf(provider: ProviderName | undefined, isProgramRun: boolean) {
    const { accounts, storedAccounts, declared, program } = this.facts;
    const isDeclared =
      provider === undefined
        ? program.some((webhook) => webhook.provider === undefined)
        : declared.includes(provider);
    return this.#ofProvider(provider, isProgramRun && isDeclared ? [accounts] : storedAccounts);
  }

  /** The environment changes the account of the default provider, also where Pulumi uses what it has stored. */
  #ofProvider(provider: ProviderName | undefined, all: readonly Accounts[]) {
    const { environment } = this.facts.accounts;
    return all.map((accounts) =>
      provider === undefined
        ? defaultAccountOf({ ...accounts, environment })
        : accounts.explicit[provider],
    );
  }
}

/** Pairs the webhooks of a program with those that the state has for them. */
export function keptWebhooks(
  program: WalkProgram,
  inState: readonly WebhookInState[],
): readonly KeptWebhook[] {
  return program.flatMap((webhook) =>
    inState
      .filter(
        (stored) => isLive(stored) && [webhook.name, ...webhook.aliases].includes(stored.name),
      )
      .map((stored) => ({ webhook, stored })),
  );
}

function isLive({ isPendingDeletion, isPendingReplacement }: WebhookInState): boolean {
  return !isPendingDeletion && !isPendingReplacement;
}
