import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { defaultAccountOf, isPair } from "./accounts.ts";
import type { Diagnostic, WebhookInState } from "./cli-output.ts";
import type { KeptWebhook, Situation } from "./situation.ts";

/** What the rules for addresses demand of one command. */
export class AddressRules {
  readonly #situation: Situation;
  /** The webhooks that the default provider must refuse, because the state has them at another address. */
  readonly #refused: readonly KeptWebhook[];

  constructor(situation: Situation) {
    const { baseUrl } = defaultAccountOf(situation.facts.accounts);
    this.#situation = situation;
    this.#refused = situation.kept
      .filter(() => situation.isUpOrPreview)
      .filter(({ webhook, stored }) => {
        return webhook.provider === undefined && stored.baseUrl !== baseUrl;
      })
      .filter((one) => !situation.isForced(one));
  }

  /** Whether the rules are a reason for this error. */
  explains({ name, kind }: Pick<Diagnostic, "name" | "kind">): boolean {
    const { kept, facts } = this.#situation;
    switch (kind) {
      case "unchanged": {
        const unreadable = this.#situation.read.filter(({ stored, accounts }) =>
          accounts.some(({ baseUrl }) => baseUrl !== stored.baseUrl),
        );
        return namesOf([...this.#refused, ...unreadable]).includes(name);
      }
      case "notDeleted":
        return facts.inState.some((one) => one.name === name && !this.#isCertainlyDeletable(one));
      case "notCreated":
        return this.#hasWrongKey && !kept.some(({ webhook }) => webhook.name === name);
      default:
        return false;
    }
  }

  /** Whether the rules are a reason for a command that fails without an error of a webhook. */
  get explainsProviderError(): boolean {
    const { facts } = this.#situation;
    return facts.inState.some((stored) => this.#situation.isOfMovedProvider(stored));
  }

  /** Returns what contradicts the rules after the command. */
  problems(exitCode: number | null, errors: readonly Diagnostic[]): string[] {
    const { first, second } = this.#situation.facts.services;
    return [
      ...this.#problemsOfErrors(exitCode, errors),
      ...[first, second].flatMap((service) => this.#problemsOfDeletions(service)),
      ...[first, second].flatMap((service) => this.#problemsOfCreations(service)),
    ];
  }

  #problemsOfErrors(exitCode: number | null, errors: readonly Diagnostic[]): string[] {
    const hasTarget = this.#situation.has("--target");
    const isMoved = this.#situation.has("up") && !hasTarget && this.explainsProviderError;
    if (exitCode === 0 && isMoved) return ["no error about another address of a Provider"];
    // A provider without an address compares nothing: it warns, and the state stays as it is.
    const unreadable = this.#situation.read.filter(({ stored, accounts }) =>
      accounts.every(({ baseUrl }) => baseUrl !== undefined && baseUrl !== stored.baseUrl),
    );
    const demanded = [...this.#refused, ...unreadable].filter(
      ({ stored }) => !hasTarget || this.#situation.has(stored.urn),
    );
    const names = namesOf(demanded);
    if (names.length === 0) return [];
    if (exitCode === 0) return [`no error about another address of ${names.join(", ")}`];
    const isRefused = errors.some(({ name, kind }) => kind === "unchanged" && names.includes(name));
    // Another resource may have failed first, and the CLI refuses some targets.
    const hasOtherReason =
      hasTarget || this.explainsProviderError || errors.some(({ kind }) => kind !== "unchanged");
    return isRefused || hasOtherReason ? [] : [`no error "unchanged" of ${names.join(", ")}`];
  }

  #problemsOfDeletions({ requests }: LocalService): string[] {
    const deletions = requests.filter(({ method }) => method === "DELETE");
    return this.#refused
      .filter(({ stored }) => deletions.some(({ webhookId }) => webhookId === String(stored.id)))
      .map(({ stored }) => `a deletion of ${stored.id} of ${stored.name} was sent`);
  }

  /** Nothing may be created at another address whose deletion at the old one cannot succeed. */
  #problemsOfCreations({ baseUrl, requests }: LocalService): string[] {
    const hosts = requests
      .filter(({ method, body }) => method === "POST" && body !== undefined)
      .map(({ body }) => new URL(body.url).host);
    return this.#situation.kept
      .filter(({ webhook, stored }) => hosts.includes(webhook.host) && stored.baseUrl !== baseUrl)
      .filter((one) => !this.#situation.isForced(one))
      .filter(({ stored }) => !this.#situation.isOfMovedProvider(stored))
      .filter((one) => this.#refused.includes(one) || !this.#isPerhapsDeletable(one.stored))
      .map(({ stored }) => `a creation of ${stored.name} was sent to another address`);
  }

  #isCertainlyDeletable({ provider, baseUrl }: WebhookInState): boolean {
    const accounts = this.#situation.accountsOf(provider);
    return !this.#hasWrongKey && accounts.every((account) => account.baseUrl === baseUrl);
  }

  #isPerhapsDeletable({ provider, baseUrl }: WebhookInState): boolean {
    return this.#situation.accountsOf(provider).some((account) => account.baseUrl === baseUrl);
  }

  get #hasWrongKey(): boolean {
    const { services } = this.#situation.facts;
    return this.#situation.accountsOf(undefined).some((account) => !isPair(account, services));
  }
}

/** Returns the names of webhooks in the program and in the state. */
function namesOf(
  webhooks: readonly {
    readonly webhook?: KeptWebhook["webhook"] | undefined;
    stored: WebhookInState;
  }[],
): (string | undefined)[] {
  const names = webhooks.flatMap(({ webhook, stored }) => [webhook?.name, stored.name]);
  return [...new Set(names)];
}
