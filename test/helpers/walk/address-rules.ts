import type { LocalService } from "pulumi-dbwebhooks/local-service";
import {
  type Accounts,
  accountsOf,
  defaultAccountOf,
  isPair,
  type WalkServices,
} from "./accounts.ts";
import type { Diagnostic, WebhookInState } from "./cli-output.ts";
import type { WalkCommand } from "./random-command.ts";
import {
  type DeclaredWebhook,
  type ProviderName,
  providerNames,
  type WalkProgram,
} from "./walk-program.ts";

/** A command, and what was the case before it. */
export interface Situation {
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
interface Kept {
  readonly webhook: DeclaredWebhook;
  readonly stored: WebhookInState;
}

/** What the rules for addresses and keys demand of one command. */
export class AddressRules {
  readonly #situation: Situation;
  readonly #kept: readonly Kept[];

  constructor(situation: Situation) {
    this.#situation = situation;
    this.#kept = keptWebhooks(situation.program, situation.inState);
  }

  /** Whether the rules are a reason for this error. */
  explains({ name, kind }: Pick<Diagnostic, "name" | "kind">): boolean {
    const { inState } = this.#situation;
    const stored = inState.filter((one) => one.name === name);
    const kept = this.#kept.filter(({ webhook }) => webhook.name === name);
    switch (kind) {
      case "unchanged":
        return [...this.#refused, ...this.#unreadable].some((one) =>
          [one.webhook?.name, one.stored.name].includes(name),
        );
      case "notDeleted":
        return stored.some((one) => !this.#isCertainlyDeletable(one));
      case "notCreated":
        return kept.length === 0 && this.#hasWrongPair;
      default:
        return false;
    }
  }

  /** Whether the rules are a reason for a command that fails without an error of a webhook. */
  get explainsProviderError(): boolean {
    return this.#situation.inState.some((stored) => this.#isOfMovedProvider(stored));
  }

  /** Returns what contradicts the rules after the command. */
  problems(exitCode: number | null, errors: readonly Diagnostic[]): string[] {
    return [
      ...this.#problemsOfRefusals(exitCode, errors),
      ...this.#problemsOfRequests(),
      ...this.#problemsOfKeys(),
    ];
  }

  #problemsOfRefusals(exitCode: number | null, errors: readonly Diagnostic[]): string[] {
    if (this.#has("--target")) return [];
    if (exitCode === 0 && this.#has("up") && this.explainsProviderError) {
      return ["no error about another address of a Provider"];
    }
    const refused = [...this.#refused, ...this.#certainlyUnreadable];
    const names = refused.flatMap(({ webhook, stored }) => [webhook?.name, stored.name]);
    if (names.length === 0) return [];
    if (exitCode === 0) return [`no error about another address of ${names.join(", ")}`];
    const isRefused = errors.some(({ name, kind }) => kind === "unchanged" && names.includes(name));
    // Another resource may have failed first.
    const hasOtherReason =
      this.explainsProviderError || errors.some(({ kind }) => kind !== "unchanged");
    return isRefused || hasOtherReason ? [] : [`no error "unchanged" of ${names.join(", ")}`];
  }

  #problemsOfRequests(): string[] {
    const { first, second } = this.#situation.services;
    return [first, second].flatMap((service) => {
      const deletions = service.requests.filter(({ method }) => method === "DELETE");
      const problems = this.#refused
        .filter(({ stored }) => deletions.some(({ webhookId }) => webhookId === String(stored.id)))
        .map(({ stored }) => `a deletion of ${stored.id} of ${stored.name} was sent`);
      return [...problems, ...this.#problemsOfCreations(service)];
    });
  }

  #problemsOfCreations({ baseUrl, requests }: LocalService): string[] {
    const hosts = requests
      .filter(({ method, body }) => method === "POST" && body !== undefined)
      .map(({ body }) => new URL(body.url).host);
    return this.#kept
      .filter(({ webhook, stored }) => hosts.includes(webhook.host) && stored.baseUrl !== baseUrl)
      .filter((one) => !this.#isForced(one) && !this.#isOfMovedProvider(one.stored))
      .filter((one) => this.#refused.includes(one) || !this.#isPerhapsDeletable(one.stored))
      .map(({ stored }) => `a creation of ${stored.name} was sent to another address`);
  }

  /** A key belongs to one service, unless the walk has given it to a provider with the address of the other one. */
  #problemsOfKeys(): string[] {
    const { services } = this.#situation;
    const { accounts, storedAccounts } = this.#situation;
    const given = [undefined, ...providerNames].flatMap((name) =>
      accountsOf(name, [accounts, ...storedAccounts], accounts),
    );
    return [services.first, services.second].flatMap(({ baseUrl, requests }) => {
      const keys = new Set(requests.map(({ headers }) => headers.authorization?.slice(7) ?? ""));
      return [...keys]
        .filter((apiKey) => !isPair({ baseUrl, apiKey }, services))
        .filter((apiKey) => !given.some((one) => one.baseUrl === baseUrl && one.apiKey === apiKey))
        .map((apiKey) => `${baseUrl} got the key "${apiKey}"`);
    });
  }

  /** The webhooks that the default provider must refuse, because the state has them at another address. */
  get #refused(): readonly Kept[] {
    const { command, accounts } = this.#situation;
    if (!["up", "preview"].includes(command.args[0] ?? "")) return [];
    const account = defaultAccountOf(accounts);
    return this.#kept.filter(
      (one) =>
        one.webhook.provider === undefined &&
        one.stored.baseUrl !== account.baseUrl &&
        !this.#isForced(one),
    );
  }

  /** The webhooks that a refresh may have to refuse. */
  get #unreadable() {
    return this.#read.filter(({ stored, readers }) =>
      readers.some(({ baseUrl }) => baseUrl !== stored.baseUrl),
    );
  }

  get #certainlyUnreadable() {
    return this.#read.filter(({ stored, readers }) =>
      readers.every(({ baseUrl }) => baseUrl !== stored.baseUrl),
    );
  }

  /** The webhooks that a refresh reads, each with the accounts that its provider may have. */
  get #read() {
    const { command, inState } = this.#situation;
    if (command.args[0] !== "refresh" && !this.#has("--refresh")) return [];
    const isProgramRun = this.#has("--run-program");
    return inState.filter(isLive).map((stored) => {
      const kept = isProgramRun ? this.#kept.find((one) => one.stored === stored) : undefined;
      const provider = kept === undefined ? stored.provider : kept.webhook.provider;
      return { stored, webhook: kept?.webhook, readers: this.#accounts(provider, isProgramRun) };
    });
  }

  #isCertainlyDeletable({ provider, baseUrl }: WebhookInState): boolean {
    return (
      !this.#hasWrongPair &&
      this.#accounts(provider).every((account) => account.baseUrl === baseUrl)
    );
  }

  #isPerhapsDeletable({ provider, baseUrl }: WebhookInState): boolean {
    return this.#accounts(provider).some((account) => account.baseUrl === baseUrl);
  }

  /** A forced replacement asks for no comparison. */
  #isForced({ stored }: Kept): boolean {
    return this.#has("--replace") && this.#has(stored.urn);
  }

  /** Whether an explicit provider has another address than a webhook of it. The dynamic adapter cannot see this. */
  #isOfMovedProvider({ provider, baseUrl }: WebhookInState): boolean {
    const { accounts, declared } = this.#situation;
    return (
      provider !== undefined &&
      declared.includes(provider) &&
      accounts.explicit[provider].baseUrl !== baseUrl
    );
  }

  get #hasWrongPair(): boolean {
    const { services } = this.#situation;
    return this.#accounts(undefined).some((account) => !isPair(account, services));
  }

  /** The accounts that a provider may have in a command, or in the refresh before an update. */
  #accounts(provider: ProviderName | undefined, isProgramRun = this.#isProgramRun) {
    const { accounts, storedAccounts, declared, program } = this.#situation;
    const isDeclared =
      provider === undefined
        ? program.some((webhook) => webhook.provider === undefined)
        : declared.includes(provider);
    const all = isProgramRun && isDeclared ? [accounts] : storedAccounts;
    return accountsOf(provider, all, accounts);
  }

  get #isProgramRun(): boolean {
    const isRun = ["up", "preview"].includes(this.#situation.command.args[0] ?? "");
    return isRun || this.#has("--run-program");
  }

  #has(argument: string): boolean {
    return this.#situation.command.args.includes(argument);
  }
}

/** Pairs the webhooks of a program with those that the state has for them. */
export function keptWebhooks(
  program: WalkProgram,
  inState: readonly WebhookInState[],
): readonly Kept[] {
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
