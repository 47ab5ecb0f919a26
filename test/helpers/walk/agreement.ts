import type { LocalService, StoredWebhook } from "pulumi-dbwebhooks/local-service";
import {
  type Diagnostic,
  diagnosticsOf,
  type WebhookInState,
  webhooksInState,
} from "./cli-output.ts";
import type { WalkProgram } from "./walk-program.ts";

/** A command that has ended. */
export interface EndedCommand {
  readonly output: string;
  /** The state after it, as `pulumi stack export --show-secrets` prints it. */
  readonly exported: string;
  readonly program: WalkProgram;
  /** The webhook that two resources of the program adopt: until one of them is removed, both may have it. */
  readonly adoptedTwice?: number | undefined;
}

/** The kinds of errors after which a webhook may be at the service without being in the state. */
const kindsOfUnmanaged = ["inDoubt", "leftBehind"];

/** What no command may say, because each webhook has one resource. The dynamic provider says it for the stack. */
const falseAlarm = /\w+ resources (of this program )?manage (webhook \S+|it)/g;

/** Checks after each command whether services, state and output agree. */
export class Agreement {
  readonly #services: readonly LocalService[];
  /** The webhooks at the services that are not in the state for a known reason. */
  readonly #unmanaged = new Set<string>();
  /** The webhooks in the state of which an error said that their deletion failed: they may be gone. */
  readonly #undeleted = new Set<string>();
  readonly #secrets: Set<string>;
  #inState: readonly WebhookInState[] = [];

  constructor(services: readonly LocalService[], apiKeys: readonly string[]) {
    this.#services = services;
    this.#secrets = new Set(apiKeys);
  }

  /** Notes a webhook that was created without Pulumi. */
  addUnmanaged(baseUrl: string, id: number): void {
    this.#unmanaged.add(keyOf({ baseUrl, id }));
  }

  /** The webhooks of the state after the last command. */
  get inState(): readonly WebhookInState[] {
    return this.#inState;
  }

  /** The resources of {@link inState}, without those whose replacement exists. */
  get urns(): string[] {
    return this.#inState.filter((one) => !one.isPendingDeletion).map(({ urn }) => urn);
  }

  /** Whether a service has this webhook. */
  hasWebhook(id: number, secret: string): boolean {
    return this.#atServices().some((webhook) => webhook.id === id && webhook.secret === secret);
  }

  /** Returns the contradictions, each with its webhook, and takes them for granted afterwards. */
  check({ output, exported, program, adoptedTwice }: EndedCommand): string[] {
    const diagnostics = diagnosticsOf(output);
    this.#inState = webhooksInState(exported);
    const problems = [
      ...this.#problemsInState(diagnostics, adoptedTwice),
      ...this.#problemsAtServices(diagnostics, program),
      ...new Set(output.match(falseAlarm)?.map((message) => `false alarm: "${message}"`)),
    ];
    for (const { secret } of this.#atServices()) this.#secrets.add(secret);
    if ([...this.#secrets].some((secret) => output.includes(secret))) {
      problems.push("the output contains a secret or a key");
    }
    return problems;
  }

  #problemsInState(diagnostics: readonly Diagnostic[], adoptedTwice: number | undefined): string[] {
    const problems: string[] = [];
    const webhooks = new Map(this.#atServices().map((webhook) => [keyOf(webhook), webhook]));
    const failedDeletions = new Set(
      diagnostics.filter(({ kind }) => kind === "notDeleted").map(({ name }) => name),
    );
    for (const [key, entries] of Map.groupBy(this.#inState, keyOf)) {
      const [first] = entries;
      if (first === undefined) continue;
      const { length } = entries.filter(({ isPendingDeletion }) => !isPendingDeletion);
      if (length > 1 && first.id !== adoptedTwice) {
        problems.push(`webhook ${first.id} is in the state ${entries.length} times`);
      }
      const mayBeGone = ({ name, isPendingReplacement }: WebhookInState) =>
        failedDeletions.has(name) || isPendingReplacement;
      if (entries.some(mayBeGone)) this.#undeleted.add(key);
      const webhook = webhooks.get(key);
      if (webhook === undefined && !this.#undeleted.has(key)) {
        problems.push(
          `webhook ${first.id} of ${first.name} is in the state but not at the service`,
        );
        this.#undeleted.add(key);
      }
      if (webhook !== undefined && entries.some(({ secret }) => secret !== webhook.secret)) {
        problems.push(`webhook ${first.id} of ${first.name} has another secret in the state`);
      }
    }
    return problems;
  }

  #problemsAtServices(diagnostics: readonly Diagnostic[], program: WalkProgram): string[] {
    const problems: string[] = [];
    const keysInState = new Set(this.#inState.map(keyOf));
    const webhooks = this.#atServices();
    const keysAtServices = new Set(webhooks.map(keyOf));
    for (const key of this.#unmanaged) {
      if (keysInState.has(key)) this.#unmanaged.delete(key);
      else if (!keysAtServices.has(key)) {
        problems.push(`the unmanaged webhook ${key} is no longer at the service`);
        this.#unmanaged.delete(key);
      }
    }
    const hosts = new Map(program.map(({ name, host }) => [name, host]));
    const named = diagnostics
      .filter(({ kind = "" }) => kindsOfUnmanaged.includes(kind))
      .map(({ name }) => hosts.get(name));
    for (const webhook of webhooks) {
      const key = keyOf(webhook);
      if (keysInState.has(key) || this.#unmanaged.has(key)) continue;
      this.#unmanaged.add(key);
      const { host } = new URL(webhook.url);
      const error = named.indexOf(host);
      if (error >= 0) named.splice(error, 1);
      else {
        problems.push(
          `webhook ${webhook.id} of ${host} is at the service but neither in the state nor named by an error`,
        );
      }
    }
    return problems;
  }

  #atServices(): (StoredWebhook & { baseUrl: string })[] {
    return this.#services.flatMap(({ baseUrl, webhooks }) =>
      webhooks.map((webhook) => ({ ...webhook, baseUrl })),
    );
  }
}

function keyOf({ baseUrl, id }: { readonly baseUrl: string; readonly id: number }): string {
  return `${id} at ${baseUrl}`;
}
