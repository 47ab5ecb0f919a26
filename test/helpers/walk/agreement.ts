import type { LocalService, StoredWebhook } from "pulumi-dbwebhooks/local-service";
import {
  errorsOf,
  type WebhookDiagnostic,
  type WebhookInState,
  webhooksInState,
} from "../cli-output.ts";
import { isDelete } from "../faults/faults.mts";
import type { RecordedRequest } from "../recorder.mts";
import type { WalkProgram } from "./walk-program.ts";

/** A command that has ended. */
export interface EndedCommand {
  readonly args: readonly string[];
  readonly program: WalkProgram;
  readonly output: string;
  /** The state after it, as `pulumi stack export --show-secrets` prints it. */
  readonly exported: string;
  /** All that the backend keeps. */
  readonly storedText: string;
  /** Its requests, by service. */
  readonly requests: readonly (readonly RecordedRequest[])[];
}

/** The kinds of errors after which a webhook may be at the service without being in the state. */
const kindsOfUnmanaged = ["inDoubt", "leftBehind"];

/** Checks after each command whether services, state and output agree. */
export class Agreement {
  readonly #services: readonly LocalService[];
  /** Whether a 404 counts as the end of a webhook, without a look at the list. */
  readonly #trusts404: boolean;
  readonly #secrets: Set<string>;
  /** The webhooks at the services that are not in the state for a known reason. */
  readonly #unmanaged = new Set<string>();
  /**
   * The webhooks whose deletion counted as done after a 404. An entry whose replacement is pending
   * leaves the state only in a later command.
   */
  readonly #released = new Set<string>();
  /** The webhooks in the state that are gone for a known reason. */
  readonly #gone = new Set<string>();
  #inState: readonly WebhookInState[] = [];

  constructor(services: readonly LocalService[], apiKeys: readonly string[], trusts404: boolean) {
    this.#services = services;
    this.#trusts404 = trusts404;
    this.#secrets = new Set(apiKeys);
  }

  /** Whether the state had no webhook after the last command. */
  get isStateEmpty(): boolean {
    return this.#inState.length === 0;
  }

  /** The resources of the state after the last command, without those whose replacement exists. */
  get urns(): string[] {
    return this.#inState.filter((one) => !one.isPendingDeletion).map(({ urn }) => urn);
  }

  /** Returns the contradictions, each with its webhook, and takes them for granted afterwards. */
  check(command: EndedCommand): string[] {
    const before = this.#inState;
    this.#inState = webhooksInState(command.exported);
    const errors = errorsOf(command.output);
    return [
      ...this.#problemsInState(errors),
      ...this.#problemsAtServices(errors, command),
      ...this.#problemsOfReplacements(before, command),
      ...this.#problemsOfSecrets(command),
    ];
  }

  /**
   * Each webhook of the state is there once and exists with this secret, unless its deletion has
   * failed.
   */
  #problemsInState(errors: readonly WebhookDiagnostic[]): string[] {
    const problems: string[] = [];
    const webhooks = new Map(this.#atServices().map((webhook) => [keyOf(webhook), webhook]));
    const notDeleted = errors.filter(({ kind }) => kind === "notDeleted").map(({ name }) => name);
    for (const [key, entries] of Map.groupBy(this.#inState, keyOf)) {
      const names = entries.map(({ name }) => name);
      if (names.length > 1) {
        problems.push(`webhook ${key} is in the state of ${names.join(", ")}`);
      }
      const webhook = webhooks.get(key);
      if (webhook === undefined) {
        const mayBeGone = entries.some(
          ({ name, isPendingReplacement }) => notDeleted.includes(name) || isPendingReplacement,
        );
        if (!mayBeGone && !this.#gone.has(key)) {
          problems.push(`webhook ${key} of ${names} is in the state but not at the service`);
        }
        this.#gone.add(key);
      } else if (entries.some(({ secret }) => secret !== webhook.secret)) {
        problems.push(`webhook ${key} of ${names} has another secret in the state, or none`);
      }
    }
    return problems;
  }

  /** Each webhook at the services is in the state, unless an error says that it may not be. */
  #problemsAtServices(
    errors: readonly WebhookDiagnostic[],
    { program, requests }: EndedCommand,
  ): string[] {
    const problems: string[] = [];
    const inState = new Set(this.#inState.map(keyOf));
    const webhooks = this.#atServices();
    const atServices = new Set(webhooks.map(keyOf));
    for (const key of this.#unmanaged) {
      if (!atServices.has(key)) {
        problems.push(`the unmanaged webhook ${key} was deleted`);
      }
      if (!atServices.has(key) || inState.has(key)) {
        this.#unmanaged.delete(key);
      }
    }
    const hosts = new Map(program.map(({ name, host }) => [name, host]));
    const named = errors
      .filter(({ kind = "" }) => kindsOfUnmanaged.includes(kind))
      .map(({ name }) => hosts.get(name));
    for (const key of this.#trusts404 ? this.#deletionsWith404(requests) : []) {
      this.#released.add(key);
    }
    for (const webhook of webhooks) {
      const key = keyOf(webhook);
      if (inState.has(key) || this.#unmanaged.has(key)) {
        continue;
      }
      this.#unmanaged.add(key);
      if (this.#released.has(key)) {
        continue;
      }
      const { host } = new URL(webhook.url);
      const error = named.indexOf(host);
      // An error explains one webhook.
      if (error >= 0) {
        named.splice(error, 1);
      } else {
        problems.push(`webhook ${key} of ${host} is left behind without an error`);
      }
    }
    return problems;
  }

  /**
   * The output names each webhook that was replaced, unless the command asked for this replacement.
   */
  #problemsOfReplacements(
    before: readonly WebhookInState[],
    { args, output }: EndedCommand,
  ): string[] {
    // By name, because a move to the other provider changes the URN.
    const now = new Map(this.#inState.filter(isLive).map(({ name, id }) => [name, id]));
    return before
      .filter((one) => isLive(one) && !args.includes(one.urn))
      .filter(({ name, id }) => now.has(name) && now.get(name) !== id)
      .filter(({ id }) => !new RegExp(`\\bwebhook ${id}\\b`).test(output))
      .map(({ id, name }) => `webhook ${id} of ${name} was replaced without a warning`);
  }

  /** No secret and no key is in the output, or in clear text in the backend. */
  #problemsOfSecrets({ output, storedText }: EndedCommand): string[] {
    for (const { secret } of this.#atServices()) {
      this.#secrets.add(secret);
    }
    const secrets = [...this.#secrets];
    const isIn = (text: string) => secrets.some((secret) => text.includes(secret));
    return [
      ...(isIn(output) ? ["the output contains a secret or a key"] : []),
      ...(isIn(storedText) ? ["the backend has a secret or a key in clear text"] : []),
    ];
  }

  #deletionsWith404(requests: EndedCommand["requests"]): string[] {
    return this.#services.flatMap(({ baseUrl }, index) =>
      (requests[index] ?? [])
        .filter((request) => isDelete(request) && request.statusCode === 404)
        .map(({ webhookId }) => keyOf({ baseUrl, id: Number(webhookId) })),
    );
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

function isLive({ isPendingDeletion, isPendingReplacement }: WebhookInState): boolean {
  return !isPendingDeletion && !isPendingReplacement;
}
